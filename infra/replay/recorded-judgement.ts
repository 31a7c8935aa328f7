// Check of a recorded judgement: some quorum must lead from the evidence to the verdict. The explanation is computed again from evidence
// and verdict. Some facts are not checked, because records do not determine them: instants and error texts of inputs, and inputs that the
// explanation only counts. For a judgement without a transition (an acknowledgement, a removal), the evidence may allow several verdicts.
// The check then accepts every allowed verdict.
import type { Evidence, EvidenceInput, Verdict } from '#shared/contracts/subjects/verdict.ts'
import { explainPolicy } from '#shared/judging/judge-policy.ts'
import { explainReachability } from '#shared/judging/judge-reachability.ts'
import { nothingSince } from '#shared/judging/read-input.ts'
import { decisionFaults, isOfDecision } from './recorded-decision.ts'

export interface RecordedJudgement {
  verdict: string
  explanation: string
  evidence: Evidence | null
}

const verdicts: readonly string[] = ['problem', 'ok', 'no_data', 'not_judged'] satisfies Verdict[]
const builtInKey = 'availability'

export function judgementFaults({ verdict, explanation, evidence }: RecordedJudgement, ruleKey: string): string[] {
  if (!verdicts.includes(verdict)) return [`there is no verdict ${verdict}`]
  if (!isEvidence(evidence)) return ['it has no valid evidence']
  const { inputs, omitted, truncated } = evidence
  if (truncated !== omitted > 0) return [`the evidence omits ${omitted} inputs, and its field truncated is ${truncated}`]
  const ofDecision = inputs.filter(isOfDecision)
  // The evidence decides the kind of the rule. The key cannot decide it, because a Template's rule may have the key of the built-in rule.
  if (ofDecision.length === 0) return languageFaults(verdict as Verdict, explanation, evidence, ruleKey === builtInKey)
  if (ofDecision.length < inputs.length) return ['its evidence mixes two policy languages']
  return omitted > 0 ? [] : decisionFaults(verdict, explanation, ofDecision)
}

/** Returns the faults for the built-in rule of a website, or for a rule of generation 2. */
function languageFaults(verdict: Verdict, explanation: string, { inputs, omitted }: Evidence, isBuiltIn: boolean): string[] {
  const faults = inputs
    .filter(input => !isReadable(input, isBuiltIn))
    .map(({ input }) => `the evidence of ${input} contradicts itself`)
  if (omitted > 0) return faults
  if (!allows(inputs, verdict)) faults.push(`its evidence does not allow the verdict ${verdict}`)
  const explained = isBuiltIn ? explainReachability(verdict, inputs) : explainPolicy(verdict, inputs)
  if (explained !== explanation) faults.push(`recorded explanation "${explanation}", its evidence gives "${explained}"`)
  return faults
}

/** Returns true if some quorum, from one input to all inputs, gives the verdict. */
function allows(inputs: readonly EvidenceInput[], verdict: Verdict): boolean {
  const has = (value: EvidenceInput['value']) => inputs.some(input => input.value === value)
  if (verdict === 'problem') return has('problem')
  if (verdict === 'ok') return has('ok')
  return has('unknown') || (verdict === 'no_data' && inputs.length === 0)
}

/**
 * Returns true if the instant and the reason of an input agree with its value. For an unknown input, the reason must also agree with the
 * instant.
 */
function isReadable({ input, value, at, reason }: EvidenceInput, isBuiltIn: boolean): boolean {
  const isOfRule = !isBuiltIn && input.startsWith('rule ')
  if (value === 'ok') return reason === null && !(isOfRule && at !== null) && !(isBuiltIn && at === null)
  if (isOfRule) return at === null && reason?.startsWith('the rule ') === true
  if (value === 'problem') return at !== null
  if (at === null) return reason === 'never reported'
  return reason === nothingSince(at) || (!isBuiltIn && reason === 'the newest report has no number')
}

function isEvidence(evidence: Evidence | null): evidence is Evidence {
  if (typeof evidence !== 'object' || evidence === null || !Array.isArray(evidence.inputs)) return false
  return Number.isInteger(evidence.omitted) && evidence.omitted >= 0 && evidence.inputs.every(isInput)
}

function isInput(entry: EvidenceInput | null): boolean {
  if (typeof entry !== 'object' || entry === null) return false
  const { input, value, at, reason } = entry
  const isValue = value === 'ok' || value === 'problem' || value === 'unknown'
  return typeof input === 'string' && isValue && isTimeOrNone(at) && (reason === null || typeof reason === 'string')
}

const isTimeOrNone = (at: number | null): boolean => at === null || Number.isFinite(at)
