// Load of a process, as its garbage collections show it: when it becomes busy, and when it becomes calm.
import { setFlagsFromString } from 'node:v8'
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { createLoad, followCollector, type Load } from '../../infra/runtime/collector-pace.ts'
import { createHandClock } from '../support/hand-clock.ts'

const { calmPercent, busyPercent, pairMs, calmAfterMs, busyPercentPerSecond, busyYoungPerSecond } = limits.collector
const second = 1_000
/** Flags that the pace moves, as they are without it. Other tests run in the same process. */
const flagsOfV8 = ['--heap-growing-percent=0', '--no-memory-saver-mode', '--semi-space-growth-factor=2']
/** Two garbage collections count as close if the time between them is shorter than this, ms. */
const busyWithinMs = Math.ceil((calmPercent / busyPercentPerSecond) * second)

/** Returns the load of a thread whose start is over. */
function calmLoad(): Load {
  const load = createLoad()
  load.calmed()
  return load
}

/** Reports garbage collections with these gaps between them, ms. Returns the instant of the last collection, ms. */
function collect(load: Load, gaps: readonly number[], from = 0): number {
  let at = from
  for (const gap of gaps) {
    at += gap
    load.collected(at)
  }
  return at
}

/** Clock that also records the delays of the timers. */
function watchedClock() {
  const clock = createHandClock()
  const delays: number[] = []
  const schedule = (delayMs: number, run: () => void) => {
    delays.push(delayMs)
    return clock.schedule(delayMs, run)
  }
  return { clock: { ...clock, schedule }, delays }
}

t.test('process stays calm when garbage collections are rare or in pairs', async t => {
  const load = calmLoad()
  collect(load, [0, busyWithinMs, 30 * second, pairMs - 1, 30 * second, 20, busyWithinMs])
  t.equal(load.busy(), false)
})

t.test('process stays calm at single close garbage collections, and becomes busy at a series of close collections', async t => {
  const load = calmLoad()
  const at = collect(load, [0, 7 * second, 650, 7 * second, 650])
  t.equal(load.busy(), false)
  collect(load, [650, 650, 650], at)
  t.equal(load.busy(), true, 'a busy process collects again and again')
})

t.test('process stays calm when garbage collections are close only occasionally', async t => {
  const load = calmLoad()
  collect(load, [0, busyWithinMs, busyWithinMs - 1, busyWithinMs, pairMs, busyWithinMs])
  t.equal(load.busy(), false)
})

t.test(
  'process becomes busy after two close garbage collections, and stays busy at rare ones until `calmed` is called',
  async t => {
    const load = calmLoad()
    const at = collect(load, [0, busyWithinMs - 1, busyWithinMs - 1])
    t.equal(load.busy(), true)
    collect(load, [90 * second, 90 * second, 90 * second], at)
    t.equal(load.busy(), true)
    load.calmed()
    t.equal(load.busy(), false)
    load.collected(1_000 * second)
    load.collected(1_000 * second + pairMs)
    t.equal(load.busy(), false, 'what was before does not count')
  },
)

t.test('busy process becomes calm at 10,000 checks a minute, and stays busy at 1,440 checks a second', async t => {
  // Measured growth of the heap, percent of the live heap a second.
  for (const [perSecond, isCalm] of [
    [1.3, true],
    [4, false],
  ] as const)
    t.equal((busyPercent / perSecond) * second > calmAfterMs, isCalm, `${perSecond} %/s`)
  t.ok((busyPercent / calmAfterMs) * second < busyPercentPerSecond, 'a gap between the growth of a calm and of a busy process')
})

t.test('start is busy, whatever it collects', async t => {
  const load = createLoad()
  const at = collect(load, [0, second, 7 * second, 40 * second])
  t.equal(load.busy(), true)
  load.calmed()
  collect(load, [busyWithinMs - 1, busyWithinMs - 1], at)
  t.equal(load.busy(), false, 'collections of the start do not count')
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
  clock.advance(limits.collector.calmAfterMs - 1)
  t.equal(collections, 1)
  clock.advance(1)
  t.equal(collections, 2, 'the busy time is over')
  for (const at of [125_000, 127_000, 129_000]) thread.collected(at)
  thread.leave()
  clock.advance(1_000 * second)
  t.equal(collections, 2, 'a thread that has left is asked for nothing')
})

t.test('process becomes busy when its young generation is collected often within a second', async t => {
  const load = calmLoad()
  const at = (collection: number) => collection * (second / busyYoungPerSecond)
  const became = Array.from({ length: busyYoungPerSecond }, (_, i) => load.collectedYoung(at(i)))
  t.strictSame(became, [...Array.from({ length: busyYoungPerSecond - 1 }, () => false), true])
  t.equal(load.busy(), true)
  t.equal(load.collectedYoung(at(busyYoungPerSecond)), false, 'a busy process does not become busy again')
})

t.test('process stays calm when its young generation is collected half as often for a minute', async t => {
  const load = calmLoad()
  for (let at = 0; at < 60 * second; at += (2 * second) / busyYoungPerSecond) load.collectedYoung(at)
  t.equal(load.busy(), false)
})

t.test('collections of the young generation before the calm time do not count', async t => {
  const load = calmLoad()
  for (let i = 1; i < busyYoungPerSecond; i++) load.collectedYoung(0)
  load.calmed()
  t.equal(load.collectedYoung(1), false)
})

t.test('process that is busy by its young generation becomes calm when no full collection follows', async t => {
  const { clock, delays } = watchedClock()
  let collectedYoung = (_: number): void => undefined
  const pace = followCollector(clock, [`--heap-growing-percent=${calmPercent}`], (_, onYoung) => {
    collectedYoung = onYoung ?? collectedYoung
    return () => undefined
  })
  t.teardown(() => {
    pace.stop()
    for (const flag of flagsOfV8) setFlagsFromString(flag)
  })
  const burst = () => Array.from({ length: busyYoungPerSecond }, () => collectedYoung(0))
  burst()
  clock.advance(limits.collector.startMs)
  burst()
  t.strictSame(delays, [limits.collector.startMs, calmAfterMs])
  clock.advance(calmAfterMs)
  burst()
  t.equal(delays.length, 3, 'the calm process became busy again')
})

t.test('process without the flags keeps its memory settings', async t => {
  followCollector(createHandClock(), ['--max-semi-space-size=16']).stop()
  t.pass('nothing was observed or moved')
})
