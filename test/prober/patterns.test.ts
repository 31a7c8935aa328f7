// Patterns of checks over HTTP: their size, and the thread in which they are matched. Reference: docs/reference/v3.md, 3.20.
import t from 'tap'
import { isPattern, stepsOf } from '#shared/checks/http/pattern.ts'
import { patternLimits } from '#shared/limits/pattern-limits.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { matchApart } from '../../services/prober/checks/http/pattern-thread.ts'

const clock = createSystemClock()
t.teardown(() => clock.stop())

t.test('v3 3.20 steps of a pattern are counted with its repetitions written out, before the library sees it', t => {
  for (const [pattern, steps] of [
    ['', 0],
    ['abc', 3],
    ['[0-9a-f]{8}-[0-9a-f]{4}', 13],
    ['(ab){3}', 6],
    ['((ab){3}c){2,10}', 70],
    ['a{2,}', 2],
    ['[]}]{3}', 3],
    ['[^[:alpha:]\\]]{3}', 3],
    ['\\{100\\}', 5],
    ['\\Q(a{1000}\\E', 12],
    ['a{1000}'.repeat(73), 73_000],
    [`(${'a'.repeat(400)}){100}`, 40_000],
  ] as const) {
    t.equal(stepsOf(pattern), steps, pattern.slice(0, 30))
  }
  t.ok(isPattern(`a{${patternLimits.steps}}`))
  t.notOk(isPattern(`a{${patternLimits.steps - 1}}bc`))
  for (const other of ['(', 'a)', '[', 'a**', '(?=a)', '(a)\\1', 'a{1001}']) t.notOk(isPattern(other), other)
  t.end()
})

t.test('a match that takes too long ends alone, and later ones get another thread', async t => {
  t.equal(await matchApart({ pattern: 'b.d', texts: ['xyz', 'abcd'] }, clock), true)
  const impatient = {
    ...clock,
    schedule: (_: number, run: () => void) => {
      queueMicrotask(run)
      return () => undefined
    },
  }
  const slow = matchApart({ pattern: '(?i)[a-z]{0,480}[0-9]', texts: ['a'.repeat(patternLimits.bytes)] }, impatient)
  const later = matchApart({ pattern: 'b.d', texts: ['abcd'] }, clock)
  t.equal(await slow, null)
  t.equal(await later, true)
  t.equal(await matchApart({ pattern: '(', texts: [''] }, clock), null, 'an entry with a text that is no pattern')
  t.equal(await matchApart({ pattern: '^$', texts: [''] }, clock), true)
})

t.test('checks beyond the bound do not wait', async t => {
  const many = Array.from({ length: patternLimits.waiting + 2 }, () => matchApart({ pattern: 'a', texts: ['a'] }, clock))
  const found = await Promise.all(many)
  t.strictSame([found.filter(Boolean).length, found.filter(one => one === null).length], [patternLimits.waiting + 1, 1])
})
