// Where the prober of a process runs, by how many checks it has, and that it moves without a gap.
import t from 'tap'
import { limits } from '#shared/limits.ts'
import { createLogger } from '#shared/logger.ts'
import { startPlacedProber } from '../../infra/embedded/prober/place.ts'
import { createHandClock } from '../support/hand-clock.ts'

const { apartFrom, togetherBelow, settleMs, retryMs } = limits.proberPlace
const settled = () => new Promise(setImmediate)

/** As a registry says it. */
const counted = (name: string, type: string, value: number) => ({
  name,
  type,
  help: name,
  aggregator: 'sum',
  values: [{ value, labels: {} }],
})

/** Both places, with probers that are nothing but what was asked of them. */
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
  /** Monitors have come or gone, and some time passes. */
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

t.test('few checks are made beside the other services', async t => {
  const { world, placed, look, news } = await createWorld()
  world.rate = apartFrom - 1
  await look()
  t.strictSame(news(), ['together starts'])
  t.strictSame(placed.unready(), [])
  await placed.stop()
  t.strictSame(news(), ['together stops'])
})

t.test('many are made in a thread, which checks before the other prober leaves; and so on the way back', async t => {
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

t.test('where no thread can be had the checks go on, and it is tried again later', async t => {
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

t.test('a thread that ends by itself is replaced at once, and tried again later', async t => {
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

t.test('what those counted that are gone counts on, what they showed does not, however often it moves', async t => {
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

t.test('where nothing comes or goes nothing is looked at', async t => {
  const { world, news, idle } = await createWorld()
  await idle()
  world.rate = apartFrom
  await idle()
  t.strictSame(news(), ['together starts'], 'no news of it, no look')
})

t.test('stopped while it moves, it leaves none behind', async t => {
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
