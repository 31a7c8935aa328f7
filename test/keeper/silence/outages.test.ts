// Outages in which the installation could not accept reports. Each test causes one outage while a keeper runs. The outage itself causes no
// silence alert. A sender that stays silent after the outage causes one. The log says once that silence alerts wait (ADR 22).
import t from 'tap'
import { subjects } from '#shared/bus/subjects.ts'
import { minute, second } from '#shared/limits/limits.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import { randomId } from '#shared/text/ids.ts'
import type { Clock } from '#shared/time/clock.ts'
import { announceGateway } from '../../../services/gateway/presence.ts'
import { createWorld, type KeeperHandle } from '../world.ts'

type World = ReturnType<typeof createWorld>

/** Store whose calls pass, are refused, or do not end before the store recovers. */
function createIllStore() {
  let state: 'well' | 'refusing' | 'writes refused' | 'hanging' = 'well'
  let cured = Promise.withResolvers<void>()
  const wrap = (store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...given: unknown[]) => unknown
        if (typeof method !== 'function') return method
        return async (...given: unknown[]) => {
          const isRefused = state === 'refusing' || (state === 'writes refused' && name !== 'ping')
          if (isRefused) throw new StoreError('unavailable', 'the store is away')
          if (state === 'hanging') await cured.promise
          return method.apply(target, given)
        }
      },
    })
  const become = (next: typeof state) => {
    state = next
    if (next !== 'hanging') cured.resolve()
    else cured = Promise.withResolvers()
  }
  return { wrap, become }
}

/** Process that can be suspended: its timers fire when it is resumed. */
function createStoppableClock() {
  let held: (() => void)[] | null = null
  const wrap = (clock: Clock): Clock => ({
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    schedule: (delayMs, run) => {
      let isCancelled = false
      const ring = () => {
        if (held !== null) held.push(ring)
        else if (!isCancelled) run()
      }
      const cancel = clock.schedule(delayMs, ring)
      return () => {
        isCancelled = true
        cancel()
      }
    },
  })
  const stop = () => {
    held = []
  }
  const goOn = () => {
    const late = held ?? []
    held = null
    // Runs the newest timer first, so that the keeper is not the first part to notice that its process was suspended.
    for (const ring of late.reverse()) ring()
  }
  return { wrap, stop, goOn }
}

const hearts = ['heart00001', 'heart00002', 'heart00003']
const noDataAfterMs = 30 * second
const everyMs = 5 * second

/** Three heartbeats that can be silent for 30 s without an alert. */
async function createHearts(world: World, confirmAfterMs = 0): Promise<void> {
  for (const id of hearts) {
    const command = async (body: object) => {
      const reply = await world.command(id, body as never)
      if (!reply.ok) throw new Error(reply.error.message)
    }
    await command({ kind: 'create-subject', workspaceId: 'w', slug: id, name: id })
    await command({ kind: 'create-signal', name: 'Beat', signalKind: 'custom_heartbeat', meta: '{}', convert: false })
    const unset = { from: null, compare: null, threshold: null, match: null }
    const input = { ...unset, signal: 'beat', mode: 'status', noDataAfterMs }
    const policy = { inputs: [input], need: 'any', atLeast: null, confirmAfterMs, closeAfterMs: 0 }
    await command({ kind: 'create-rule', name: 'alive', policy, convert: false })
  }
}

/** Sends a beat of each of `ids` every 5 s for `ms`; returns the number of accepted beats. A refused beat is not sent again. */
async function beatFor(world: World, ms: number, ids: readonly string[] = hearts): Promise<number> {
  let taken = 0
  const until = world.clock.now() + ms
  while (world.clock.now() < until) {
    for (const id of ids) {
      const report = { signal: 'beat', status: 'ok', value: null, error: '', labels: {}, observedAtUs: world.clock.now() * 1_000 }
      const command = { kind: 'report-observation', id: randomId(8), ...report }
      world.client.request(subjects.command(id), command, { timeoutMs: 4 * second }).then(
        () => taken++,
        () => undefined,
      )
    }
    await world.clock.advance(Math.min(everyMs, until - world.clock.now()))
  }
  return taken
}

const told = async (world: World, ids: readonly string[] = hearts) =>
  (await Promise.all(ids.map(id => world.alerts(id)))).flat().map(({ kind }) => kind)

async function kill(world: World, { bus }: KeeperHandle): Promise<void> {
  world.hub.cut(bus)
  await bus.close()
}

async function live(confirmAfterMs = 0) {
  const [store, process] = [createIllStore(), createStoppableClock()]
  const world = createWorld(store.wrap, process.wrap)
  const keeper = await world.startOne({ exclusive: true })
  await world.clock.advance(20 * second)
  await createHearts(world, confirmAfterMs)
  await beatFor(world, minute)
  return { world, store, process, keeper }
}

type Lived = Awaited<ReturnType<typeof live>>

