// Where the prober of a process runs, by how many checks it has, and that it moves without a gap.
import t from 'tap'
import { limits } from '#shared/limits.ts'
import { createLogger } from '#shared/logger.ts'
import { startPlacedProber } from '../../infra/embedded/prober/place.ts'
import { createHandClock } from '../support/hand-clock.ts'

const { apartFrom, togetherBelow, lookMs, retryMs } = limits.proberPlace
const settled = () => new Promise(setImmediate)

/** Both places, with probers that are nothing but what was asked of them. */
async function createWorld() {
  const clock = createHandClock()
  const events: string[] = []
  const world = { rate: 0, refuses: false, end: (_why: string) => undefined as unknown }
  const probing = (where: string) => {
    events.push(`${where} starts`)
    return {
      checksPerSecond: () => world.rate,
      unready: () => (where === 'together' ? [] : ['a thread speaks']),
      metrics: async () => [
        { name: 'checks_total', type: 'counter' },
        { name: 'monitors', type: 'gauge' },
      ],
      stop: async () => {
        await settled()
        events.push(`${where} stops`)
      },
    }
  }
  const placed = await startPlacedProber(
    { clock, logger: createLogger('silent') },
    {
      together: async () => probing('together'),
      apart: async () => {
        if (world.refuses) throw new Error('no thread')
        const { promise: ended, resolve } = Promise.withResolvers<string>()
        world.end = resolve
        return { ...probing('apart'), ended }
      },
    },
  )
  const look = async (afterMs: number = lookMs) => {
    clock.advance(afterMs)
    for (let turn = 0; turn < 3; turn++) await settled()
  }
  const news = () => events.splice(0)
  return { world, placed, look, news }
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

t.test('what those counted that are gone counts on, what they showed does not', async t => {
  const { world, placed, look } = await createWorld()
  world.rate = apartFrom
  await look()
  const names = (await placed.metrics()).map(metrics => metrics.map(({ name }) => name))
  t.strictSame(names, [['checks_total'], ['checks_total', 'monitors']])
  await placed.stop()
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
