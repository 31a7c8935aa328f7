// Place of a process's prober, chosen by the rate of checks: inline first, then in a thread. The move misses no check.
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { type PlaceOptions, startPlacedProber } from '../../infra/runtime/prober/place.ts'
import { createHandClock } from '../support/hand-clock.ts'

const { threadFrom, lookMs, retryMs } = limits.proberPlace
const settled = () => new Promise(setImmediate)

/** A metric as a registry returns it. */
const counted = (name: string, type: string, value: number) => ({
  name,
  type,
  help: name,
  aggregator: 'sum',
  values: [{ value, labels: {} }],
})

/**
 * Creates the two places, inline and thread, with fake probers that record their calls. `livesForNoTime`: each thread ends at its start.
 */
async function createWorld(options?: PlaceOptions, refuses = false) {
  const clock = createHandClock()
  const events: string[] = []
  const reads: string[] = []
  const world = { rate: 0, refuses, livesForNoTime: false, end: (_reason: string) => undefined as unknown }
  const prober = (where: string) => ({
    checksPerSecond: () => world.rate,
    unready: () => (where === 'inline' ? [] : ['a thread speaks']),
    metrics: async () => {
      reads.push(`${where} is read`)
      return [counted('checks_total', 'counter', 10), counted('monitors', 'gauge', 3)]
    },
    stop: async () => {
      await settled()
      events.push(`${where} stops`)
    },
  })
  const placed = await startPlacedProber(
    { clock, logger: createLogger('silent') },
    {
      inline: async missedSince => {
        events.push(missedSince === null ? 'inline starts' : `inline starts from ${missedSince}`)
        return prober('inline')
      },
      thread: async missedSince => {
        const since = missedSince === null ? '' : ` from ${missedSince}`
        events.push(`${world.refuses ? 'thread refuses' : 'thread starts'}${since}`)
        if (world.refuses) throw new Error('no thread')
        const { promise: ended, resolve } = Promise.withResolvers<string>()
        world.end = resolve
        if (world.livesForNoTime) resolve('it failed')
        return { ...prober('thread'), ended }
      },
      removeThread: async () => {
        events.push('thread is removed')
        return 77
      },
    },
    options,
  )
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await settled()
  }
  const pass = async (ms: number = lookMs) => {
    clock.advance(ms)
    await settle()
  }
  const end = async () => {
    world.end('it failed')
    await settle()
  }
  return { clock, world, placed, pass, end, newEvents: () => events.splice(0), newReads: () => reads.splice(0) }
}

t.test('prober stays inline while it has few checks', async t => {
  const { world, placed, pass, newEvents } = await createWorld()
  world.rate = threadFrom - 1
  await pass()
  t.strictSame(newEvents(), ['inline starts'])
  t.strictSame(placed.unready(), [])
  await placed.stop()
  t.strictSame(newEvents(), ['inline stops'])
})

t.test('prober with many checks moves to a thread for good; the inline prober stops after the thread has started', async t => {
  const { world, placed, pass, newEvents } = await createWorld()
  world.rate = threadFrom
  await pass()
  t.strictSame(newEvents(), ['inline starts', 'thread starts'])
  await pass()
  t.strictSame(newEvents(), ['inline stops'])
  t.strictSame(placed.unready(), ['a thread speaks'])
  world.rate = 0
  await pass()
  t.strictSame(newEvents(), [])
  await placed.stop()
  t.strictSame(newEvents(), ['thread stops'])
})

t.test('prober whose predecessor ran in a thread starts in one, and never inline beside it', async t => {
  const { world, placed, pass, end, newEvents } = await createWorld({ missedSince: 5, startsInThread: true })
  world.rate = threadFrom
  await pass()
  t.strictSame(newEvents(), ['thread starts from 5'])
  t.strictSame(placed.unready(), ['a thread speaks'])
  await end()
  t.strictSame(newEvents(), ['thread is removed', 'inline starts from 77'])
  await placed.stop()
})

t.test('prober that cannot start in a thread starts inline, and misses no check', async t => {
  const { placed, newEvents } = await createWorld({ missedSince: 5, startsInThread: true }, true)
  t.strictSame(newEvents(), ['thread refuses from 5', 'inline starts from 5'])
  await placed.stop()
})

