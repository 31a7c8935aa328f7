// Transitions of an incident that generation 3 lists: opened, confirmed, another verdict, closed (v3 5.2). Pure.

import type { RecordedEvent } from '#shared/contracts/common.ts'
import type { IncidentContext } from '#shared/contracts/incidents/incident.ts'

/**
 * Returns whether a transition is listed. Acknowledgements, reminders and delays are not listed. A recovery that closes in the same
 * judgement is not listed either, but the closing is. `before`: null if the event opened the incident.
 */
export function isListed({ type, ...event }: RecordedEvent, before: IncidentContext | null, after: IncidentContext): boolean {
  if (before === null || type === 'hold.elapsed' || after.closedAt !== null) return true
  const closesAtOnce = type === 'ok.judged' && after.closeAfterMs === 0 && event['provisional'] !== true
  return after.condition !== before.condition && !closesAtOnce
}
