// Authored rules over their inputs: identity, selection, reading and explanation (reference/judging 3, 5 and 6).
import t from 'tap'
import type { Policy, PolicyInput } from '#shared/contracts/subjects/policy.ts'
import type { ObservedInput } from '#shared/contracts/subjects/subject.ts'
import type { EvidenceInput, Verdict } from '#shared/contracts/subjects/verdict.ts'
import { explainPolicy, type InputFacts, judgePolicy } from '#shared/judging/judge-policy.ts'
import { inJudgingOrder, inputKeyOf, selects } from '#shared/judging/policy-input.ts'
import { limits } from '#shared/limits/limits.ts'

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
  reports: 'pushed',
  observed: { addedAt: at - 60 * minute, observedAtUs: at * 1_000, ok: true, value: null, error: null, ...observed },
  silentAfterMs,
  graceMs: silentAfterMs ?? 0,
})
const upTo = (instant: number) => ({ checks: instant, pushed: instant })
const judged = (input: Partial<PolicyInput>, facts: InputFacts, now = at) => judgePolicy(policyOf(input), [facts], upTo(now))

t.test('number equal to its threshold is ok, and the reason of a problem is the sender’s text or else the comparison', t => {
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

t.test('input is silent after more than its permitted time, and its evidence shows the start of the silence', t => {
  const facts = heartbeat({})
  t.match(judged({}, facts, at + 5 * minute), { verdict: 'ok', nextAt: at + 5 * minute + 1 })
  const silent = judged({}, facts, at + 5 * minute + 1)
  t.match(silent, { verdict: 'no_data', nextAt: null })
  t.strictSame(silent.evidence.inputs, [
    { input: 'beat', value: 'unknown', at, reason: 'nothing reported since 2023-11-14T22:13:20.000Z' },
  ])
  const later = at + 6 * minute
  const heldOf = (reports: 'checks' | 'pushed') => ({ ...upTo(later), [reports]: at + 5 * minute })
  t.equal(judgePolicy(policyOf({}), [facts], heldOf('pushed')).verdict, 'ok', 'while its silence is held back')
  t.equal(judgePolicy(policyOf({}), [facts], heldOf('checks')).verdict, 'no_data', 'while that of checks is')
  t.match(judged({}, heartbeat({}, null), at + 1_000 * minute), { verdict: 'ok', nextAt: null }, 'an event never is')
  t.match(judged({}, heartbeat({ observedAtUs: null }, null)), { verdict: 'ok', nextAt: null }, 'nor one that never reported')
  t.end()
})

t.test('input that never reported is not judged during its grace period, then silent', t => {
  const facts = heartbeat({ addedAt: at, observedAtUs: null })
  const young = judged({}, facts, at + 5 * minute)
  t.match(young, { verdict: 'not_judged', nextAt: at + 5 * minute + 1 })
  t.equal(young.explanation, 'waiting for the first report of 1 of 1 input (beat)')
  const silent = judged({}, facts, at + 5 * minute + 1)
  t.match(silent, { verdict: 'no_data', nextAt: null })
  t.equal(silent.explanation, 'nothing usable from 1 of 1 input (beat)')
  for (const { evidence } of [young, silent]) {
    t.strictSame(evidence.inputs, [{ input: 'beat', value: 'unknown', at: null, reason: 'never reported' }])
  }
  t.end()
})

t.test('report’s instant is rounded down to a millisecond for evidence and silence', t => {
  const facts = heartbeat({ observedAtUs: at * 1_000 + 999 })
  t.match(judged({}, facts), { verdict: 'ok', nextAt: at + 5 * minute + 1, evidence: { inputs: [{ at }] } })
  t.equal(judged({}, facts, at + 5 * minute + 1).verdict, 'no_data')
  t.end()
})

t.test('reason of a problem is the error text that the sender reported', t => {
  const { evidence } = judged({}, heartbeat({ ok: false, error: 'disk full' }))
  t.strictSame(evidence.inputs, [{ input: 'beat', value: 'problem', at, reason: 'disk full' }])
  t.end()
})

t.test('input from a rule reads the verdict of that rule, and its reason names the rule', t => {
  const cases: [read: Verdict | null, verdict: Verdict, value: EvidenceInput['value'], reason: string | null][] = [
    ['problem', 'problem', 'problem', 'the rule reports a problem'],
    ['ok', 'ok', 'ok', null],
    ['no_data', 'no_data', 'unknown', 'the rule has no data'],
    ['not_judged', 'not_judged', 'unknown', 'the rule is not judged yet'],
    [null, 'not_judged', 'unknown', 'the rule is not judged yet'],
  ]
  for (const [read, verdict, value, reason] of cases) {
    const judgement = judged({ signal: null, from: 'first', mode: null }, { of: 'rule', verdict: read })
    t.match(judgement, { verdict, nextAt: null }, `${read}`)
    t.strictSame(judgement.evidence.inputs, [{ input: 'rule first', value, at: null, reason }], `${read}: why`)
  }
  t.end()
})

t.test('evidence is bounded and counts the omitted inputs, and the explanation counts all inputs', t => {
  const n = limits.judging.evidenceInputs + 1
  const inputs = Array.from({ length: n }, (_, i) => ({ signal: `s${i}` }))
  const facts = inputs.map(() => heartbeat({ ok: false }))
  const { evidence, explanation } = judgePolicy(policyOf(...inputs), facts, upTo(at))
  t.match(evidence, { omitted: 1, truncated: true })
  t.equal(evidence.inputs.length, n - 1)
  t.match(explanation, `${n} of ${n} inputs failing`)
  t.match(judgePolicy(policyOf(...inputs.slice(1)), facts.slice(1), upTo(at)).evidence, { omitted: 0, truncated: false })
  t.end()
})

t.test('explanation names at most five inputs', t => {
  const inputs = (...words: ('ok' | 'problem' | 'unknown')[]) =>
    words.map((value, i) => ({ input: `i${i}`, value, at: null, reason: null }))
  const six = inputs(...Array.from({ length: 6 }, () => 'problem' as const))
  const cases: [string, Parameters<typeof explainPolicy>][] = [
    ['5 of 5 inputs failing (i0, i1, i2, i3, i4)', ['problem', six.slice(0, 5)]],
    ['6 of 6 inputs failing (i0, i1, i2, i3, i4 and 1 more)', ['problem', six]],
    ['1 of 1 input failing (i0)', ['problem', inputs('problem')]],
    ['1 of 3 inputs failing (i0)', ['ok', inputs('problem', 'ok', 'unknown')]],
    ['nothing usable from 1 of 2 inputs (i1)', ['no_data', inputs('problem', 'unknown')]],
    ['waiting for the first report of 1 of 2 inputs (i1)', ['not_judged', inputs('ok', 'unknown')]],
    ['2 of 3 inputs ok', ['ok', inputs('ok', 'ok', 'unknown')]],
    ['all 2 inputs ok', ['ok', inputs('ok', 'ok')]],
    ['the input is ok', ['ok', inputs('ok')]],
    ['the rule has no inputs, so nothing can be said', ['no_data', []]],
  ]
  for (const [sentence, [verdict, given]] of cases) t.equal(explainPolicy(verdict, given), sentence)
  t.end()
})

t.test('inputs are the same if rule, `signal` or `from`, `mode` and `match` are equal, whatever the order of labels', t => {
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
    key({ signal: null, from: 'other', mode: null }),
  ]
  t.equal(new Set(all).size, all.length)
  t.end()
})

t.test('match requires every label, and * accepts any value of a present label', t => {
  const labels = { zone: 'a', host: '' }
  t.equal(selects(null, labels), true)
  t.equal(selects({ zone: 'a', host: '*' }, labels), true, 'also by an empty one')
  t.equal(selects({ zone: 'a', host: 'x' }, labels), false)
  t.equal(selects({ disk: '*' }, labels), false)
  t.equal(selects({ toString: '*' }, labels), false, 'what every object has is no label')
  t.end()
})

t.test('rules are ordered after the rules that they cite, removed rules are ignored, and rules in a circle have no order', t => {
  const rule = (slug: string, ...cited: string[]) => ({
    slug,
    policy: {
      language: 'inputs' as const,
      document: policyOf(...(cited.length === 0 ? [{}] : cited.map(from => ({ signal: null, from, mode: null })))),
    },
  })
  const order = (...rules: ReturnType<typeof rule>[]) => inJudgingOrder(rules)?.map(({ slug }) => slug) ?? null
  t.strictSame(order(rule('b'), rule('a')), ['b', 'a'], 'their own order, where nobody cites')
  t.strictSame(order(rule('sum', 'a', 'b'), rule('b', 'a'), rule('a')), ['a', 'b', 'sum'])
  t.strictSame(order(rule('a', 'a')), null)
  t.strictSame(order(rule('a', 'b'), rule('b', 'c'), rule('c', 'a'), rule('d')), null)
  t.strictSame(order(rule('a', 'gone', 'b'), rule('b')), ['b', 'a'])
  t.end()
})
