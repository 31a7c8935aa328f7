// The three-valued decision and the Reachability rule, compared with reference/judging 1 and 2 line by line.
import t from 'tap'
import type { Reading } from '#shared/contracts/subjects/subject.ts'
import type { ReadingValue, Verdict } from '#shared/contracts/subjects/verdict.ts'
import { decide, type Need, neededOf } from '#shared/judging/decide.ts'
import { judgeReachability } from '#shared/judging/judge-reachability.ts'
import { websiteCheck } from '../support/checks.ts'

const P = { value: true as ReadingValue, young: false }
const O = { value: false as ReadingValue, young: false }
const U = { value: 'unknown' as ReadingValue, young: false }
const Y = { value: 'unknown' as ReadingValue, young: true }
const any: Need = { kind: 'any' }
const majority: Need = { kind: 'majority' }
const all: Need = { kind: 'all' }

interface Row {
  title: string
  inputs: { value: ReadingValue; young: boolean }[]
  need: Need
  website?: boolean
  verdict: Verdict
}

const rows: Row[] = [
  { title: 'no inputs at all is no data', inputs: [], need: majority, verdict: 'no_data' },
  { title: 'majority of 2, one ok one unknown: no data', inputs: [O, U], need: majority, verdict: 'no_data' },
  { title: 'majority of 3, two ok one unknown: ok', inputs: [O, O, U], need: majority, verdict: 'ok' },
  { title: 'all of 3, one problem one ok one unknown: ok', inputs: [P, O, U], need: all, verdict: 'ok' },
  { title: 'any of 3, two ok one unknown: no data', inputs: [O, O, U], need: any, verdict: 'no_data' },
  {
    title: 'custom, all of 3, one ok two unknown: ok, it is settled',
    inputs: [O, U, U],
    need: all,
    website: false,
    verdict: 'ok',
  },
  { title: 'website, all of 3, one ok two unknown: half-silent, no data', inputs: [O, U, U], need: all, verdict: 'no_data' },
  { title: 'enough problems win over any number of unknowns', inputs: [P, U, U], need: any, verdict: 'problem' },
  { title: 'majority of 3 needs 2: one problem is ok', inputs: [P, O, O], need: majority, verdict: 'ok' },
  { title: 'majority of 3 needs 2: two problems', inputs: [P, P, O], need: majority, verdict: 'problem' },
  { title: 'majority of 4 needs 3: two problems two ok', inputs: [P, P, O, O], need: majority, verdict: 'ok' },
  { title: 'majority of 4: two problems one unknown could tip it', inputs: [P, P, O, U], need: majority, verdict: 'no_data' },
  { title: 'half of 4 silent is no data for a website', inputs: [O, O, U, U], need: all, verdict: 'no_data' },
  {
    title: 'half of 4 silent is settled for a custom rule of all',
    inputs: [O, O, U, U],
    need: all,
    website: false,
    verdict: 'ok',
  },
  {
    title: 'at least 2 of 3 with two problems',
    inputs: [P, P, O],
    need: { kind: 'at_least', count: 2 },
    website: false,
    verdict: 'problem',
  },
  { title: 'one input, unknown', inputs: [U], need: any, verdict: 'no_data' },
  { title: 'a young input alone is not judged yet', inputs: [Y], need: any, verdict: 'not_judged' },
  { title: 'a young input beside a problem that suffices is a problem', inputs: [P, Y], need: any, verdict: 'problem' },
  { title: 'a young input does not excuse an old unknown that could tip it', inputs: [U, Y, O], need: any, verdict: 'no_data' },
  { title: 'young read as false gives ok: not judged yet', inputs: [O, Y], need: majority, verdict: 'not_judged' },
  { title: 'young read as false leaves half silent: no data', inputs: [Y, U], need: all, verdict: 'no_data' },
]

t.test('decide takes the first step of reference/judging 1.4 that fits', t => {
  for (const row of rows) {
    t.equal(decide(row.inputs, row.need, { halfSilentIsNoData: row.website ?? true }), row.verdict, row.title)
  }
  t.end()
})

t.test('decision over every combination of up to four inputs agrees with a simple count', t => {
  const values = [P, O, U]
  let seen = 0
  for (const need of [any, majority, all]) {
    for (let n = 1; n <= 4; n++) {
      for (let code = 0; code < 3 ** n; code++) {
        const inputs = Array.from({ length: n }, (_, i) => values[Math.floor(code / 3 ** i) % 3] as typeof P)
        const problems = inputs.filter(input => input === P).length
        const silent = inputs.filter(input => input === U).length
        const k = neededOf(need, n)
        const expected = problems >= k ? 'problem' : silent * 2 >= n ? 'no_data' : problems + silent >= k ? 'no_data' : 'ok'
        if (decide(inputs, need, { halfSilentIsNoData: true }) !== expected) t.fail(`${JSON.stringify(inputs)} ${need.kind}`)
        seen++
      }
    }
  }
  t.equal(seen, 3 * (3 + 9 + 27 + 81))
  t.end()
})

const at = 1_700_000_000_000
const minute = 60_000
const check = websiteCheck({ locations: ['aaaa', 'bbbb', 'cccc'] })
const never = (addedAt: number): Reading => ({
  addedAt,
  slotAt: null,
  at: null,
  ok: false,
  error: null,
  statusCode: null,
  totalMs: null,
})
const reported = (ok: boolean, when: number): Reading => ({
  addedAt: at - 60 * minute,
  slotAt: when,
  at: when,
  ok,
  error: ok ? null : 'status 503, expected 200',
  statusCode: ok ? 200 : 503,
  totalMs: 4,
})

