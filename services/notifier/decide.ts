// Who is told about an alert: pure choice among the workspace's destinations, with a reason for each that is left out (spec D 2,
// Delivery table; the words of spec C, Delivery and spec D 3).
import type { AlertDocument, UntoldReason } from '#shared/contracts/alert.ts'
import type { DeliverySelection } from '#shared/contracts/delivery-table.ts'
import type { DestinationDocument } from '#shared/contracts/destination.ts'
import { defaultDestination } from '#shared/default-destination.ts'

export interface Decision {
  told: DestinationDocument[]
  leftOut: { destinationId: string; reason: UntoldReason }[]
  /** Why nobody at all is told; null where somebody is. */
  nobody: UntoldReason | null
}

/** What speaks for and against telling. */
export interface Routing {
  /** Those of the alert's workspace; others are ignored. */
  destinations: readonly DestinationDocument[]
  /** The rows of its subject's delivery table. */
  selections: readonly DeliverySelection[]
  /** The subject was deleted meanwhile. */
  subjectGone: boolean
}

type Asked = Pick<AlertDocument, 'workspaceId' | 'kind' | 'held'> & { facts: Pick<AlertDocument['facts'], 'confirmedAt'> }

/**
 * Rows that name a destination of the workspace replace its default, whatever they select; rows that name none are none. A disabled
 * destination keeps its rows and sends nothing. What holds against the message itself (its subject is gone, what ends was never
 * confirmed, maintenance) leaves out those who would be told.
 */
export function decide(alert: Asked, { destinations, selections, subjectGone }: Routing): Decision {
  const own = destinations.filter(({ workspaceId }) => workspaceId === alert.workspaceId)
  const rows = selections.filter(({ destinationId }) => own.some(({ id }) => id === destinationId))
  const fallback = rows.length === 0 ? defaultDestination(own) : undefined
  const against = reasonAgainst(alert, subjectGone)
  const told: DestinationDocument[] = []
  const leftOut: Decision['leftOut'] = []
  for (const destination of own) {
    const row = rows.find(({ destinationId }) => destinationId === destination.id)
    const routed = destination === fallback || row?.alertKinds.includes(alert.kind) === true
    const reason = !routed ? 'not_routed' : destination.enabled ? against : 'destination_disabled'
    if (reason === null) told.push(destination)
    else leftOut.push({ destinationId: destination.id, reason })
  }
  return { told, leftOut, nobody: told.length > 0 ? null : reasonForNobody(leftOut, rows.length > 0) }
}

/** What holds against the message itself, whoever would get it. What was never confirmed ends unheard; what was held back does not. */
function reasonAgainst({ kind, held, facts }: Asked, subjectGone: boolean): UntoldReason | null {
  if (subjectGone) return 'resource_gone'
  if (kind === 'recovery' && facts.confirmedAt === null) return 'not_announced'
  return kind === 'recovery' ? null : (held ?? null)
}

function reasonForNobody(leftOut: Decision['leftOut'], hasRows: boolean): UntoldReason {
  const spoken = leftOut.map(({ reason }) => reason).filter(reason => reason !== 'not_routed')
  return spoken.find(reason => reason !== 'destination_disabled') ?? spoken[0] ?? (hasRows ? 'not_routed' : 'no_destination')
}
