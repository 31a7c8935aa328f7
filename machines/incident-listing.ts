// Which transitions of an incident generation 3 lists: opened, confirmed, another verdict, closed. Pure. Rule: docs/reference/v3.md, 5.2.

import type { RecordedEvent } from '#shared/contracts/common.ts'
import type { IncidentContext } from '#shared/contracts/incident.ts'

/**
 * Acknowledgements, reminders and holds are not listed. Nor is a recovery that closes at the judgement that found it: the closing is.
 * `before` is null if the event opened the incident.
 */
export function isListed({ type, ...event }: RecordedEvent, before: IncidentContext | null, after: IncidentContext): boolean {
  if (before === null || type === 'hold.elapsed' || after.closedAt !== null) return true
  const closesAtOnce = type === 'ok.judged' && after.closeAfterMs === 0 && event['doubtful'] !== true
  return after.condition !== before.condition && !closesAtOnce
}
