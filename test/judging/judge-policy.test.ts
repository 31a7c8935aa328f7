// Authored rules over their inputs: spec B, Rule; D 1, Readings and verdicts. What an input is, what it selects, what is said of it.
import t from 'tap'
import type { Policy, PolicyInput } from '#shared/contracts/policy.ts'
import type { ObservedInput } from '#shared/contracts/subject.ts'
import { explainPolicy, type InputFacts, judgePolicy } from '#shared/judging/judge-policy.ts'
import { inputKeyOf, selects } from '#shared/judging/policy-input.ts'

const at = 1_700_000_000_000
const minute = 60_000
const unset: PolicyInput = {
  signal: 'beat',
  from: null,
  mode: 'status',
  compare: null,
  threshold: null,
  match: null,
  noDataAfterMs: null,
}
const policyOf = (...inputs: Partial<PolicyInput>[]): Policy => ({
  inputs: inputs.map(input => ({ ...unset, ...input })),
  need: 'any',
  atLeast: null,
  confirmAfterMs: 0,
  closeAfterMs: 0,
})
const heartbeat = (observed: Partial<ObservedInput>, silentAfterMs: number | null = 5 * minute): InputFacts => ({
  of: 'signal',
  observed: { addedAt: at - 60 * minute, observedAtUs: at * 1_000, ok: true, value: null, error: null, ...observed },
  silentAfterMs,
  graceMs: silentAfterMs ?? 0,
})
const judged = (input: Partial<PolicyInput>, facts: InputFacts, now = at) => judgePolicy(policyOf(input), [facts], now)

t.test('a number is compared strictly; the sender says why, else the comparison does', t => {
  const cases: [compare: '<' | '>', value: number | null, error: string | null, verdict: string, reason: string | null][] = [
    ['<', 5, null, 'ok', null],
    ['<', 4.5, null, 'problem', '4.5 < 5'],
    ['>', 5, 'hot', 'ok', null],
    ['>', 5.5, 'hot', 'problem', 'hot'],
    ['>', null, 'hot', 'no_data', 'the newest report has no number'],
  ]
  for (const [compare, value, error, verdict, reason] of cases) {
    const { verdict: said, evidence } = judged({ mode: 'latest_value', compare, threshold: 5 }, heartbeat({ value, error }))
    t.equal(said, verdict, `${value} ${compare} 5`)
    t.equal(evidence.inputs[0]?.reason, reason, `${value} ${compare} 5: why`)
  }
  t.end()
})

t.test('an input is silent after longer than its time, and says since when', t => {
  const facts = heartbeat({})
  t.match(judged({}, facts, at + 5 * minute), { verdict: 'ok', nextAt: at + 5 * minute + 1 })
  const silent = judged({}, facts, at + 5 * minute + 1)
  t.match(silent, { verdict: 'no_data', nextAt: null })
  t.strictSame(silent.evidence.inputs, [
    { input: 'beat', value: 'unknown', at, reason: 'nothing reported since 2023-11-14T22:13:20.000Z' },
  ])
  t.equal(judgePolicy(policyOf({}), [facts], at + 5 * minute).verdict, 'ok', 'while silence is held back')
  t.match(judged({}, heartbeat({}, null), at + 1_000 * minute), { verdict: 'ok', nextAt: null }, 'an event never is')
  t.match(judged({}, heartbeat({ observedAtUs: null }, null)), { verdict: 'ok', nextAt: null }, 'nor one that never reported')
  t.end()
})

t.test('one sentence names at most five inputs', t => {
  const inputs = (...words: ('ok' | 'problem' | 'unknown')[]) =>
    words.map((value, i) => ({ input: `i${i}`, value, at: null, reason: null }))
  const six = inputs(...Array.from({ length: 6 }, () => 'problem' as const))
  const cases: [string, Parameters<typeof explainPolicy>][] = [
    ['5 of 5 inputs failing (i0, i1, i2, i3, i4)', ['problem', six.slice(0, 5)]],
    ['6 of 6 inputs failing (i0, i1, i2, i3, i4 and 1 more)', ['problem', six]],
    ['2 of 3 inputs ok', ['ok', inputs('ok', 'ok', 'unknown')]],
    ['all 2 inputs ok', ['ok', inputs('ok', 'ok')]],
    ['the input is ok', ['ok', inputs('ok')]],
    ['the rule has no inputs, so nothing can be said', ['no_data', []]],
  ]
  for (const [sentence, [verdict, given]] of cases) t.equal(explainPolicy(verdict, given), sentence)
  t.end()
})

t.test('an input is the same while rule, signal or from, mode and match are equal, whatever the order of the match', t => {
  const key = (over: Partial<PolicyInput>, rule = 'r1') => inputKeyOf(rule, { ...unset, ...over })
  t.equal(key({ match: { a: '1', b: '2' } }), key({ match: { b: '2', a: '1' } }))
  t.equal(key({ noDataAfterMs: 1, compare: '<', threshold: 3 }), key({}))
  const all = [
    key({}),
    key({}, 'r2'),
    key({ signal: 'other' }),
    key({ mode: 'latest_value' }),
    key({ match: { a: '1' } }),
    key({ match: { a: '2' } }),
    key({ match: { a: '1' }, mode: 'latest_value' }),
    key({ signal: null, from: 'beat', mode: null }),
  ]
  t.equal(new Set(all).size, all.length)
  t.end()
})

t.test('a match is AND-ed; * is met by any value of a label that is there', t => {
  const labels = { zone: 'a', host: '' }
  t.equal(selects(null, labels), true)
  t.equal(selects({ zone: 'a', host: '*' }, labels), true, 'also by an empty one')
  t.equal(selects({ zone: 'a', host: 'x' }, labels), false)
  t.equal(selects({ disk: '*' }, labels), false)
  t.equal(selects({ toString: '*' }, labels), false, 'what every object has is no label')
  t.end()
})
