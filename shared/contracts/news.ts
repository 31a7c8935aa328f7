// Changes of a workspace, published on the bus as `state.<workspace>.<subject>` for clients that watch. Each fact is stored before its
// message is sent. A message may be lost or arrive twice, so nothing may depend on it.
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { WindowDocument } from '#shared/contracts/incidents/maintenance.ts'
import type { RosterRow } from '#shared/contracts/subjects/roster.ts'

export type News =
  /** The machine of an incident made a transition. `incident`: as stored with the transition; null: it was not written with it. */
  | { kind: 'transition'; transition: HistoryDocument; incident: IncidentDocument | null }
  /** A maintenance window started, changed or ended. */
  | { kind: 'window'; window: WindowDocument }
  /** A subject was created, or a field of its row changed: status, name, window. */
  | { kind: 'row'; row: RosterRow }
  /** A subject was archived or deleted. */
  | { kind: 'gone'; id: string; rev: number }
  | { kind: 'delivery'; delivery: DeliveryNews }
  /** A subject has a new reading, of any signal. Sent only while a page watches the subject (`services/keeper/round/reading-watch.ts`). */
  | { kind: 'reading'; id: string }
  /** A Template revision was published, or a Resource was bound to it or unbound from it. `template`: `key@version`. */
  | { kind: 'template'; template: string }

/** End of one attempt to send a message. Never contains an address or a payload. */
export interface DeliveryNews {
  id: string
  incidentId: string
  destinationId: string
  /** Null: the destination is deleted. */
  destinationName: string | null
  state: 'waiting' | 'delivered' | 'failed'
  attempts: number
  /** ms since the epoch. */
  at: number
}
