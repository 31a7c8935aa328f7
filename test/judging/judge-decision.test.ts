// Template rules compared with section 4 of docs/reference/v3.md rule by rule, and with the naive evaluator over random decisions.
// DECISION_TREES=1000000 sets the number of generated decisions.
import t from 'tap'
import type { HeardObservation, HeardSignal } from '#shared/contracts/observations/heard-signal.ts'
import type { Comparison, DecisionNode, TemplateSignal } from '#shared/contracts/resources/template.ts'
import { baselineOf, hear, nothingHeard } from '#shared/judging/heard-signal.ts'
import { judgeDecision } from '#shared/judging/judge-decision.ts'
import { comparisonsOf } from '#shared/manifest/read-decision.ts'
import { Random } from '../simulation/random.ts'
import { historyOf, naiveBaseline, naiveTruth } from './naive-decision.ts'
import { randomAnswers, randomDecision, randomObservations, randomSignals } from './random-decision.ts'

const start = Date.UTC(2026, 9, 5, 12)
const minute = 60_000
const probe = (key: string, everySeconds: number | null = 60): TemplateSignal => ({
  key,
  kind: everySeconds === null ? 'event' : 'heartbeat',
  everySeconds,
  help: '',
})
const seen = (at: number, state: HeardObservation['state'], value: number | null = null, reason: string | null = null) => ({
  identity: `${at}`,
  atUs: at * 1_000,
  number: at,
  state,
  value,
  reason,
})
/** Returns what a rule reads of a signal. `observations`: oldest first. */
const heardOf = (...observations: HeardObservation[]): HeardSignal => ({ recent: observations.toReversed(), baselines: {} })

interface World {
  decision: DecisionNode
  heard: Record<string, HeardSignal>
  signals?: TemplateSignal[]
  at?: number
  silenceAt?: number
}

function judged({ decision, heard, signals, at = start, silenceAt = at }: World) {
  const declared = signals ?? [...new Set(comparisonsOf(decision).map(({ signal }) => signal))].map(key => probe(key))
  return judgeDecision({ decision }, { signals: declared, heard, answers: randomAnswers }, { at, silenceAt: bothTo(silenceAt) })
}

const bothTo = (at: number) => ({ checks: at, pushed: at })

const isProblem = (signal: string): Comparison => ({ signal, field: 'status', operator: 'eq', operand: 'problem' })
const valueIn = (signal: string, more: object = {}): Comparison => ({
  signal,
  field: 'value',
  operator: 'gt',
  operand: 2,
  ...more,
})

t.test('reading is the newest Observation by instant, then by arrival; a replacement counts as a new arrival (v3 4.1)', t => {
  const one = seen(start, 'ok')
  const late = { ...seen(start - 5, 'problem'), number: start + 1 }
  const twin = { ...seen(start, 'problem'), identity: 'twin', number: start + 2 }
  const again = { ...one, state: 'problem' as const, number: start + 3 }
  const states = (...arrived: HeardObservation[]) =>
    arrived.reduce((heard, observation) => hear(heard, observation, 3), nothingHeard).recent.map(({ identity }) => identity)
  t.strictSame(states(one, late), [one.identity, late.identity], 'late')
  t.strictSame(states(one, twin), ['twin', one.identity], 'same instant')
  t.strictSame(states(one, twin, again), [one.identity, 'twin'], 'repeated')
  t.strictSame(states(one, late, twin, seen(start + 1, 'ok')), [`${start + 1}`, 'twin', one.identity], 'bounded')
  t.end()
})

t.test('input is unknown if its signal never reported, is quiet, reported no_data or lacks the compared value (v3 4.2)', t => {
  const rows: [title: string, heard: HeardSignal, comparison: Comparison, text: string, unresolved: string][] = [
    ['never', nothingHeard, isProblem('a'), 'a unresolved (nothing has been reported here)', 'never reported'],
    [
      'quiet',
      heardOf(seen(start - 3 * minute - 1, 'problem', 9)),
      isProblem('a'),
      'a unresolved (nothing reported since 2026-10-05T11:56:59.999Z)',
      'silent since 2026-10-05T11:56:59.999Z',
    ],
    ['no_data', heardOf(seen(start, 'no_data')), isProblem('a'), 'a unresolved (no_data)', 'the sender reported no_data'],
    ['no value', heardOf(seen(start, 'ok')), valueIn('a'), 'a unresolved (no value)', 'no value'],
  ]
  for (const [title, heard, decision, explanation, unresolved] of rows) {
    const judgement = judged({ decision, heard: { a: heard } })
    t.match(judgement, { result: 'unknown', explanation, evidence: { inputs: [{ signal: 'a', unresolved }] } }, title)
  }
  t.end()
})

