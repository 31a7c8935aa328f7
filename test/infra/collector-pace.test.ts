// Permitted growth of the heap between two full garbage collections. It depends on the times between the collections.
import { setFlagsFromString } from 'node:v8'
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { createGrowth, followCollector, type Growth } from '../../infra/runtime/collector-pace.ts'
import { createHandClock } from '../support/hand-clock.ts'

const { calmPercent, pairMs, everyMs, busyPercentMin, busyPercentMax } = limits.collector
const { busyPercentPerSecond, busyYoungPerSecond, calmPercentPerSecond } = limits.collector
const second = 1_000
/** Flags that the pace moves, as they are without it. Other tests run in the same process. */
const flagsOfV8 = ['--heap-growing-percent=0', '--no-memory-saver-mode', '--semi-space-growth-factor=2']
/** Two garbage collections count as close if the time between them is shorter than this, ms. */
const busyWithinMs = Math.ceil((calmPercent / busyPercentPerSecond) * second)

/** Reports garbage collections with these gaps between them, ms. Returns the instant of the last collection, ms. */
function collect(growth: Growth, gaps: readonly number[], from = 0): number {
  let at = from
  for (const gap of gaps) {
    at += gap
    growth.collected(at)
  }
  return at
}

/** Simulates a heap that fills evenly: live data in MB, garbage in MB a second. Returns the time from each collection to the next, ms. */
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

t.test('process counts as calm when garbage collections are rare or in pairs', async t => {
  const growth = createGrowth()
  collect(growth, [0, busyWithinMs, everyMs, pairMs - 1, everyMs, 20, busyWithinMs])
  t.strictSame([growth.busy(), growth.percent()], [false, calmPercent])
})

t.test('process counts as calm at single close garbage collections, and as busy at a series of close collections', async t => {
  const growth = createGrowth()
  const at = collect(growth, [0, 7 * second, 650, 7 * second, 650])
  t.equal(growth.busy(), false)
  collect(growth, [650, 650, 650], at)
  t.equal(growth.busy(), true, 'a busy process collects again and again')
})

t.test('process counts as calm when garbage collections are close only occasionally', async t => {
  const growth = createGrowth()
  collect(growth, [0, busyWithinMs, busyWithinMs - 1, busyWithinMs, pairMs, busyWithinMs])
  t.strictSame([growth.busy(), growth.percent()], [false, calmPercent])
})

