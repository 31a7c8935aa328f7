// Directories of which one is cut off from the store: who gets the requests.
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import { limits, second } from '#shared/limits/limits.ts'
import { type Store, StoreError } from '#shared/store/port.ts'
import { startDirectory } from '../../services/directory/app.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { createVirtualClock } from '../support/virtual-clock.ts'

const { storeAskMs, storeSilentMs } = limits.directory

/** Store that a test cuts off: then each call waits until the cut ends, and fails, as behind a silent connection. */
function cuttable(store: Store) {
  let cut: PromiseWithResolvers<never> | null = null
  const through = new Proxy(store, {
    get: (target, name) => {
      const member = Reflect.get(target, name)
      return typeof member === 'function' ? (...given: unknown[]) => cut?.promise ?? member.apply(target, given) : member
    },
  })
  return {
    store: through,
    cut: () => {
      cut = Promise.withResolvers<never>()
      cut.promise.catch(() => undefined)
    },
    heal: () => {
      cut?.reject(new StoreError('unavailable', 'cut off'))
      cut = null
    },
  }
}

async function start(hasPeers = true) {
  const clock = createVirtualClock()
  const hub = createMemoryHub({ clock })
  const store = createMemoryStore()
  const link = cuttable(store)
  const open = (its: Store) =>
    startDirectory(
      { bus: hub.connect(), clock, store: its, logger: pino({ level: 'silent' }), metrics: new Registry() },
      { hasPeers },
    )
  const cutOff = await open(link.store)
  t.teardown(() => cutOff.stop())
  const { ask } = createDirectoryClient(hub.connect(), clock)
  /** Asks ten times at once; resolves with the number of answers within a second. */
  const answers = async () => {
    let count = 0
    for (let n = 0; n < 10; n++)
      void ask('list-conditions', {}, 'trace').then(
        () => count++,
        () => undefined,
      )
    await clock.advance(second)
    return count
  }
  return { clock, link, cutOff, answers, add: () => open(store).then(other => void t.teardown(() => other.stop())) }
}

t.test(
  'directory whose store is silent leaves all requests to the others, and takes some again when its store answers',
  async t => {
    const { clock, link, cutOff, answers, add } = await start()
    await add()
    t.equal(await answers(), 10)
    link.cut()
    t.ok((await answers()) < 10, 'at first it still gets some')
    await clock.advance(storeSilentMs + storeAskMs)
    t.equal(await answers(), 10)
    t.strictSame(cutOff.unready(), ['The directory cannot reach the store.'])
    link.heal()
    await clock.advance(2 * storeAskMs)
    t.strictSame(cutOff.unready(), [])
    t.equal(await answers(), 10)
  },
)

t.test('directory beside which no other can run keeps its seat while the store is silent', async t => {
  const { clock, link, cutOff, answers } = await start(false)
  link.cut()
  await clock.advance(storeSilentMs + 2 * storeAskMs)
  t.strictSame(cutOff.unready(), [])
  link.heal()
  t.equal(await answers(), 10)
})
