// How far the heap may grow between two full collections, by when they came.
import t from 'tap'
import { limits } from '#shared/limits.ts'
import { createGrowth, followCollector, type Growth } from '../../infra/embedded/collector-pace.ts'
import { createHandClock } from '../support/hand-clock.ts'

const { calmPercent, pairMs, everyMs, busyPercentMin, busyPercentMax } = limits.collector
const { busyPercentPerSecond, calmPercentPerSecond } = limits.collector
const second = 1_000
/** The calm room lasts so long at the edge of being busy. */
const busyWithinMs = Math.ceil((calmPercent / busyPercentPerSecond) * second)

/** Tells of collections that come so long after one another, ms; answers when the last one was. */
function collect(growth: Growth, gaps: readonly number[], from = 0): number {
  let at = from
  for (const gap of gaps) {
    at += gap
    growth.collected(at)
  }
  return at
}

/** A heap that fills evenly: what lives and what dies, MB and MB a second. Answers the room of each of the collections. */
function fill(growth: Growth, { lives, perSecond, times }: { lives: number; perSecond: number; times: number }): number[] {
  let at = 0
  let inForce = growth.percent()
  return Array.from({ length: times }, () => {
    at += ((lives * inForce) / 100 / perSecond) * second
    inForce = growth.percent()
    growth.collected(at)
    return at
  }).map((instant, index, all) => instant - (all[index - 1] ?? 0))
}

t.test('calm stays whoever collects seldom, or in pairs', async t => {
  const growth = createGrowth()
  collect(growth, [0, busyWithinMs, everyMs, pairMs - 1, everyMs, 20, busyWithinMs])
  t.strictSame([growth.busy(), growth.percent()], [false, calmPercent])
})

t.test('one that follows closely says nothing; the one behind it does', async t => {
  const growth = createGrowth()
  const at = collect(growth, [0, 7 * second, 650, 7 * second, 650])
  t.equal(growth.busy(), false)
  collect(growth, [650, 650, 650], at)
  t.equal(growth.busy(), true, 'a busy process collects again and again')
})

t.test('once in a while two may come close together', async t => {
  const growth = createGrowth()
  collect(growth, [0, busyWithinMs, busyWithinMs - 1, busyWithinMs, pairMs, busyWithinMs])
  t.strictSame([growth.busy(), growth.percent()], [false, calmPercent])
})

t.test('twice in a row close together makes it busy, with more room within the bounds', async t => {
  const growth = createGrowth()
  collect(growth, [0, busyWithinMs - 1, busyWithinMs - 1])
  t.ok(growth.busy() && growth.percent() >= busyPercentMin)
  collect(
    growth,
    Array.from({ length: 10 }, () => pairMs),
    10 * second,
  )
  t.equal(growth.percent(), busyPercentMax)
})

t.test('under an even load they settle at as seldom as wanted', async t => {
  for (const perSecond of [0.8, 0.9, 1.1, 1.3]) {
    const gaps = fill(createGrowth(), { lives: 40, perSecond, times: 30 }).slice(-10)
    const asWanted = gaps.every(gap => gap > 0.9 * everyMs && gap < 1.1 * everyMs)
    t.ok(asWanted, `${perSecond} MB/s: ${gaps.map(Math.round)}`)
  }
})

t.test('a load of 1,000 checks a second and more stays busy, with nearly all the room there may be', async t => {
  // As measured: of 58 MB that live, 1,440 checks a second fill 2.3 MB in each.
  for (const perSecond of [1.6, 2.3, 4]) {
    const growth = createGrowth()
    const gaps = fill(growth, { lives: 58, perSecond, times: 10 }).slice(-5)
    t.ok(growth.busy() && growth.percent() > 80, `${perSecond} MB/s: ${growth.percent()} %`)
    t.ok(Math.max(...gaps) < growth.calmAfterMs(), `${gaps.map(Math.round)}`)
  }
})

t.test('what fills as slowly as 10,000 monitors once a minute is calm again, whatever room it got', async t => {
  t.ok(calmPercentPerSecond < busyPercentPerSecond, 'a gap between the two')
  for (const gap of [second, 5 * second]) {
    const growth = createGrowth()
    collect(growth, [0, ...Array.from({ length: 6 }, () => gap)])
    t.ok(growth.busy())
    const filledAfterMs = (growth.percent() / 1.3) * second
    t.ok(filledAfterMs > growth.calmAfterMs(), `${growth.percent()} % in ${Math.round(filledAfterMs)} ms`)
  }
})

t.test('once busy it stays busy however seldom they come, until it is calmed', async t => {
  const growth = createGrowth()
  const at = collect(growth, [0, second, second])
  collect(growth, [3 * everyMs, 3 * everyMs, 3 * everyMs, 3 * everyMs], at)
  t.strictSame([growth.busy(), growth.percent()], [true, busyPercentMin])
  growth.calmed()
  t.strictSame([growth.busy(), growth.percent()], [false, calmPercent])
  growth.collected(1_000 * second)
  t.equal(growth.busy(), false, 'what was before does not count')
})

t.test('a process that was not started with the flags is left alone', async t => {
  followCollector(createHandClock(), ['--max-semi-space-size=16']).stop()
  t.pass('nothing was observed or moved')
})
