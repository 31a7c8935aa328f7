// News: messages about changes in a workspace, published on the bus as `state.<workspace>.<subject>` for clients that watch the workspace.
// A change is stored before its message is sent. A message may be lost or arrive twice, so nothing may depend on it.
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { WindowDocument } from '#shared/contracts/incidents/maintenance.ts'
import type { RosterRow } from '#shared/contracts/subjects/roster.ts'

export type News =
  /**
   * The machine of an incident made a transition. `incident`: the incident's document as written with the transition; null: the incident's
   * document was not written with the transition.
   */
  | { kind: 'transition'; transition: HistoryDocument; incident: IncidentDocument | null }
  /** A maintenance window started, changed or ended. */
  | { kind: 'window'; window: WindowDocument }
  /** A subject was created, or a field of its list row changed, such as status, name or maintenance window. */
  | { kind: 'row'; row: RosterRow }
  /** A subject was archived or deleted. */
  | { kind: 'gone'; id: string; rev: number }
  | { kind: 'delivery'; delivery: DeliveryNews }
  /** Any signal of the subject has a new reading. Sent only while a page watches the subject (`services/keeper/round/reading-watch.ts`). */
  | { kind: 'reading'; id: string }
  /** A Template revision was published, or a Resource was bound to or unbound from this revision. `template`: `key@version`. */
  | { kind: 'template'; template: string }

/** An attempt to send a message has ended. The news never contains an address or a payload. */
export interface DeliveryNews {
  id: string
  incidentId: string
  destinationId: string
  /** Name of the destination; null: the destination is deleted. */
  destinationName: string | null
  state: 'waiting' | 'delivered' | 'failed'
  attempts: number
  /** End of the attempt, ms since the epoch. */
  at: number
}
