// Judgements of the kinds of checks, each compared with a plain computation of the same rule.
import fc from 'fast-check'
import t from 'tap'
import { slowness } from '#shared/checks/slowness.ts'
import { answerBytes, judgeAnswer } from '#shared/checks/tcp/judge.ts'
import { type Dates, daysLeft, judgeDates } from '#shared/checks/tls/judge.ts'
import { day, hour, minute } from '#shared/limits/limits.ts'
import { humanDuration } from '#shared/time/durations.ts'

const now = Date.parse('2026-11-28T12:00:00Z')

const inDays = (ms: number): string => {
  const whole = Math.trunc(ms / day)
  if (whole === 0) return humanDuration(ms)
  return whole === 1 ? '1 day' : `${whole} days`
}

/** The rule about the end of a certificate, read word by word: fewer days than asked for, and less than a quarter of its lifetime. */
function plainEnd({ validFrom, validTo }: Dates, days: number): string | null {
  const left = validTo - now
  const isFew = left < days * day && left < (validTo - validFrom) / 4
  return isFew ? `ends in ${inDays(left)}, on ${new Date(validTo).toISOString().split('T')[0]}` : null
}

function plainJudgement(days: number, [own, ...chain]: readonly Dates[]): string | null {
  if (own === undefined) return null
  if (own.validTo < now) return `certificate expired ${inDays(now - own.validTo)} ago`
  if (own.validFrom > now) return `certificate is not valid before ${new Date(own.validFrom).toISOString().split('T')[0]}`
  const end = plainEnd(own, days)
  if (end !== null) return `certificate ${end}`
  for (const one of chain) {
    const found = plainEnd(one, days)
    if (found !== null)
      return one.validTo < now ? 'a certificate of the chain has expired' : `a certificate of the chain ${found}`
  }
  return null
}

/** Times about which something changes, and any other. */
const offsets = fc.oneof(
  fc.constantFrom(0, 1, -1, day, day - 1, 21 * day, 21 * day - 1, 5.25 * day, 1.5 * day, hour, minute),
  fc.integer({ min: -400 * day, max: 400 * day }),
)
const dates = fc.record({ ends: offsets, lifetime: fc.constantFrom(6, 47, 90, 365, 3_650) }).map(({ ends, lifetime }) => ({
  validFrom: now + ends - lifetime * day,
  validTo: now + ends,
}))

t.test('dates of a certificate and its chain are judged as the rule says', async t => {
  const chains = fc.array(dates, { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 365 }), chains, (days, path) => {
      const [own, ...chain] = path as [Dates, ...Dates[]]
      return judgeDates({ days }, [own, ...chain], now) === plainJudgement(days, path)
    }),
    { numRuns: 5_000 },
  )
  t.pass()
})

t.test('days that are left have two decimals, and are negative after the end', async t => {
  t.strictSame(
    [daysLeft(now + 12.346 * day, now), daysLeft(now - 1.5 * day, now), daysLeft(now, now), daysLeft(now + 6 * hour, now)],
    [12.35, -1.5, 0, 0.25],
  )
})

const quarters: [lifetime: number, days: number, left: number, sentence: string | null][] = [
  [90, 21, 21, null],
  [90, 21, 20.99, 'certificate ends in 20 days, on 2026-12-19'],
  [47, 21, 12, null],
  [47, 21, 11.7, 'certificate ends in 11 days, on 2026-12-10'],
  [6, 21, 1.5, null],
  [6, 21, 1.2, 'certificate ends in 1 day, on 2026-11-29'],
  [6, 21, 0.5, 'certificate ends in 12h, on 2026-11-29'],
  [90, 0, 0.01, null],
  [90, 365, 22.4, 'certificate ends in 22 days, on 2026-12-20'],
  [90, 365, 22.6, null],
]
for (const [lifetime, days, left, sentence] of quarters) {
  t.test(`certificate of ${lifetime} days with ${left} left, ${days} wanted: ${sentence ?? 'passes'}`, async t => {
    const validTo = now + left * day
    t.equal(judgeDates({ days }, [{ validFrom: validTo - lifetime * day, validTo }], now), sentence)
  })
}

t.test('answer of a port is judged as the rule says, however it is cut', async t => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'ü'), maxLength: 4 })
  const bytes = fc.tuple(fc.constantFrom(0, 5, answerBytes - 2, answerBytes), text, text)
  const ends = fc.constantFrom('closed', 'late', null)
  fc.assert(
    fc.property(text, bytes, ends, (expect, [filling, before, after], end) => {
      const answer = Buffer.from(`${'.'.repeat(filling)}${before}${after}`).subarray(0, answerBytes)
      const has = answer.toString('latin1').split(Buffer.from(expect).toString('latin1')).length > 1 || expect === ''
      const isWhole = answer.length === answerBytes
      let expected: string | null | undefined
      if (has) expected = null
      else if (isWhole || end === 'late') expected = `answer does not contain "${expect}"`
      else if (end === 'closed') expected = `connection closed before "${expect}" came`
      return judgeAnswer({ expect }, { answer, end }) === expected
    }),
    { numRuns: 5_000 },
  )
  t.pass()
})

t.test('time of a check is judged in whole milliseconds', async t => {
  t.strictSame(
    [slowness(2_000, 2_000.4), slowness(2_000, 2_000.5), slowness(2_000, 2_310.2), slowness(1, 0.2)],
    [null, 'answer took 2001 ms, more than 2000', 'answer took 2310 ms, more than 2000', null],
  )
})
