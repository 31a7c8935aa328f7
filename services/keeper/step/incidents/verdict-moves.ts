// What a verdict does to its rule's incident: whether it is a change, and whether it pauses or resumes a delay. Pure.
import type { RuleState } from '#shared/contracts/subjects/subject.ts'
import type { Judgement } from '#shared/judging/judgement.ts'

interface Judged {
  judgement: Pick<Judgement, 'verdict' | 'isProvisional'>
}

/**
 * Returns the verdict for the incident machine; null: the verdict changes no incident. `not_judged` opens, confirms, recovers and closes
 * nothing; reminders of earlier verdicts continue (reference/incidents 2.2). A provisional result of a Template's rule changes no incident
 * either (v3 4.11).
 */
export const conditionOf = ({ judgement }: Judged) =>
  judgement.verdict === 'not_judged' || judgement.isProvisional ? null : judgement.verdict

/**
 * Returns true if this judgement pauses the running delay of a Template's rule, or resumes a paused delay (v3 4.7). Delays of other rules
 * never pause.
 */
export function movesHold({ policy, incident }: RuleState, judged: Judged): boolean {
  if (policy.language !== 'decision' || incident === null) return false
  if (incident.value !== 'pending' && incident.value !== 'recovering') return false
  return (conditionOf(judged) === null) === (incident.context.pausedAt === null)
}

/**
 * Returns whether the judgement would change the state of the rule's incident. A provisional verdict is recorded without changing the
 * incident, so the same verdict may change it once it is final (v3 4.11).
 */
export function movesIncident({ incident }: RuleState, judged: Judged): boolean {
  const condition = conditionOf(judged)
  return condition !== null && condition !== (incident?.context.condition ?? 'ok')
}