t.test('signal is quiet after more than three periods even if its window is longer, and an event is never quiet (v3 4.2)', t => {
  const heard = { a: heardOf(seen(start, 'problem', 9)) }
  t.match(judged({ decision: isProblem('a'), heard, at: start + 3 * minute }), { result: true, nextAt: start + 3 * minute + 1 })
  t.match(judged({ decision: isProblem('a'), heard, at: start + 3 * minute + 1 }), { result: 'unknown', nextAt: null })
  const counted = valueIn('a', { min_count: 1, within_seconds: 86_400 })
  t.equal(judged({ decision: counted, heard, at: start + 3 * minute + 1 }).result, 'unknown')
  const event = { decision: counted, heard, signals: [probe('a', null)] }
  t.match(judged({ ...event, at: start + 86_400_000 }), { result: true, nextAt: start + 86_400_001 })
  t.match(judged({ ...event, at: start + 86_400_001 }), { result: 'unknown', nextAt: null }, 'windows are inclusive')
  t.end()
})

t.test('comparison reads the value of an Observation that reports a problem (v3 4.3)', t => {
  t.equal(judged({ decision: valueIn('a'), heard: { a: heardOf(seen(start, 'problem', 3)) } }).result, true)
  t.end()
})

t.test('counted comparison is unknown unless all of the newest N Observations satisfy it or all fail it (v3 4.4)', t => {
  const rows: [values: (number | null | 'no_data')[], result: boolean | 'unknown', matching: number][] = [
    [[3, 3, 3], true, 3],
    [[0, 3, 3, 3], true, 3],
    [[1, 1, 1], false, 0],
    [[3, 1, 3], 'unknown', 2],
    [[3, 3], 'unknown', 2],
    [[3, null, 3], 'unknown', 2],
    [[3, 'no_data', 3], 'unknown', 2],
  ]
  for (const [values, result, matching] of rows) {
    const reports = values.map((value, i) => (value === 'no_data' ? seen(start + i, 'no_data') : seen(start + i, 'ok', value)))
    const decision = valueIn('a', { min_count: 3, within_seconds: 900 })
    const judgement = judged({ decision, heard: { a: heardOf(...reports) }, at: start + 10 })
    const counted = { matching, required: 3, within_seconds: 900 }
    t.match(judgement, { result, evidence: { inputs: [{ counted }] } }, JSON.stringify(values))
    if (values.at(-1) === 3) t.equal(judgement.explanation, `a 3 (${matching} of 3 in 900 s)`)
  }
  t.end()
})

t.test('baseline compares the newest value with a multiple of the median of the earlier values (v3 4.5)', t => {
  const decision: Comparison = {
    signal: 'load',
    field: 'value',
    operator: 'lt',
    operand: 0.5,
    baseline: { days: 7, min_samples: 4 },
  }
  const rows: [value: number, before: number[], result: boolean | 'unknown', explanation: string][] = [
    [40, [90, 100, 100, 110], true, 'load 40 (7d median 100 of 4 readings)'],
    [50, [90, 100, 100, 110], false, 'load 50 (7d median 100 of 4 readings)'],
    [40, [90, 100, 110], 'unknown', 'load 40 (7d median 100 of 3 readings)'],
    [40, [], 'unknown', 'load 40 (7d median none of 0 readings)'],
    [40, [0, 0, 0, 0], 'unknown', 'load 40 (7d median 0 of 4 readings)'],
    [40, [80, 100, 110, 130], true, 'load 40 (7d median 105 of 4 readings)'],
  ]
  for (const [value, before, result, explanation] of rows) {
    const heard = { load: { recent: [seen(start, 'ok', value)], baselines: { 7: baselineOf(Float64Array.from(before)) } } }
    t.match(judged({ decision, heard }), { result, explanation }, explanation)
  }
  t.end()
})

t.test('unknown input leaves a decision unknown unless the other inputs decide it (Kleene) (v3 4.7)', t => {
  const heard = { p: heardOf(seen(start, 'problem')), o: heardOf(seen(start, 'ok')) }
  const [P, O, U] = [isProblem('p'), isProblem('o'), isProblem('u')]
  const rows: [decision: DecisionNode, result: boolean | 'unknown'][] = [
    [{ all: [P, P] }, true],
    [{ all: [P, U] }, 'unknown'],
    [{ all: [O, U] }, false],
    [{ any: [P, U] }, true],
    [{ any: [O, U] }, 'unknown'],
    [{ any: [O, O] }, false],
    [{ not: U }, 'unknown'],
    [{ not: O }, true],
    [{ all_known: [P, U], min_known: 1 }, true],
    [{ all_known: [P, O, U], min_known: 2 }, false],
    [{ all_known: [P, U], min_known: 2 }, 'unknown'],
    [{ any_known: [O, U], min_known: 1 }, false],
    [{ any_known: [P, O], min_known: 2 }, true],
    [{ not: { signal: 'u', field: 'known' } }, true],
    [{ signal: 'p', field: 'known' }, true],
  ]
  for (const [decision, result] of rows) t.equal(judged({ decision, heard }).result, result, JSON.stringify(decision))
  t.end()
})

