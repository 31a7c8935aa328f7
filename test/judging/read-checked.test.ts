// Comparisons of checked signals: the words and the evidence, and every combination of up to five locations compared with the naive
// evaluator. Reference: docs/reference/v3.md, 4.15.
import t from 'tap'
import type { Comparison, DecisionNode, TemplateSignal } from '#shared/contracts/resources/template.ts'
import { agreements, type CheckedSignal } from '#shared/contracts/subjects/checked-signal.ts'
import type { Reading } from '#shared/contracts/subjects/subject.ts'
import { judgeDecision } from '#shared/judging/judge-decision.ts'
import { readChecked } from '#shared/judging/read-checked.ts'
import { Random } from '../simulation/random.ts'
import { naiveChecked } from './naive-checked.ts'

const now = Date.UTC(2026, 9, 5, 12)
const minute = 60_000
const all = ['aaaa', 'bbbb', 'cccc', 'dddd', 'eeee']
const checkedAt = (n: number, more: Partial<CheckedSignal> = {}): CheckedSignal => ({
  ...{ signal: 'page', type: 'tcp', suffix: '', everySeconds: 60, graceMs: minute },
  ...{ locations: all.slice(0, n), agreement: 'any', shown: { method: 'TCP', target: 'shop.example:443', url: '', host: null } },
  ...more,
})
const reported = (at: number, ok: boolean, totalMs: number | null = 100): Reading => ({
  ...{ addedAt: now - 60 * minute, slotAt: at, at, ok },
  ...{ error: ok ? null : 'status 503, expected 200', statusCode: null, totalMs },
})
const never = (addedAt: number, more: Partial<Reading> = {}): Reading => ({
  ...reported(addedAt, false, null),
  addedAt,
  slotAt: null,
  at: null,
  ...more,
})
const isProblem: Comparison = { signal: 'page', field: 'status', operator: 'eq', operand: 'problem' }
const isSlow: Comparison = { signal: 'page', field: 'value', operator: 'gt', operand: 500 }
const isKnown: Comparison = { signal: 'page', field: 'known' }

/** Each state that a location can be in. */
const states: Readonly<Record<string, () => Reading>> = {
  ok: () => reported(now, true),
  problem: () => reported(now, false, 900),
  silent: () => reported(now - 3 * minute - 1, true),
  young: () => never(now),
  cannot: () => never(now - 10 * minute, { cannot: 'no name server' }),
}

function* combinations(n: number): Generator<string[]> {
  if (n === 0) yield []
  else for (const rest of combinations(n - 1)) for (const state of Object.keys(states)) yield [...rest, state]
}

t.test('truth over 1 to 5 locations in 5 states each, with every agreement, is as the naive evaluator says (v3 4.15)', t => {
  let cases = 0
  for (let n = 1; n <= 5; n++) {
    for (const places of combinations(n)) {
      const readings = Object.fromEntries(places.map((state, i) => [all[i] as string, (states[state] as () => Reading)()]))
      for (const agreement of agreements) {
        const checked = checkedAt(n, { agreement })
        for (const comparison of [isProblem, isSlow, isKnown]) {
          const { truth } = readChecked(comparison, { checked, readings }, {}, { at: now, silenceAt: now })
          const wanted = naiveChecked({ comparison, checked, readings, silenceAt: now })
          if (truth !== wanted) t.equal(truth, wanted, `${places.join(' ')}: ${agreement} ${comparison.field}`)
          cases++
        }
      }
    }
  }
  t.equal(cases, 3 * 11_715)
  t.end()
})

t.test('random readings and comparisons agree with the naive evaluator, and change only at the instants named (v3 4.15)', t => {
  const random = new Random(7, 'checked')
  for (let i = 0; i < 20_000; i++) {
    const n = random.integer(1, 5)
    const checked = checkedAt(n, { agreement: random.pick(agreements), everySeconds: random.pick([10, 30, 60]) })
    const readings = Object.fromEntries(checked.locations.map(location => [location, randomReading(random)]))
    const comparison = randomComparison(random)
    const read = (at: number) => readChecked(comparison, { checked, readings }, {}, { at, silenceAt: at })
    const reading = read(now)
    const wanted = naiveChecked({ comparison, checked, readings, silenceAt: now })
    if (reading.truth !== wanted) t.equal(reading.truth, wanted, JSON.stringify({ comparison, checked, readings }))
    const last = (reading.changesAt ?? now + 60 * minute) - 1
    const stays = naiveChecked({ comparison, checked, readings, silenceAt: last })
    if (stays !== reading.truth)
      t.equal(stays, reading.truth, `until ${last - now}: ${JSON.stringify({ comparison, checked, readings })}`)
  }
  t.pass()
  t.end()
})

function randomReading(random: Random): Reading {
  if (random.chance(0.2)) return never(now - random.integer(0, 2 * minute), random.chance(0.3) ? { cannot: 'no ping' } : {})
  return reported(now - random.integer(0, 4 * minute), random.chance(0.5), random.chance(0.2) ? null : random.integer(1, 5))
}

function randomComparison(random: Random): Comparison {
  if (random.chance(0.2))
    return { ...isKnown, ...(random.chance(0.5) ? { within_seconds: random.integer(60, 200) } : {}) } as Comparison
  if (random.chance(0.4))
    return { ...isProblem, operator: random.pick(['eq', 'neq']), operand: random.pick(['ok', 'problem']) } as Comparison
  return {
    ...isSlow,
    operator: random.pick(['eq', 'neq', 'gt', 'gte', 'lt', 'lte']),
    operand: random.integer(1, 5),
  } as Comparison
}