t.test('process counts as busy after two close garbage collections, and permitted growth rises within its bounds', async t => {
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

t.test('interval between garbage collections reaches its target under an even load and stays there', async t => {
  for (const perSecond of [0.8, 0.9, 1.1, 1.3]) {
    const gaps = fill(createGrowth(), { lives: 40, perSecond, times: 30 }).slice(-10)
    const asWanted = gaps.every(gap => gap > 0.9 * everyMs && gap < 1.1 * everyMs)
    t.ok(asWanted, `${perSecond} MB/s: ${gaps.map(Math.round)}`)
  }
})

t.test('process stays busy at 1,000 checks a second with nearly any growth', async t => {
  // Measured values: 58 MB of live data, and 2.3 MB of garbage a second at 1,440 checks a second.
  for (const perSecond of [1.6, 2.3, 4]) {
    const growth = createGrowth()
    const gaps = fill(growth, { lives: 58, perSecond, times: 10 }).slice(-5)
    t.ok(growth.busy() && growth.percent() > 80, `${perSecond} MB/s: ${growth.percent()} %`)
    t.ok(Math.max(...gaps) < growth.calmAfterMs(), `${gaps.map(Math.round)}`)
  }
})

t.test('process becomes calm at 10,000 checks a minute with any growth', async t => {
  t.ok(calmPercentPerSecond < busyPercentPerSecond, 'a gap between the two')
  for (const gap of [second, 5 * second]) {
    const growth = createGrowth()
    collect(growth, [0, ...Array.from({ length: 6 }, () => gap)])
    t.ok(growth.busy())
    const filledAfterMs = (growth.percent() / 1.3) * second
    t.ok(filledAfterMs > growth.calmAfterMs(), `${growth.percent()} % in ${Math.round(filledAfterMs)} ms`)
  }
})

t.test('busy process stays busy at rare garbage collections until `calm` is called', async t => {
  const growth = createGrowth()
  const at = collect(growth, [0, second, second])
  collect(growth, [3 * everyMs, 3 * everyMs, 3 * everyMs, 3 * everyMs], at)
  t.strictSame([growth.busy(), growth.percent()], [true, busyPercentMin])
  growth.calmed()
  t.strictSame([growth.busy(), growth.percent()], [false, calmPercent])
  growth.collected(1_000 * second)
  t.equal(growth.busy(), false, 'what was before does not count')
})

t.test('start is busy, and its growth is the same whatever it collects', async t => {
  const growth = createGrowth()
  growth.begun()
  const at = collect(growth, [0, second, 7 * second, 40 * second])
  t.strictSame([growth.busy(), growth.percent()], [true, busyPercentMax])
  growth.calmed()
  collect(growth, [busyWithinMs - 1, busyWithinMs - 1, busyWithinMs - 1], at)
  t.ok(growth.busy() && growth.percent() < busyPercentMax, 'what follows is measured')
})

t.test('thread counts as calm a while after its start, although the start collected garbage like a busy time', async t => {
  const clock = createHandClock()
  const pace = followCollector(clock, [`--heap-growing-percent=${calmPercent}`])
  t.teardown(() => {
    pace.stop()
    for (const flag of flagsOfV8) setFlagsFromString(flag)
  })
  let collections = 0
  const thread = pace.join(() => {
    collections++
  })
  for (const at of [0, 700, 1_400, 2_100]) thread.collected(at)
  clock.advance(limits.collector.startMs - 1)
  t.equal(collections, 0)
  clock.advance(1)
  t.equal(collections, 1)
  for (const at of [25_000, 27_000, 29_000]) thread.collected(at)
  thread.leave()
  clock.advance(1_000 * second)
  t.equal(collections, 1, 'a thread that has left is asked for nothing')
})

t.test('process counts as busy when its young generation is collected often within a second', async t => {
  const growth = createGrowth()
  const at = (collection: number) => collection * (second / busyYoungPerSecond)
  const became = Array.from({ length: busyYoungPerSecond }, (_, i) => growth.collectedYoung(at(i)))
  t.strictSame(became, [...Array.from({ length: busyYoungPerSecond - 1 }, () => false), true])
  t.strictSame([growth.busy(), growth.percent()], [true, busyPercentMax])
  t.equal(growth.collectedYoung(at(busyYoungPerSecond)), false, 'a busy process does not become busy again')
  t.ok(growth.calmAfterMs() > everyMs, 'a pause between two bursts does not make the process calm')
})

t.test('process stays calm when its young generation is collected half as often for a minute', async t => {
  const growth = createGrowth()
  for (let at = 0; at < 60 * second; at += (2 * second) / busyYoungPerSecond) growth.collectedYoung(at)
  t.strictSame([growth.busy(), growth.percent()], [false, calmPercent])
})

t.test('collections of the young generation before the calm time do not count', async t => {
  const growth = createGrowth()
  for (let i = 1; i < busyYoungPerSecond; i++) growth.collectedYoung(0)
  growth.calmed()
  t.equal(growth.collectedYoung(1), false)
})

t.test('process that is busy by its young generation becomes calm when no full collection follows', async t => {
  const clock = createHandClock()
  let collectedYoung = (_: number): void => undefined
  const delays: number[] = []
  const watched = {
    ...clock,
    schedule: (delayMs: number, task: () => void) => {
      delays.push(delayMs)
      return clock.schedule(delayMs, task)
    },
  }
  const pace = followCollector(watched, [`--heap-growing-percent=${calmPercent}`], (_, onYoung) => {
    collectedYoung = onYoung ?? collectedYoung
    return () => undefined
  })
  t.teardown(() => {
    pace.stop()
    for (const flag of flagsOfV8) setFlagsFromString(flag)
  })
  clock.advance(limits.collector.startMs)
  delays.length = 0
  const burst = () => Array.from({ length: busyYoungPerSecond }, () => collectedYoung(0))
  burst()
  const [calmAfterMs = 0] = delays
  t.equal(delays.length, 1)
  clock.advance(calmAfterMs)
  burst()
  t.equal(delays.length, 2, 'the calm process became busy again')
})

t.test('process without the flags keeps its memory settings', async t => {
  followCollector(createHandClock(), ['--max-semi-space-size=16']).stop()
  t.pass('nothing was observed or moved')
})
