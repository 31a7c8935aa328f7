// Place of a process's prober, chosen by its number of checks: inline first, then in a thread, and the move without a gap.
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { startPlacedProber } from '../../infra/runtime/prober/place.ts'
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

/** Both places, with fake probers that only record their calls. */
async function createWorld() {
  const clock = createHandClock()
  const events: string[] = []
  const world = { rate: 0, refuses: false, missedSince: null as number | null, end: (_reason: string) => undefined as unknown }
  const prober = (where: string) => {
    events.push(`${where} starts`)
    return {
      checksPerSecond: () => world.rate,
      unready: () => (where === 'inline' ? [] : ['a thread speaks']),
      metrics: async () => [counted('checks_total', 'counter', 10), counted('monitors', 'gauge', 3)],
      stop: async () => {
        await settled()
        events.push(`${where} stops`)
      },
    }
  }
  const placed = await startPlacedProber(
    { clock, logger: createLogger('silent') },
    {
      inline: async () => prober('inline'),
      thread: async missedSince => {
        if (world.refuses) throw new Error('no thread')
        const { promise: ended, resolve } = Promise.withResolvers<string>()
        Object.assign(world, { missedSince, end: resolve })
        return { ...prober('thread'), ended }
      },
    },
  )
  const pass = async (ms: number = lookMs) => {
    clock.advance(ms)
    for (let turn = 0; turn < 6; turn++) await settled()
  }
  return { clock, world, placed, pass, newEvents: () => events.splice(0) }
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

t.test('prober with many checks moves to a thread, which starts before the inline prober stops, and stays there', async t => {
  const { world, placed, pass, newEvents } = await createWorld()
  world.rate = threadFrom
  await pass()
  t.strictSame(newEvents(), ['inline starts', 'thread starts', 'inline stops'])
  t.strictSame(placed.unready(), ['a thread speaks'])
  world.rate = 0
  await pass()
  t.strictSame(newEvents(), [])
  await placed.stop()
  t.strictSame(newEvents(), ['thread stops'])
})

t.test('prober stays inline when no thread starts, and tries again later', async t => {
  const { world, placed, pass, newEvents } = await createWorld()
  Object.assign(world, { rate: threadFrom, refuses: true })
  await pass()
  t.strictSame(newEvents(), ['inline starts'])
  t.strictSame(placed.unready(), [])
  world.refuses = false
  await pass(retryMs - 1)
  t.strictSame(newEvents(), [], 'not at once')
  await pass()
  t.strictSame(newEvents(), ['thread starts', 'inline stops'])
  await placed.stop()
})

t.test('thread that ends unexpectedly is replaced by a thread that runs the missed slots', async t => {
  const { clock, world, placed, pass, newEvents } = await createWorld()
  world.rate = threadFrom
  await pass()
  t.equal(world.missedSince, null)
  newEvents()
  world.rate = 0
  world.end('it failed')
  await settled()
  const endedAt = clock.now()
  t.match(placed.unready(), [/No prober runs/])
  await pass()
  t.strictSame(newEvents(), ['thread starts'])
  t.equal(world.missedSince, endedAt)
  t.strictSame(placed.unready(), ['a thread speaks'])
  await placed.stop()
  world.end('stopped')
  await pass()
  t.strictSame(newEvents(), ['thread stops'], 'a stopped thread is not replaced')
})

t.test('counters of the inline prober continue in the thread, and its gauges are dropped', async t => {
  const { world, placed, pass } = await createWorld()
  t.match(await placed.metrics(), /^checks_total 10$/m)
  world.rate = threadFrom
  await pass()
  const text = await placed.metrics()
  t.match(text, /^checks_total 20$/m)
  t.match(text, /^monitors 3$/m)
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
