// Judgement of a Template's rule at an instant: three-valued logic (Kleene) over its comparisons, with explanation and evidence. Pure:
// reads no clock and no store. Reference: docs/reference/v3.md, section 4.
import type { HeardSignal } from '#shared/contracts/observations/heard-signal.ts'
import type { ScheduleState } from '#shared/contracts/observations/schedule-state.ts'
import type { SilenceAt } from '#shared/contracts/observations/silence.ts'
import type { Answers, DecisionNode, PushedSignal, TemplateRule, TemplateSignal } from '#shared/contracts/resources/template.ts'
import type { CheckedSignal } from '#shared/contracts/subjects/checked-signal.ts'
import type { Reading } from '#shared/contracts/subjects/subject.ts'
import { comparisonsOf, partsOf } from '#shared/manifest/read-decision.ts'
import { ownMember } from '#shared/text/own-member.ts'
import { type AnyReading, type DecisionEvidence, evidenceOf, explainDecision } from './explain-decision.ts'
import { nothingHeard } from './heard-signal.ts'
import { earliest } from './judgement.ts'
import { grownReading, readChecked } from './read-checked.ts'
import { type ComparisonReading, changes, quietAfterMs, readComparison, type Truth } from './read-comparison.ts'
import { readScheduled } from './read-scheduled.ts'

export interface DecisionFacts {
  signals: readonly TemplateSignal[]
  /** Recent Observations of each signal, by signal key. A key is absent if the signal has not reported. */
  heard: Readonly<Record<string, HeardSignal>>
  /** What is remembered of scheduled signals, by signal key. Absent: the Template has none. */
  schedules?: Readonly<Record<string, ScheduleState>> | undefined
  /** Signals that probers check. Absent: the Template has none. */
  checks?: readonly CheckedSignal[] | undefined
  /** Readings of checked signals, by source. */
  readings?: Readonly<Record<string, Reading>>
  answers: Answers
  /** Instants, ms, at which the signals of senders were added, by key. Absent: long ago. */
  addedAt?: Readonly<Record<string, number>>
}

/** Instants in ms. `silenceAt`: the instant up to which silence counts, for each kind of report (rule 4.11). */
export interface DecisionMoment {
  at: number
  silenceAt: SilenceAt
}

