// Records of an incident: status and instant of a record, and the transitions that generation 3 lists. Pure.

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
 * Returns true if generation 3 lists the transition (v3 5.2): the incident opened, was confirmed, got another verdict, or closed. If one
 * judgement ends the problem and also closes the incident, generation 3 lists only the closing. `before`: context before the event; null:
 * the event opened the incident.
 */
export function isListed({ type, ...event }: RecordedEvent, before: IncidentContext | null, after: IncidentContext): boolean {
  if (before === null || type === 'hold.elapsed' || type === 'flapping.counted' || after.closedAt !== null) return true
  const closesAtOnce =
    type === 'ok.judged' && after.closeAfterMs === 0 && event['provisional'] !== true && event['flapsUntil'] === undefined
  return after.condition !== before.condition && !closesAtOnce
}

/**
 * Returns the instant at which the transition took effect. The instant may precede the event: a confirmation takes effect at the end of
 * the delay, and the closing of a recovered incident at the start of the recovery.
 */
export function tookEffectAt({ type, at }: RecordedEvent, { confirmedAt, closedAt }: IncidentContext): number {
  return (type === 'hold.elapsed' ? confirmedAt : closedAt) ?? at
}