const outages: [what: string, sentence: RegExp, suffer: (lived: Lived, ms: number) => Promise<unknown>][] = [
  [
    'the store refuses everything',
    /^Reports could not be stored for 1 min [0-3] s: silence alerts wait 1 min [0-3] s\.$/,
    async ({ world, store }, ms) => {
      store.become('refusing')
      await beatFor(world, ms)
      store.become('well')
    },
  ],
  [
    'the store takes no writes, and answers all the same',
    /^Reports could not be stored for/,
    async ({ world, store }, ms) => {
      store.become('writes refused')
      await beatFor(world, ms)
      store.become('well')
    },
  ],
  [
    'the store does not answer',
    /^Reports could not be stored for/,
    async ({ world, store }, ms) => {
      store.become('hanging')
      await beatFor(world, ms)
      store.become('well')
    },
  ],
  [
    'no gateway takes reports',
    /^No gateway was heard of for/,
    async ({ world }, ms) => {
      await world.gateway.stop()
      await world.clock.advance(ms)
      announceGateway({ bus: world.client, clock: world.clock, logger: world.logger }, async () => undefined)
    },
  ],
  [
    'no keeper is there',
    /^Watchkeeper was off for/,
    async ({ world, keeper }, ms) => {
      await kill(world, keeper)
      await beatFor(world, ms)
      await world.startOne({ exclusive: true })
    },
  ],
  [
    'the keeper is stopped and goes on',
    /^Watchkeeper was off for/,
    async ({ world, process }, ms) => {
      process.stop()
      await world.clock.advance(ms)
      process.goOn()
    },
  ],
  [
    'the keeper is cut off from the bus',
    /^The bus did not bring reports for/,
    async ({ world, keeper }, ms) => {
      world.hub.cut(keeper.bus)
      await beatFor(world, ms)
      world.hub.restore(keeper.bus)
    },
  ],
]

for (const [what, sentence, suffer] of outages) {
  t.test(
    `heartbeats are not notified as silent when ${what} for a minute, and the log says once that silence alerts wait`,
    async t => {
      const lived = await live()
      const { world } = lived
      const said = world.logged.length
      await suffer(lived, minute)
      t.ok((await beatFor(world, 3 * minute)) > 80, 'they go on')
      t.strictSame(await told(world), [])
      t.strictSame((await Promise.all(hearts.map(id => world.incidents(id)))).flat(), [], 'nor are incidents opened for them')
      const sentences = world.logged.slice(said).filter(line => line.includes('silence alerts wait'))
      t.match(sentences, [sentence])
      t.equal(sentences.length, 1)
    },
  )

  t.test(
    `heartbeat that stops while ${what} is notified as silent once silence counts again, and no other heartbeat is`,
    async t => {
      const lived = await live()
      const { world } = lived
      await suffer(lived, minute)
      const [ended = '', ...others] = hearts
      await beatFor(world, 50 * second, others)
      t.strictSame(await told(world), [])
      await beatFor(world, 30 * second, others)
      t.strictSame(await told(world, [ended]), ['no_data'])
      t.strictSame(await told(world, others), [])
    },
  )
}

t.test('monitor is notified as silent while no gateway accepts reports, and heartbeats are not', async t => {
  const { world } = await live()
  const site = await world.create({ confirm_after: 0 })
  await world.report(site, true)
  await world.gateway.stop()
  await world.clock.advance(3 * minute + second)
  t.strictSame(await told(world, [site]), ['no_data'])
  t.strictSame(await told(world), [])
})

t.test(
  'late heartbeat leads to no message during an outage, nor in the time after the outage in which silence does not count',
  async t => {
    const { world, store } = await live(20 * second)
    await world.clock.advance(noDataAfterMs)
    t.match((await Promise.all(hearts.map(id => world.incidents(id)))).flat(), [
      { status: 'pending', condition: 'no_data' },
      { status: 'pending', condition: 'no_data' },
      { status: 'pending', condition: 'no_data' },
    ])
    store.become('refusing')
    await beatFor(world, minute)
    store.become('well')
    await world.clock.advance(everyMs)
    const [ended = '', ...others] = hearts
    await beatFor(world, 2 * minute, others)
    t.strictSame(await told(world, others), [])
    t.strictSame(await told(world, [ended]), ['no_data'])
  },
)

t.test('outages that follow each other hold silence back like one outage, whatever the number of restarts', async t => {
  for (const [what, upMs] of [
    ['before anything is stored of the first', 2 * second],
    ['in the midst of the hold', 12 * second],
  ] as const) {
    const { world, keeper } = await live()
    const outage = async (last: KeeperHandle) => {
      await kill(world, last)
      await beatFor(world, 25 * second)
      return await world.startOne({ exclusive: true })
    }
    let last = await outage(keeper)
    for (let restarts = 0; restarts < 3; restarts++) {
      // The gateway is up too briefly for any sender to report.
      await world.clock.advance(upMs)
      last = await outage(last)
    }
    await world.clock.advance(50 * second)
    t.strictSame(await told(world), [], what)
    await beatFor(world, 3 * minute)
    t.strictSame(await told(world), [], what)
  }
})