export interface DecisionJudgement {
  /** True: problem. `unknown` is no data, if the rule says so; else it changes no incident. */
  result: Outcome
  /**
   * True if silence does not count yet after an outage, and the result would differ if silence counted. A provisional result changes no
   * incident and pauses delays (rule 4.11).
   */
  isProvisional: boolean
  /** True if any signal of the rule has ever reported, or if the verdict no data says that one cannot be checked. */
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

type JudgedRule = Pick<TemplateRule, 'decision' | 'unknown'>

/** Judges `rule`. Instants in ms. Throws if an operand references a field without a number, because the Resource then cannot be judged. */
export function judgeDecision(rule: JudgedRule, facts: DecisionFacts, moment: DecisionMoment): DecisionJudgement {
  const readings = readingsOf(rule, facts, moment)
  const result = outcomeOf(rule, facts, readings, moment)
  return {
    result,
    isProvisional: isProvisional(rule, facts, moment, result),
    isHeard: readings.some(reading => reading.newest !== null || (rule.unknown === 'no_data' && isUnable(reading))),
    explanation: explainDecision(readings),
    evidence: evidenceOf(readings),
    nextAt: earliest(readings.map(reading => reading.changesAt)),
    laterAt: earliest(readings.map(reading => reading.laterAt)),
  }
}

/**
 * Returns whether silence that is held back would change the result. An unknown result that is a verdict is provisional, too, if it rests on
 * silence that counted before.
 */
function isProvisional(rule: JudgedRule, facts: DecisionFacts, { at, silenceAt }: DecisionMoment, result: Outcome): boolean {
  if (silenceAt.pushed >= at && silenceAt.checks >= at) return false
  const resultAt = (counted: SilenceAt) => {
    const moment = { at, silenceAt: counted }
    return outcomeOf(rule, facts, readingsOf(rule, facts, moment), moment)
  }
  if (resultAt({ pushed: at, checks: at }) !== result) return true
  const uncounted = (to: number) => (to < at ? Number.NEGATIVE_INFINITY : at)
  const isSilence = () => resultAt({ pushed: uncounted(silenceAt.pushed), checks: uncounted(silenceAt.checks) }) !== result
  return rule.unknown === 'no_data' && result === 'unknown' && isSilence()
}

/** Whether no location of the checked signal could ever make its check. */
const isUnable = (reading: AnyReading): boolean => 'unable' in reading && reading.places.length === 0 && reading.unable.length > 0

/** `young`: unknown only because of signals whose first report may still come. Only for a rule whose unknown result is a verdict. */
export type Outcome = Truth | 'young'

function outcomeOf(rule: JudgedRule, facts: DecisionFacts, readings: readonly AnyReading[], moment: DecisionMoment): Outcome {
  const { decision, unknown } = rule
  const result = resultOf(decision, readings.values())
  if (result !== 'unknown' || unknown === undefined) return result
  const grown = readings.map(reading => grownOf(reading, facts, moment))
  return resultOf(decision, grown.values()) === 'unknown' ? 'unknown' : 'young'
}

/** Returns the reading as it would be if every report that may still come for the first time said that the comparison is false. */
function grownOf(reading: AnyReading, { signals, checks = [], addedAt = {} }: DecisionFacts, moment: DecisionMoment): AnyReading {
  const signal = signals.find(({ key }) => key === reading.comparison.signal)
  if (signal === undefined) return reading
  if (signal.kind === 'check')
    return 'places' in reading ? (grownReading(reading, checkedSignal(checks, signal)) ?? reading) : reading
  if (reading.newest !== null || reading.unresolved?.why === 'missed') return reading
  const isYoung = signal.kind === 'schedule' || moment.silenceAt.pushed < grownInstant(signal, addedAt)
  return isYoung ? { ...reading, truth: false, isKnown: true } : reading
}

/** Returns the instant, ms, from which a signal that never reported is silent. An event may always report for the first time. */
function grownInstant(signal: PushedSignal, addedAt: Readonly<Record<string, number>>): number {
  const after = quietAfterMs(signal)
  return after === null ? Number.POSITIVE_INFINITY : (ownMember(addedAt, signal.key) ?? 0) + after + 1
}

/** Returns one reading for each comparison, in the order of the decision. */
function readingsOf({ decision, unknown }: JudgedRule, facts: DecisionFacts, { at, silenceAt }: DecisionMoment): AnyReading[] {
  const { signals, heard, checks = [], readings = {}, answers, addedAt = {}, schedules = {} } = facts
  return comparisonsOf(decision).map(comparison => {
    const signal = signals.find(one => one.key === comparison.signal)
    if (signal === undefined) throw new Error(`the Template declares no signal ${comparison.signal}`)
    if (signal.kind === 'check') {
      const checked = checkedSignal(checks, signal)
      return readChecked(comparison, { checked, readings }, answers, { at, silenceAt: silenceAt.checks })
    }
    const reported = ownMember(heard, comparison.signal) ?? nothingHeard
    const moment = { at, silenceAt: silenceAt.pushed }
    if (signal.kind === 'schedule')
      return readScheduled(comparison, { heard: reported, state: ownMember(schedules, signal.key) }, answers, moment)
    const reading = readComparison(comparison, quietAfterMs(signal), reported, answers, moment)
    if (unknown === undefined || reading.newest !== null) return reading
    const grownAt = grownInstant(signal, addedAt)
    const isYoung = Number.isFinite(grownAt) && silenceAt.pushed < grownAt
    return { ...reading, ...changes([reading.changesAt, isYoung ? grownAt : null], moment) }
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