t.test('explanation lists five inputs in the order of the decision and counts the others (v3 4.9)', t => {
  const decision = {
    all: [isProblem('a'), valueIn('b'), { signal: 'c', field: 'known' }, isProblem('d'), isProblem('e'), isProblem('f')],
  }
  const heard = { a: heardOf(seen(start, 'problem')), b: heardOf(seen(start, 'ok', 0.1)), c: heardOf(seen(start, 'ok')) }
  t.equal(
    judged({ decision: decision as DecisionNode, heard }).explanation,
    'a problem, b 0.1, c known, d unresolved (nothing has been reported here), e unresolved (nothing has been reported here) and 1 more',
  )
  t.equal(judged({ decision: { signal: 'x', field: 'known' }, heard }).explanation, 'x not known')
  t.end()
})

t.test('evidence has one input for each comparison and shows the basis of the comparison (v3 4.10)', t => {
  const heard = { a: { recent: [seen(start, 'problem', 40, 'disk full')], baselines: { 7: { samples: 3, median: 100 } } } }
  const baseline: Comparison = {
    signal: 'a',
    field: 'value',
    operator: 'lt',
    operand: 0.5,
    baseline: { days: 7, min_samples: 12 },
  }
  const { evidence } = judged({ decision: { any: [isProblem('a'), baseline, isProblem('b')] }, heard })
  const reading = { signal: 'a', status: 'problem', value: 40, atUs: start * 1_000, reason: 'disk full' }
  t.strictSame(evidence, {
    inputs: [
      reading,
      { ...reading, baseline: { days: 7, required: 12, samples: 3, median: 100 } },
      { signal: 'b', unresolved: 'never reported' },
    ],
    omitted: 0,
    truncated: false,
  })
  t.end()
})

t.test('no signal is quiet while silence is held back, and a result that silence would change is provisional (v3 4.11)', t => {
  const gone = { not: { signal: 'a', field: 'known' } } as DecisionNode
  const heard = { a: heardOf(seen(start, 'problem')) }
  const at = start + 10 * minute
  t.match(judged({ decision: gone, heard, at }), { result: true, isProvisional: false }, 'silence counts')
  t.match(judged({ decision: gone, heard, at, silenceAt: start + minute }), { result: false, isProvisional: true }, 'held back')
  t.match(judged({ decision: isProblem('a'), heard, at, silenceAt: start + minute }), { result: true, isProvisional: true })
  const fresh = { a: heardOf(seen(at, 'problem')) }
  t.match(
    judged({ decision: isProblem('a'), heard: fresh, at, silenceAt: start }),
    { result: true, isProvisional: false },
    'heard of again',
  )
  t.end()
})

