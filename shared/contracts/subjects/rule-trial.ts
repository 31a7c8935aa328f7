// Trial of a rule: the present verdict of a policy before it is saved. Stores nothing. Instants in ms.
import { command, Nullable, Slug } from '#shared/contracts/common.ts'
import type { IncidentSnapshot } from '#shared/contracts/incidents/incident.ts'
import { Policy } from '#shared/contracts/subjects/policy.ts'
import type { EvidenceInput, Verdict } from '#shared/contracts/subjects/verdict.ts'

/**
 * Returns a RuleTrial and changes nothing. `rule`: slug of the rule that the policy would replace; null: the policy would become a new
 * rule. Errors: those of `create-rule` and `replace-rule`, except errors about the name.
 */
export const TryRule = command<RuleTrial>()('try-rule', { rule: Nullable(Slug), policy: Policy })

export interface RuleTrial {
  judgedAt: number
  verdict: Verdict
  explanation: string
  /** Inputs in the order of the policy. */
  inputs: TrialInput[]
  /** The open incident that the rule would have; null: the rule would have no open incident. */
  incident: IncidentSnapshot | null
  /** True if `incident` is open already. */
  isOpenNow: boolean
  /** End of the running maintenance window; null: no window is running. */
  mutedTo: number | null
}

export interface TrialInput extends EvidenceInput {
  /** True if the input has never reported and the input's grace period still runs. */
  isYoung: boolean
  /** Value of the newest report. Null: the input has no report with a value, or the input reads another rule. */
  number: number | null
  /** Next instant at which silence changes the reading; null: silence does not change it. */
  changesAt: number | null
}
