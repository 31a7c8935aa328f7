// Who is told about an alert: pure choice among the workspace's destinations, with a reason for each that is left out.
import type { AlertDocument } from '#shared/contracts/alert.ts'
import type { DestinationDocument } from '#shared/contracts/destination.ts'

type LeftOutReason = 'destination_disabled' | 'not_selected'

interface Decision {
  told: DestinationDocument[]
  leftOut: { destinationId: string; reason: LeftOutReason }[]
  /** Why nobody at all is told; null where somebody is. */
  nobody: 'no_destination' | 'destination_disabled' | null
}

/** What the alert's subject or rule selects; null: it selects nothing, the workspace's default is told. */
type Selection = readonly { destinationId: string; alertKinds: readonly AlertDocument['kind'][] }[] | null

/**
 * A subject with a selection of its own never also uses the default; a disabled destination sends nothing (spec D 2,
 * Delivery table). Destinations of other workspaces are ignored. `nobody` is `destination_disabled` where one was selected
 * but is switched off.
 */
export function decide(
  alert: Pick<AlertDocument, 'workspaceId' | 'kind'>,
  destinations: readonly DestinationDocument[],
  selection: Selection = null,
): Decision {
  const told: DestinationDocument[] = []
  const leftOut: Decision['leftOut'] = []
  for (const destination of destinations) {
    if (destination.workspaceId !== alert.workspaceId) continue
    if (!isSelected(destination, alert.kind, selection)) leftOut.push({ destinationId: destination.id, reason: 'not_selected' })
    else if (!destination.enabled) leftOut.push({ destinationId: destination.id, reason: 'destination_disabled' })
    else told.push(destination)
  }
  return { told, leftOut, nobody: told.length > 0 ? null : reasonForNobody(leftOut) }
}

function isSelected(destination: DestinationDocument, kind: AlertDocument['kind'], selection: Selection): boolean {
  if (selection === null) return destination.default
  return selection.some(row => row.destinationId === destination.id && row.alertKinds.includes(kind))
}

const reasonForNobody = (leftOut: Decision['leftOut']) =>
  leftOut.some(({ reason }) => reason === 'destination_disabled') ? 'destination_disabled' : 'no_destination'