t.test('prober stays inline when a thread cannot start, and tries again after pauses that double', async t => {
  const { clock, world, placed, pass, newEvents } = await createWorld()
  Object.assign(world, { rate: threadFrom, refuses: true })
  const triedAt: number[] = []
  for (let passed = 0; passed < 120_000; passed += lookMs) {
    await pass()
    if (newEvents().includes('thread refuses')) triedAt.push(clock.monotonic())
  }
  const pauses = triedAt.slice(1).map((at, i) => at - (triedAt[i] as number))
  t.strictSame(pauses, [lookMs, lookMs * 2, lookMs * 4, lookMs * 8, retryMs, retryMs])
  t.strictSame(placed.unready(), [])
  world.refuses = false
  await pass(retryMs)
  await pass()
  t.strictSame(newEvents(), ['thread starts', 'inline stops'])
  await placed.stop()
})

t.test('inline prober takes over from a thread that ends, from the instant of the first missed check', async t => {
  const { world, placed, pass, end, newEvents } = await createWorld()
  world.rate = threadFrom
  await pass()
  await pass()
  newEvents()
  world.end('it failed')
  await Promise.resolve()
  t.match(placed.unready(), [/No prober runs/])
  await end()
  t.strictSame(newEvents(), ['thread is removed', 'inline starts from 77'], 'without a wait')
  t.strictSame(placed.unready(), [])
  await pass()
  await pass()
  t.strictSame(newEvents(), ['thread starts', 'inline stops'], 'the thread is tried again')
  await placed.stop()
  await end()
  await pass()
  t.strictSame(newEvents(), ['thread stops'], 'a stopped thread is not replaced')
})

t.test('inline prober continues while threads end soon after their start', async t => {
  const { world, placed, pass, newEvents } = await createWorld()
  Object.assign(world, { rate: threadFrom, livesForNoTime: true })
  const reasons: string[] = []
  for (let passed = 0; passed < 600_000; passed += lookMs) {
    await pass()
    reasons.push(...placed.unready())
  }
  t.strictSame(reasons, [])
  const events = newEvents()
  t.notOk(events.includes('inline stops'))
  const started = events.filter(event => event === 'thread starts').length
  t.ok(started > 15 && started < 30, `${started} threads in ten minutes`)
  await placed.stop()
})

t.test('pause after the end of a thread is short again if the thread ran for long', async t => {
  const { world, placed, pass, end, newEvents } = await createWorld()
  Object.assign(world, { rate: threadFrom, livesForNoTime: true })
  for (let passed = 0; passed < 60_000; passed += lookMs) await pass()
  world.livesForNoTime = false
  await pass(retryMs)
  newEvents()
  await pass(retryMs)
  await end()
  newEvents()
  await pass()
  t.strictSame(newEvents(), ['thread starts'])
  await placed.stop()
})

t.test('counters are summed over all places, and gauges are read from the present prober', async t => {
  const { world, placed, pass, end } = await createWorld()
  const expectTotals = async (checks: number, monitors: number) => {
    const text = await placed.metrics()
    t.match(text, new RegExp(`^checks_total ${checks}$`, 'm'))
    t.match(text, new RegExp(`^monitors ${monitors}$`, 'm'))
  }
  await expectTotals(10, 3)
  world.rate = threadFrom
  await pass()
  await expectTotals(20, 6)
  await pass()
  await expectTotals(20, 3)
  await end()
  await expectTotals(30, 3)
  await placed.stop()
})

t.test('metrics of the inline prober are not read again after the move to a thread', async t => {
  const { world, placed, pass, newReads } = await createWorld()
  world.rate = threadFrom
  await pass()
  await pass()
  newReads()
  await placed.metrics()
  t.strictSame(newReads(), ['thread is read'])
  await placed.stop()
})

t.test('stop during a move stops both probers', async t => {
  const { world, placed, pass, newEvents } = await createWorld()
  world.rate = threadFrom
  const passing = pass()
  await placed.stop()
  await passing
  t.strictSame(
    newEvents()
      .filter(event => event.endsWith('stops'))
      .sort(),
    ['inline stops', 'thread stops'],
  )
})