const signal: TemplateSignal = {
  ...{ key: 'page', kind: 'check', everySeconds: 60, help: '' },
  ...{ check: { type: 'tcp' }, locations: { meta: 'places' }, agreement: 'any' },
}

function judged(decision: DecisionNode, readings: readonly Reading[], more: Partial<CheckedSignal> = {}) {
  const checked = checkedAt(readings.length, more)
  const bySource = Object.fromEntries(readings.map((reading, i) => [all[i] as string, reading]))
  const facts = { signals: [signal], heard: {}, checks: [checked], readings: bySource, answers: {} }
  return judgeDecision({ decision }, facts, { at: now, silenceAt: { checks: now, pushed: now } })
}

t.test('explanation says what each comparison found and at how many locations (v3 4.15)', t => {
  const ok = reported(now, true, 80)
  const bad = reported(now, false, 900)
  const worse = reported(now, false, 2_310)
  const silent = reported(now - 4 * minute, true)
  const cannot = never(now, { cannot: 'no ping' })
  const since = '2026-10-05T11:56:00Z'
  const below: Comparison = { ...isSlow, operator: 'lt', operand: 1_000 }
  const rows: [DecisionNode, Reading[], string, Partial<CheckedSignal>?][] = [
    [isProblem, [bad, worse, ok], 'page problem at 2 of 3 locations'],
    [isProblem, [ok, ok, ok], 'page ok at 3 of 3 locations'],
    [isProblem, [bad, ok, ok], 'page problem at 1 of 3 locations', { agreement: 'majority' }],
    [isSlow, [bad, worse, ok], 'page 2310 at 2 of 3 locations'],
    [isSlow, [ok, reported(now, true, 90), ok], 'page 90 at 3 of 3 locations'],
    [below, [bad, worse, ok], 'page 80 at 2 of 3 locations'],
    [isSlow, [silent, silent, ok], `page unresolved at 2 of 3 locations (nothing reported since ${since})`],
    [isSlow, [reported(now, false, null), ok], 'page unresolved at 1 of 2 locations (no value)'],
    [isKnown, [ok, ok, silent], 'page known'],
    [isKnown, [ok, silent, silent], 'page not known'],
    [isProblem, [bad], 'page problem'],
    [isSlow, [worse], 'page 2310'],
    [isProblem, [silent], `page unresolved (nothing reported since ${since})`],
    [isProblem, [never(now)], 'page unresolved (nothing has been reported here)'],
    [isProblem, [bad, ok, cannot], 'page problem at 1 of 2 locations (1 location cannot: no ping)'],
    [isProblem, [bad, cannot, cannot], 'page problem (2 locations cannot: no ping)'],
    [isProblem, [cannot, cannot], 'page cannot be checked (no ping)'],
  ]
  for (const [decision, readings, words, more] of rows) t.equal(judged(decision, readings, more).explanation, words)
  t.end()
})

t.test('evidence has one input for each comparison and location, and keeps the first of each comparison (v3 4.15)', t => {
  const { evidence } = judged({ any: [isProblem, isSlow] }, [
    reported(now, true, 80),
    reported(now, false, 900),
    never(now, { cannot: 'no ping' }),
  ])
  t.strictSame(evidence, {
    inputs: [
      { signal: 'page@aaaa', status: 'ok', value: 80, atUs: now * 1_000 },
      { signal: 'page@bbbb', status: 'problem', value: 900, atUs: now * 1_000, reason: 'status 503, expected 200' },
      { signal: 'page@cccc', unresolved: 'cannot: no ping' },
      { signal: 'page@aaaa', status: 'ok', value: 80, atUs: now * 1_000 },
      { signal: 'page@bbbb', status: 'problem', value: 900, atUs: now * 1_000, reason: 'status 503, expected 200' },
      { signal: 'page@cccc', unresolved: 'cannot: no ping' },
    ],
    omitted: 0,
    truncated: false,
  })
  const five = [reported(now, true), reported(now, false), reported(now, true), reported(now, true), reported(now, true)]
  const many = judged({ any: [isProblem, isSlow, isProblem, { not: isProblem }] }, five)
  t.equal(many.evidence.omitted, 4)
  const perComparison = [0, 1, 2, 3].map(i => many.evidence.inputs.slice(4 * i, 4 * i + 4).map(input => input.signal))
  t.strictSame(
    perComparison,
    Array.from({ length: 4 }, () => ['page@aaaa', 'page@bbbb', 'page@cccc', 'page@dddd']),
  )
  t.end()
})

t.test('checks and senders have their own held silence within one decision (v3 4.11)', t => {
  const heartbeat: TemplateSignal = { key: 'beat', kind: 'heartbeat', everySeconds: 60, help: '' }
  const beat = { identity: 'b', atUs: (now - 4 * minute) * 1_000, number: 1, state: 'ok' as const, value: null, reason: null }
  const decision: DecisionNode = { any: [{ not: isKnown }, { not: { signal: 'beat', field: 'known' } }] }
  const facts = {
    ...{ signals: [signal, heartbeat], heard: { beat: { recent: [beat], baselines: {} } }, answers: {} },
    ...{ checks: [checkedAt(1)], readings: { aaaa: reported(now - 4 * minute, true) } },
  }
  const result = (checks: number, pushed: number) => {
    const { result: truth, isProvisional } = judgeDecision({ decision }, facts, { at: now, silenceAt: { checks, pushed } })
    return [truth, isProvisional]
  }
  const held = now - 2 * minute
  t.strictSame(result(now, now), [true, false])
  t.strictSame(result(held, now), [true, false])
  t.strictSame(result(now, held), [true, false])
  t.strictSame(result(held, held), [false, true])
  t.end()
})
