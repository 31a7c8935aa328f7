// Judges an authored rule of generation 2. An input is a signal or another rule. The reading of an input is true, false or unknown. A
// quorum of the inputs decides (reference/judging 3). Pure.

import type { ReportKind, SilenceAt } from '#shared/contracts/observations/silence.ts'
import type { Policy, PolicyInput } from '#shared/contracts/subjects/policy.ts'
import type { ObservedInput } from '#shared/contracts/subjects/subject.ts'
import type { EvidenceInput, Verdict } from '#shared/contracts/subjects/verdict.ts'
import { decide, type Need } from '#shared/judging/decide.ts'
import { earliest, type Judgement } from '#shared/judging/judgement.ts'
import { type InputReading, nothingSince, readNeverReported, wordOf } from '#shared/judging/read-input.ts'
import { limits } from '#shared/limits/limits.ts'

/** Facts about one input at the instant of the judgement. */
export type InputFacts =
  /**
   * `observed`: newest accepted observation that the input selects. `silentAfterMs`: time after an observation until the input is silent;
   * null: the signal is an event, which is never silent.
   */
  | { of: 'signal'; reports: ReportKind; observed: ObservedInput; silentAfterMs: number | null; graceMs: number }
  /** Verdict of the cited rule; null: it was never judged. */
  | { of: 'rule'; verdict: Verdict | null }

/**
 * Judges `policy`. `facts` has an entry for each input, in the order of the inputs. `silenceAt`: the instants up to which silence counts,
 * as in `readInput`. Instants in ms.
 */
export function judgePolicy(policy: Policy, facts: readonly InputFacts[], silenceAt: SilenceAt): Judgement {
  const readings = policy.inputs.map((input, i) => readPolicyInput(input, facts[i] as InputFacts, silenceAt))
  const verdict = decide(readings, needOf(policy), { halfSilentIsNoData: false })
  const inputs = policy.inputs.map((input, i) => evidenceOf(input, readings[i] as InputReading))
  const kept = inputs.slice(0, limits.judging.evidenceInputs)
  return {
    verdict,
    explanation: explainPolicy(verdict, inputs),
    evidence: { inputs: kept, omitted: inputs.length - kept.length, truncated: kept.length < inputs.length },
    nextAt: earliest(readings.map(reading => reading.changesAt)),
  }
}

const needOf = ({ need, atLeast }: Policy): Need =>
  need === 'at_least' ? { kind: 'at_least', count: atLeast ?? 1 } : { kind: need }

/** Returns the reading of one input; true: problem. An event signal is never silent. Before its first report, its reading is ok. */
export function readPolicyInput(input: PolicyInput, facts: InputFacts, silenceAt: SilenceAt): InputReading {
  if (facts.of === 'rule') return readRule(facts.verdict)
  const { observed, silentAfterMs, graceMs } = facts
  const countsTo = silenceAt[facts.reports]
  if (observed.observedAtUs === null)
    return silentAfterMs === null ? noEventYet : readNeverReported(observed.addedAt, graceMs, countsTo)
  const observedAt = Math.floor(observed.observedAtUs / 1_000)
  const silentFrom = silentAfterMs === null ? null : observedAt + silentAfterMs + 1
  if (silentFrom !== null && countsTo >= silentFrom) {
    return { value: 'unknown', young: false, at: observedAt, reason: nothingSince(observedAt), changesAt: null }
  }
  return { ...reportedValue(input, observed), young: false, at: observedAt, changesAt: silentFrom }
}

function readRule(verdict: Verdict | null): InputReading {
  const known = { young: false, at: null, reason: null, changesAt: null }
  if (verdict === 'problem') return { ...known, value: true, reason: 'the rule reports a problem' }
  if (verdict === 'ok') return { ...known, value: false }
  if (verdict === 'no_data') return { ...known, value: 'unknown', reason: 'the rule has no data' }
  return { ...known, value: 'unknown', young: true, reason: 'the rule is not judged yet' }
}

const noEventYet: InputReading = { value: false, young: false, at: null, reason: null, changesAt: null }

function reportedValue(
  { mode, compare, threshold }: PolicyInput,
  { ok, isNoData, value, error }: ObservedInput,
): Pick<InputReading, 'value' | 'reason'> {
  if (isNoData) return { value: 'unknown', reason: 'the sender reported no_data' }
  if (mode === 'status') return ok ? { value: false, reason: null } : { value: true, reason: error }
  if (value === null) return { value: 'unknown', reason: 'the newest report has no number' }
  const limit = threshold ?? 0
  const isProblem = compare === '<' ? value < limit : value > limit
  return isProblem ? { value: true, reason: error ?? `${value} ${compare} ${limit}` } : { value: false, reason: null }
}

function evidenceOf({ signal, from }: PolicyInput, { value, at, reason }: InputReading): EvidenceInput {
  const input = from === null ? (signal as string) : `rule ${from}`
  return { input, value: wordOf(value), at, reason }
}

/**
 * Returns one sentence with the names of the relevant inputs. Only the evidence decides the sentence, so a replay returns the same
 * sentence.
 */
export function explainPolicy(verdict: Verdict, inputs: readonly EvidenceInput[]): string {
  const n = inputs.length
  const named = (value: EvidenceInput['value']) => inputs.filter(input => input.value === value).map(input => input.input)
  const failing = named('problem')
  const unknown = named('unknown')
  if (n === 0) return 'the rule has no inputs, so nothing can be said'
  const all = n === 1 ? '1 input' : `${n} inputs`
  if (verdict === 'not_judged') return `waiting for the first report of ${unknown.length} of ${all} (${listed(unknown)})`
  if (verdict === 'no_data') return `nothing usable from ${unknown.length} of ${all} (${listed(unknown)})`
  if (failing.length > 0) return `${failing.length} of ${all} failing (${listed(failing)})`
  return unknown.length > 0 ? `${n - unknown.length} of ${all} ok` : n === 1 ? 'the input is ok' : `all ${n} inputs ok`
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, limits.judging.namesListed).join(', ')
  return names.length > limits.judging.namesListed ? `${shown} and ${names.length - limits.judging.namesListed} more` : shown
}
