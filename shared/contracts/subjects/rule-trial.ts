// Trial of a rule: the present verdict of a policy before it is saved. Stores nothing. Instants in ms.
import { command, Nullable, Slug } from '#shared/contracts/common.ts'
import type { IncidentSnapshot } from '#shared/contracts/incidents/incident.ts'
import { Policy } from '#shared/contracts/subjects/policy.ts'
import type { EvidenceInput, Verdict } from '#shared/contracts/subjects/verdict.ts'

/** Returns a RuleTrial and changes nothing. `rule`: the replaced rule; null: a new one. Errors: as when saved, except about the name. */
export const TryRule = command<RuleTrial>()('try-rule', { rule: Nullable(Slug), policy: Policy })

export interface RuleTrial {
  judgedAt: number
  verdict: Verdict
  explanation: string
  /** Inputs in the order of the policy. */
  inputs: TrialInput[]
  /** The open incident that the rule would have; null: none. */
  incident: IncidentSnapshot | null
  /** True if that incident is open already. */
  isOpenNow: boolean
  /** End of the running maintenance window; null: none runs. */
  mutedTo: number | null
}

export interface TrialInput extends EvidenceInput {
  /** True if the input has never reported and its grace period still runs. */
  isYoung: boolean
  /** Value of the newest report; null: it has none, or the input reads a rule. */
  number: number | null
  /** Next instant at which silence changes the reading; null: none. */
  changesAt: number | null
}