t.test('location is silent after more than three intervals', t => {
  const readings = { aaaa: reported(true, at), bbbb: reported(true, at), cccc: reported(true, at) }
  const edge = at + 3 * minute
  t.equal(judgeReachability(check, readings, edge, edge).verdict, 'ok', 'at exactly three intervals it still speaks')
  t.equal(judgeReachability(check, readings, edge, edge).nextAt, edge + 1, 'the next instant is the one after')
  t.equal(judgeReachability(check, readings, edge + 1, edge + 1).verdict, 'no_data', 'a millisecond later all are silent')
  t.equal(
    judgeReachability(check, readings, edge + 1, edge).verdict,
    'ok',
    'while buffered reports may arrive nobody newly falls silent',
  )
  t.end()
})

t.test('location that never reported is not judged for 60 s after its addition', t => {
  const readings = { aaaa: reported(true, at), bbbb: reported(true, at), cccc: never(at) }
  const one = { ...check, failure_mode: 'at_least_one' as const }
  t.equal(
    judgeReachability(one, readings, at + minute, at + minute).verdict,
    'not_judged',
    'inclusive: at 60 s it is still young',
  )
  t.equal(judgeReachability(one, readings, at + minute, at + minute).nextAt, at + minute + 1)
  t.equal(judgeReachability(one, readings, at + minute + 1, at + minute + 1).verdict, 'no_data', 'then it counts as unknown')
  t.match(judgeReachability(check, {}, at, at), { verdict: 'not_judged', nextAt: at + minute + 1 }, 'so is one of no entry')
  t.end()
})

t.test('location whose prober could never make the check is left out, and said', t => {
  const cannot = 'this prober may not'
  const unable = { ...never(at - 60 * minute), cannot }
  const one = { ...check, failure_mode: 'all' as const }
  const cases: [string, Record<string, Reading>, string, string][] = [
    ['none of them', { aaaa: unable, bbbb: unable, cccc: unable }, 'not_judged', `cannot be checked (${cannot})`],
    [
      'one of three, the others fail',
      { aaaa: unable, bbbb: reported(false, at), cccc: reported(false, at) },
      'problem',
      `2 of 2 locations failing (1 location cannot: ${cannot})`,
    ],
    [
      'two of three, the other passes',
      { aaaa: unable, bbbb: unable, cccc: reported(true, at) },
      'ok',
      `the location reports ok (2 locations cannot: ${cannot})`,
    ],
    [
      'one that could before goes on with its last report',
      { aaaa: { ...reported(false, at), cannot }, bbbb: reported(false, at), cccc: reported(false, at) },
      'problem',
      '3 of 3 locations failing',
    ],
  ]
  for (const [title, readings, verdict, explanation] of cases) {
    t.match(judgeReachability(one, readings, at, at), { verdict, explanation }, title)
  }
  t.end()
})

t.test('location with an interval in seconds is silent after a minute at the earliest', t => {
  const { interval_value: _, interval_unit: __, ...rest } = check
  const often = { ...rest, interval_seconds: 10, locations: ['aaaa'] }
  const readings = { aaaa: reported(true, at) }
  t.equal(judgeReachability(often, readings, at + minute, at + minute).verdict, 'ok')
  t.equal(judgeReachability(often, readings, at + minute + 1, at + minute + 1).verdict, 'no_data')
  t.end()
})

t.test('explanation is one sentence, and the evidence names every location', t => {
  const readings = { aaaa: reported(false, at), bbbb: reported(false, at), cccc: reported(true, at) }
  const judgement = judgeReachability(check, readings, at, at)
  t.equal(judgement.verdict, 'problem')
  t.equal(judgement.explanation, '2 of 3 locations failing')
  t.strictSame(judgement.evidence.inputs, [
    { input: 'aaaa', value: 'problem', at, reason: 'status 503, expected 200' },
    { input: 'bbbb', value: 'problem', at, reason: 'status 503, expected 200' },
    { input: 'cccc', value: 'ok', at, reason: null },
  ])
  const settled = { ...readings, bbbb: never(at - 60 * minute) }
  t.equal(judgeReachability({ ...check, failure_mode: 'all' }, settled, at, at).explanation, '1 of 3 locations failing')
  const silent = judgeReachability({ ...check, locations: ['aaaa', 'bbbb'] }, readings, at + 4 * minute, at + 4 * minute)
  t.strictSame(
    silent.evidence.inputs.map(({ value, at, reason }) => ({ value, at, reason })),
    Array.from({ length: 2 }, () => ({ value: 'unknown', at, reason: 'nothing reported since 2023-11-14T22:13:20.000Z' })),
    'what is silent says since when',
  )
  const sentences: [string[], Record<string, Reading>, string][] = [
    [[], {}, 'no locations assigned, so nothing checks it'],
    [['aaaa'], { aaaa: reported(true, at) }, 'the location reports ok'],
    [['aaaa', 'bbbb'], { aaaa: reported(true, at), bbbb: reported(true, at) }, 'all 2 locations ok'],
    [['aaaa', 'bbbb'], { aaaa: reported(true, at - 60 * minute), bbbb: reported(true, at) }, 'no reports from 1 of 2 locations'],
    [['aaaa'], { aaaa: never(at) }, 'waiting for the first report of 1 of 1 location'],
    [check.locations, { ...readings, aaaa: reported(true, at - 60 * minute), bbbb: reported(true, at) }, '2 of 3 locations ok'],
    [
      check.locations,
      { ...readings, aaaa: reported(true, at - 60 * minute), bbbb: reported(false, at) },
      'no reports from 1 of 3 locations',
    ],
  ]
  for (const [locations, given, sentence] of sentences) {
    t.equal(judgeReachability({ ...check, locations }, given, at, at).explanation, sentence)
  }
  t.end()
})
