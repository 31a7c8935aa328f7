// Judgement of a Template's rule at an instant: three-valued logic (Kleene) over its comparisons, with explanation and evidence. Pure:
// reads no clock and no store. Reference: docs/reference/v3.md, section 4.
import type { HeardSignal } from '#shared/contracts/observations/heard-signal.ts'
import type { SilenceAt } from '#shared/contracts/observations/silence.ts'
import type { Answers, DecisionNode, TemplateRule, TemplateSignal } from '#shared/contracts/resources/template.ts'
import type { CheckedSignal } from '#shared/contracts/subjects/checked-signal.ts'
import type { Reading } from '#shared/contracts/subjects/subject.ts'
import { comparisonsOf, partsOf } from '#shared/manifest/read-decision.ts'
import { ownMember } from '#shared/text/own-member.ts'
import { type AnyReading, type DecisionEvidence, evidenceOf, explainDecision } from './explain-decision.ts'
import { nothingHeard } from './heard-signal.ts'
import { earliest } from './judgement.ts'
import { readChecked } from './read-checked.ts'
import { type ComparisonReading, quietAfterMs, readComparison, type Truth } from './read-comparison.ts'

export interface DecisionFacts {
  signals: readonly TemplateSignal[]
  /** Recent Observations of each signal, by signal key. A key is absent if the signal has not reported. */
  heard: Readonly<Record<string, HeardSignal>>
  /** Signals that probers check. Absent: the Template has none. */
  checks?: readonly CheckedSignal[] | undefined
  /** Readings of checked signals, by source. */
  readings?: Readonly<Record<string, Reading>>
  answers: Answers
}

/** Instants in ms. `silenceAt`: the instant up to which silence counts, for each kind of report (rule 4.11). */
export interface DecisionMoment {
  at: number
  silenceAt: SilenceAt
}

export interface DecisionJudgement {
  /** True: problem. `unknown` changes no incident. */
  result: Truth
  /**
   * True if silence does not count yet after an outage, and the result would differ if silence counted. A provisional result changes no
   * incident and pauses delays (rule 4.11).
   */
  isProvisional: boolean
  /** True if any signal of the rule has ever reported. */
  isHeard: boolean
  explanation: string
  evidence: DecisionEvidence
  /** First instant (ms) at which time alone may change the result; null: only an Observation can change it. */
  nextAt: number | null
  /**
   * Like `nextAt`, but after the instant of the judgement. While silence does not count, `nextAt` may have passed already: the rule is
   * judged for that instant when silence counts again.
   */
  laterAt: number | null
}

/** Judges `rule`. Instants in ms. Throws if an operand references a field without a number, because the Resource then cannot be judged. */
export function judgeDecision(
  { decision }: Pick<TemplateRule, 'decision'>,
  facts: DecisionFacts,
  moment: DecisionMoment,
): DecisionJudgement {
  const readings = readingsOf(decision, facts, moment)
  const result = resultOf(decision, readings.values())
  const { at, silenceAt } = moment
  const isHeld = silenceAt.pushed < at || silenceAt.checks < at
  const asOfNow = isHeld ? readingsOf(decision, facts, { at, silenceAt: { pushed: at, checks: at } }) : readings
  return {
    result,
    isProvisional: isHeld && resultOf(decision, asOfNow.values()) !== result,
    isHeard: readings.some(reading => reading.newest !== null),
    explanation: explainDecision(readings),
    evidence: evidenceOf(readings),
    nextAt: earliest(readings.map(reading => reading.changesAt)),
    laterAt: earliest(readings.map(reading => reading.laterAt)),
  }
}

/** Returns one reading for each comparison, in the order of the decision. */
function readingsOf(decision: DecisionNode, facts: DecisionFacts, { at, silenceAt }: DecisionMoment): AnyReading[] {
  const { signals, heard, checks = [], readings = {}, answers } = facts
  return comparisonsOf(decision).map(comparison => {
    const signal = signals.find(one => one.key === comparison.signal)
    if (signal === undefined) throw new Error(`the Template declares no signal ${comparison.signal}`)
    if (signal.kind === 'check') {
      const checked = checkedSignal(checks, signal)
      return readChecked(comparison, { checked, readings }, answers, { at, silenceAt: silenceAt.checks })
    }
    const reported = ownMember(heard, comparison.signal) ?? nothingHeard
    return readComparison(comparison, quietAfterMs(signal), reported, answers, { at, silenceAt: silenceAt.pushed })
  })
}

function checkedSignal(checks: readonly CheckedSignal[], { key }: TemplateSignal): CheckedSignal {
  const found = checks.find(({ signal, locations }) => signal === key && locations.length > 0)
  if (found === undefined) throw new Error(`the Resource checks no signal ${key}`)
  return found
}

/** Returns the result of a node. `readings` yields the readings in the order of `comparisonsOf`. */
function resultOf(node: DecisionNode, readings: Iterator<ComparisonReading>): Truth {
  if ('signal' in node) return (readings.next().value as ComparisonReading).truth
  if ('not' in node) return negated(resultOf(node.not, readings))
  if ('min_known' in node) return resultOfKnown(node, readings)
  const [word, parts] = partsOf(node)
  const truths = parts.map(part => resultOf(part, readings))
  return word === 'all' ? every(truths) : some(truths)
}

/** Returns the result over the comparisons with a known signal; unknown if fewer than `min_known` comparisons have a known signal. */
function resultOfKnown(node: Extract<DecisionNode, { min_known: number }>, readings: Iterator<ComparisonReading>): Truth {
  const [word, parts] = partsOf(node)
  const known = parts.map(() => readings.next().value as ComparisonReading).filter(reading => reading.isKnown)
  if (known.length < node.min_known) return 'unknown'
  const truths = known.map(reading => reading.truth)
  return word === 'all_known' ? every(truths) : some(truths)
}

const negated = (truth: Truth): Truth => (truth === 'unknown' ? truth : !truth)

function every(truths: readonly Truth[]): Truth {
  if (truths.includes(false)) return false
  return truths.includes('unknown') ? 'unknown' : true
}

function some(truths: readonly Truth[]): Truth {
  if (truths.includes(true)) return true
  return truths.includes('unknown') ? 'unknown' : false
}
