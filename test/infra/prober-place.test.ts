// Place of a process's prober (inline or in a thread), chosen by its number of checks, and the move between both without a missed check.
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { startPlacedProber } from '../../infra/runtime/prober/place.ts'
import { createHandClock } from '../support/hand-clock.ts'

const { apartFrom, togetherBelow, settleMs, retryMs } = limits.proberPlace
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
  const world = { rate: 0, refuses: false, change: () => undefined as unknown, end: (_why: string) => undefined as unknown }
  const probing = (where: string) => {
    events.push(`${where} starts`)
    return {
      checksPerSecond: () => world.rate,
      unready: () => (where === 'together' ? [] : ['a thread speaks']),
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
      together: async onLoad => {
        world.change = onLoad
        return probing('together')
      },
      apart: async onLoad => {
        if (world.refuses) throw new Error('no thread')
        const { promise: ended, resolve } = Promise.withResolvers<string>()
        world.end = resolve
        world.change = onLoad
        return { ...probing('apart'), ended }
      },
    },
  )
  /** Monitors are added or removed, and some time passes. */
  const look = async (afterMs: number = settleMs) => {
    world.change()
    clock.advance(afterMs)
    for (let turn = 0; turn < 6; turn++) await settled()
  }
  const idle = async () => {
    clock.advance(10 * settleMs)
    await settled()
  }
  const news = () => events.splice(0)
  return { world, placed, look, idle, news }
}

t.test('few checks are made inline, in the thread of the other services', async t => {
  const { world, placed, look, news } = await createWorld()
  world.rate = apartFrom - 1
  await look()
  t.strictSame(news(), ['together starts'])
  t.strictSame(placed.unready(), [])
  await placed.stop()
  t.strictSame(news(), ['together stops'])
})

t.test('many checks move to a thread, which starts before the inline prober stops, and move back', async t => {
  const { world, placed, look, news } = await createWorld()
  world.rate = apartFrom
  await look()
  t.strictSame(news(), ['together starts', 'apart starts', 'together stops'])
  t.strictSame(placed.unready(), ['a thread speaks'])
  world.rate = togetherBelow
  await look()
  t.strictSame(news(), [], 'between the two bounds it stays where it is')
  world.rate = togetherBelow - 1
  await look()
  t.strictSame(news(), ['together starts', 'apart stops'])
  await placed.stop()
})

t.test('checks continue inline when no thread starts, and the thread is tried again later', async t => {
  const { world, placed, look, news } = await createWorld()
  Object.assign(world, { rate: apartFrom, refuses: true })
  await look()
  t.strictSame(news(), ['together starts'])
  world.refuses = false
  await look()
  t.strictSame(news(), [], 'not at once')
  await look(retryMs)
  t.strictSame(news(), ['apart starts', 'together stops'])
  await placed.stop()
})

t.test('thread that ends unexpectedly is replaced at once by the inline prober, and tried again later', async t => {
  const { world, placed, look, news } = await createWorld()
  world.rate = apartFrom
  await look()
  news()
  world.end('it failed')
  await settled()
  await settled()
  t.strictSame(news(), ['together starts'])
  await look()
  t.strictSame(news(), [], 'not at once')
  await look(retryMs)
  t.strictSame(news(), ['apart starts', 'together stops'])
  await placed.stop()
  world.end('stopped')
  await settled()
  t.strictSame(news(), ['apart stops'], 'one that was stopped is not missed')
})

t.test('counters of ended probers continue over any number of moves, and gauges of ended probers are dropped', async t => {
  const { world, placed, look } = await createWorld()
  for (const rate of [apartFrom, 0, apartFrom, 0]) {
    world.rate = rate
    await look()
  }
  const text = await placed.metrics()
  t.match(text, /^checks_total 50$/m, 'five probers of ten checks each')
  t.match(text, /^monitors 3$/m, 'those of the one that lives')
  await placed.stop()
})

t.test('place is not chosen again while no monitor is added or removed', async t => {
  const { world, news, idle } = await createWorld()
  await idle()
  world.rate = apartFrom
  await idle()
  t.strictSame(news(), ['together starts'], 'no news of it, no look')
})

t.test('stop during a move stops both probers', async t => {
  const { world, placed, look, news } = await createWorld()
  world.rate = apartFrom
  const looking = look()
  await placed.stop()
  await looking
  t.strictSame(
    news()
      .filter(event => event.endsWith('stops'))
      .sort(),
    ['apart stops', 'together stops'],
  )
})
