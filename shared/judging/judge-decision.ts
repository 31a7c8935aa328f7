// Judgement of a Template's rule at an instant: three-valued logic (Kleene) over its comparisons, with explanation and evidence. Pure:
// reads no clock and no store. Rules: docs/reference/v3.md, section 4.
import type { HeardSignal } from '#shared/contracts/observations/heard-signal.ts'
import type { Answers, DecisionNode, TemplateRule, TemplateSignal } from '#shared/contracts/resources/template.ts'
import { comparisonsOf, partsOf } from '#shared/manifest/read-decision.ts'
import { ownMember } from '#shared/text/own-member.ts'
import { type DecisionEvidence, evidenceOf, explainDecision } from './explain-decision.ts'
import { nothingHeard } from './heard-signal.ts'
import { earliest } from './judgement.ts'
import { type ComparisonReading, type Moment, readComparison, type Truth } from './read-comparison.ts'

export interface DecisionFacts {
  /** Signals of the Template. */
  signals: readonly TemplateSignal[]
  /** Observations by signal key; absent: the signal has not reported. */
  heard: Readonly<Record<string, HeardSignal>>
  answers: Answers
}

export interface DecisionJudgement {
  /** True: problem. Unknown changes no incident. */
  result: Truth
  /**
   * True if silence does not count yet after an outage, and the result would differ if silence counted. A provisional result changes no
   * incident, and delays are paused (rule 4.11).
   */
  isProvisional: boolean
  /** True if any signal of the rule has ever reported. */
  isHeard: boolean
  explanation: string
  evidence: DecisionEvidence
  /** Next instant (ms) at which time alone may change the result; null: only an Observation can. */
  nextAt: number | null
  /**
   * First instant of such a change after the judgement. While silence is held back, `nextAt` may already have passed, and is judged again
   * only when silence counts again.
   */
  laterAt: number | null
}

/** Judges `rule`. Instants in ms. Throws if the field of an operand has no number; such a Resource cannot be judged. */
export function judgeDecision(
  { decision }: Pick<TemplateRule, 'decision'>,
  facts: DecisionFacts,
  moment: Moment,
): DecisionJudgement {
  const readings = readingsOf(decision, facts, moment)
  const result = resultOf(decision, readings.values())
  const isHeld = moment.silenceAt < moment.at
  const asOfNow = isHeld ? readingsOf(decision, facts, { at: moment.at, silenceAt: moment.at }) : readings
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
function readingsOf(decision: DecisionNode, { signals, heard, answers }: DecisionFacts, moment: Moment): ComparisonReading[] {
  return comparisonsOf(decision).map(comparison => {
    const signal = signals.find(one => one.key === comparison.signal)
    if (signal === undefined) throw new Error(`the Template declares no signal ${comparison.signal}`)
    return readComparison(comparison, signal, ownMember(heard, comparison.signal) ?? nothingHeard, answers, moment)
  })
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

/** Returns the result over the comparisons with a known signal; unknown if there are fewer than `min_known`. */
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
