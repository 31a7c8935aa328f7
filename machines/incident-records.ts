// Records of an incident: their status word, their instant, and the transitions that generation 3 lists. Pure.

import type { RecordedEvent } from '#shared/contracts/common.ts'
import type { IncidentContext, IncidentState, IncidentStatus } from '#shared/contracts/incidents/incident.ts'

export const statusWords: Record<IncidentState, IncidentStatus> = {
  pending: 'pending',
  problem: 'problem',
  noData: 'no_data',
  recovering: 'recovering',
  closed: 'ok',
}

/**
 * Returns whether a transition is listed: opened, confirmed, another verdict, closed (v3 5.2). If one judgement both ends the problem and
 * closes the incident, only the closing is listed. `before`: null if the event opened the incident.
 */
export function isListed({ type, ...event }: RecordedEvent, before: IncidentContext | null, after: IncidentContext): boolean {
  if (before === null || type === 'hold.elapsed' || after.closedAt !== null) return true
  const closesAtOnce = type === 'ok.judged' && after.closeAfterMs === 0 && event['provisional'] !== true
  return after.condition !== before.condition && !closesAtOnce
}

/**
 * Returns the instant at which the transition took effect. This instant may precede the event: a confirmation takes effect at the end of
 * the delay, a closing at the start of the recovery.
 */
export function tookEffectAt({ type, at }: RecordedEvent, { confirmedAt, closedAt }: IncidentContext): number {
  return (type === 'hold.elapsed' ? confirmedAt : closedAt) ?? at
}
