// A recorded judgement (verdict, sentence, evidence) against itself: the evidence has to bear the verdict, whatever quorum the rule
// asks for, and the sentence is made from both again. What no record determines: of an input when it was observed and in which words it
// failed, the name and value of one that the sentence counts among the rest, and, of a judgement that moves nothing (beside an
// acknowledgement, a removal), which of several verdicts borne by one evidence the rule's quorum gave.
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
  if (!isEvidence(evidence)) return ['its evidence is none']
  const { inputs, omitted, truncated } = evidence
  if (truncated !== omitted > 0) return [`the evidence omits ${omitted} inputs and says otherwise`]
  const ofDecision = inputs.filter(isOfDecision)
  // A Template may call its rule as website monitoring calls its own.
  if (ofDecision.length === 0) return languageFaults(verdict as Verdict, explanation, evidence, ruleKey === builtInKey)
  if (ofDecision.length < inputs.length) return ['its evidence is of two languages']
  return omitted > 0 ? [] : decisionFaults(verdict, explanation, ofDecision)
}

/** Of website monitoring's rule, or of one in generation 2's language. */
function languageFaults(verdict: Verdict, explanation: string, { inputs, omitted }: Evidence, isBuiltIn: boolean): string[] {
  const faults = inputs
    .filter(input => !isReadable(input, isBuiltIn))
    .map(({ input }) => `nothing reads as the evidence of ${input}`)
  if (omitted > 0) return faults
  if (!bears(inputs, verdict)) faults.push(`its evidence does not bear the verdict ${verdict}`)
  const explained = isBuiltIn ? explainReachability(verdict, inputs) : explainPolicy(verdict, inputs)
  if (explained !== explanation) faults.push(`recorded explanation "${explanation}", its evidence says "${explained}"`)
  return faults
}

/** Of any rule over these inputs that needs one to all of them. */
function bears(inputs: readonly EvidenceInput[], verdict: Verdict): boolean {
  const has = (value: EvidenceInput['value']) => inputs.some(input => input.value === value)
  if (verdict === 'problem') return has('problem')
  if (verdict === 'ok') return has('ok')
  return has('unknown') || (verdict === 'no_data' && inputs.length === 0)
}

/** Instant and reason fit the value: an input that is ok gives no reason, an unknown one gives one that fits its instant. */
function isReadable({ input, value, at, reason }: EvidenceInput, isBuiltIn: boolean): boolean {
  const isOfRule = !isBuiltIn && input.startsWith('rule ')
  if (value === 'ok') return reason === null && !(isOfRule && at !== null) && !(isBuiltIn && at === null)
  if (isOfRule) return at === null && reason?.startsWith('the rule ') === true
  if (value === 'problem') return at !== null
  if (at === null) return reason === 'never reported'
  // An earlier version said of a location no more than this.
  const others = isBuiltIn ? 'nothing reported since' : 'the newest report has no number'
  return reason === nothingSince(at) || reason === others
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