t.test(
  'result of a random decision agrees with the naive evaluator, and stays the same until the deadline that the judgement names',
  t => {
    const trees = Number(process.env['DECISION_TREES'] ?? 10_000)
    const said = { true: 0, false: 0, unknown: 0, provisional: 0 }
    for (let seed = 1; seed <= trees; seed++) {
      const random = new Random(seed, 'decision')
      const decision = randomDecision(random)
      const spanMs = random.pick([10 * minute, 120 * minute, 3 * 1_440 * minute])
      const observations = randomObservations(random, start, spanMs, random.integer(0, 14))
      const naive = { signals: randomSignals, observations, answers: randomAnswers }
      const heard: Record<string, HeardSignal> = {}
      for (const observation of observations) {
        const arrived = hear(heard[observation.signal] ?? nothingHeard, { ...observation, reason: null }, 4)
        heard[observation.signal] = arrived
      }
      for (const [signal, { recent }] of Object.entries(heard)) {
        const history = historyOf(signal, naive)
        heard[signal] = { recent, baselines: { 1: naiveBaseline(history, 1), 2: naiveBaseline(history, 2) } }
      }
      const heardAt = observations.length === 0 ? start : Math.floor(random.pick(observations).atUs / 1_000)
      const at = heardAt + random.integer(0, random.pick([minute, 10 * minute, 180 * minute]))
      const silenceAt = random.chance(0.5) ? at - random.integer(0, 30 * minute) : at
      const judgement = judgeDecision(
        { decision },
        { signals: randomSignals, heard, answers: randomAnswers },
        { at, silenceAt: bothTo(silenceAt) },
      )
      const wanted = naiveTruth(decision, naive, at, silenceAt)
      const isProvisional = wanted !== naiveTruth(decision, naive, at, at)
      said[wanted]++
      if (isProvisional) said.provisional++
      const until = Math.min(judgement.nextAt ?? at + 90_000_000, at + 90_000_000)
      const later = silenceAt < at || until <= at ? at : random.integer(at, until - 1)
      const isSame = later === at || naiveTruth(decision, naive, later, later) === wanted
      if (String(judgement.result) === wanted && judgement.isProvisional === isProvisional && isSame) continue
      t.fail(
        `seed ${seed}: ${judgement.result} for ${wanted}, provisional ${judgement.isProvisional} for ${isProvisional}, stays ${isSame}`,
      )
      t.comment(JSON.stringify({ decision, observations, at, silenceAt }))
      break
    }
    t.ok(Math.min(...Object.values(said)) > trees / 500, `every result is among them: ${JSON.stringify(said)}`)
    t.end()
  },
)

t.test('unknown result is a verdict of a rule with no data, unless only signals that may still report decide it (v3 4.16)', t => {
  const is = (signal: string): Comparison => isProblem(signal)
  const unreported = (
    addedAt: number,
    decision: DecisionNode,
    heard: Record<string, HeardSignal> = {},
    kinds: TemplateSignal[] = [],
  ) => {
    const signals = [probe('a'), probe('b'), probe('e', null), ...kinds]
    const facts = { signals, heard, answers: {}, addedAt: { a: addedAt, b: addedAt, e: addedAt } }
    const { result, nextAt } = judgeDecision({ decision, unknown: 'no_data' }, facts, { at: start, silenceAt: bothTo(start) })
    return [result, nextAt === null ? null : nextAt - start]
  }
  const ok = { b: heardOf(seen(start, 'ok')) }
  const silent = { b: heardOf(seen(start - 4 * minute, 'ok')) }
  const nothing = { b: heardOf(seen(start, 'no_data')) }
  const rows: [title: string, added: number, DecisionNode, heard: Record<string, HeardSignal>, wanted: unknown[]][] = [
    ['new', start, is('a'), {}, ['young', 3 * minute + 1]],
    ['after three periods', start - 3 * minute, is('a'), {}, ['young', 1]],
    ['later', start - 3 * minute - 1, is('a'), {}, ['unknown', null]],
    ['an event', start - 1_000 * minute, is('e'), {}, ['young', null]],
    ['beside one that says no data', start, { any: [is('a'), is('b')] }, nothing, ['unknown', 3 * minute + 1]],
    ['beside one that is silent', start, { any: [is('a'), is('b')] }, silent, ['unknown', 3 * minute + 1]],
    ['beside one that decides with it', start, { all: [is('a'), is('b')] }, nothing, ['young', 3 * minute + 1]],
    ['beside one that is ok', start, { any: [is('a'), is('b')] }, ok, ['young', 3 * minute + 1]],
    ['among known ones', start, { any_known: [is('a'), is('b')], min_known: 2 }, ok, ['young', 3 * minute + 1]],
    ['decided', start, { all: [is('a'), is('b')] }, ok, [false, 3 * minute + 1]],
  ]
  for (const [title, added, decision, heard, wanted] of rows) t.strictSame(unreported(added, decision, heard), wanted, title)
  t.end()
})

t.test('no data is provisional if it rests on silence before a hold, or would be another with all silence (v3 4.16)', t => {
  const facts = (ago: number) => ({
    ...{ signals: [probe('a')], heard: { a: heardOf(seen(start - ago, 'ok')) }, answers: {} },
  })
  const provisional = (ago: number, to: number) => {
    const judgement = judgeDecision({ decision: isProblem('a'), unknown: 'no_data' }, facts(ago), {
      at: start,
      silenceAt: bothTo(to),
    })
    return [judgement.result, judgement.isProvisional]
  }
  t.strictSame(provisional(4 * minute, start), ['unknown', false])
  t.strictSame(provisional(4 * minute, start - 2 * minute), [false, true])
  t.strictSame(provisional(8 * minute, start - 2 * minute), ['unknown', true])
  t.strictSame(provisional(minute, start - 2 * minute), [false, false])
  t.end()
})
