// Count of the changes of a rule's result, compared with the naive count over every instant. Reference: docs/reference/v3.md, 4.14.
import t from 'tap'
import { countChanges, flappingWords } from '#shared/judging/count-changes.ts'
import { Random } from '../simulation/random.ts'
import { naiveFlapping, naiveFlappingEnd, naiveFlappingWords } from './naive-flapping.ts'

t.test('bounded count agrees with a count of all changes at every instant (v3 4.14)', t => {
  const random = new Random(1, 'count-changes')
  let flapping = 0
  for (let life = 0; life < 200; life++) {
    const counted = { changes: random.integer(3, 8), withinSeconds: random.pick([60, 90, 600]) }
    const windowMs = counted.withinSeconds * 1_000
    const all: number[] = []
    let kept: number[] = []
    let at = 0
    for (let i = 0; i < 60; i++) {
      at += random.pick([0, 1, 999, 20_000, windowMs, windowMs + 1, Math.floor(windowMs / counted.changes)])
      const isChange = random.chance(0.7)
      if (isChange) all.push(at)
      const now = countChanges(kept, at, isChange, counted)
      // A judgement that changes nothing else is not recorded, so the count of the last recorded one goes on.
      if (isChange || random.chance(0.5)) kept = now.changes
      const expected = naiveFlapping(all, at, counted) ? naiveFlappingEnd(all, at, counted) : null
      if (now.until !== expected || now.changes.length > counted.changes)
        t.fail(`life ${life} at ${at}: ${JSON.stringify(now)}, not ${expected}`)
      if (now.until !== null) flapping += 1
    }
  }
  t.ok(flapping > 500, `${flapping} times flapping`)
  t.end()
})

t.test('words name the count and the time as Go writes it, without zeros at its end (v3 4.14)', t => {
  for (const [withinSeconds, said] of [
    [60, '1m'],
    [90, '1m30s'],
    [600, '10m'],
    [3_600, '1h'],
    [5_400, '1h30m'],
    [86_400, '24h'],
  ] as const) {
    t.equal(flappingWords({ changes: 12, withinSeconds }), `, changed 12 times in ${said}`)
    t.equal(naiveFlappingWords({ changes: 12, withinSeconds }), `, changed 12 times in ${said}`)
  }
  t.end()
})
