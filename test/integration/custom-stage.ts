// Custom subjects on the real parts: real NATS, real HTTP, one of the two stores, and two people with keys. Keepers can have successors or
// die at a step of their commit.
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { createKeeperClient } from '#shared/bus/clients/clients.ts'
import type { Bus } from '#shared/bus/port.ts'
import { type CollectionName, collections } from '#shared/store/collections.ts'
import type { Store } from '#shared/store/port.ts'
import { putOneByOne } from '#shared/store/put-one-by-one.ts'
import { randomId } from '#shared/text/ids.ts'
import { type Clock, createSystemClock } from '#shared/time/clock.ts'
import { startDirectory } from '../../services/directory/app.ts'
import { createGateway } from '../../services/gateway/app.ts'
import { startKeeper } from '../../services/keeper/app.ts'
import { startTestBus, type TestBus } from '../support/bus/nats.ts'
import { presentLevel } from '../support/present-level.ts'
import { createStoppableClock } from '../support/stoppable-clock.ts'
import { type Answer, addPerson, call, incidentSalt, version } from '../support/worlds/api-world.ts'

type Test = import('tap').Test

export const home = 'home000000'
export const clock = createSystemClock()
const logger = pino({ level: 'silent' })
const holds = { confirmAfterMs: 120_000, closeAfterMs: 120_000 }
const forever = () => new Promise<never>(() => undefined)
const operations = ['get', 'insert', 'replace', 'advance', 'upsert', 'delete', 'deleteRange', 'find', 'count', 'expire'] as const
type Operation = (typeof operations)[number]

export const pass = (ms: number) => new Promise<void>(resolve => void clock.schedule(ms, resolve))

/** Polls until `look` returns a value; fails after its time bound. */
export async function until<T>(what: string, look: () => Promise<T>): Promise<NonNullable<T>> {
  for (let looks = 0; looks < 4_000; looks++) {
    const seen = await look()
    if (seen) return seen
    await pass(5)
  }
  throw new Error(`it never came to this: ${what}`)
}

export interface Keeper {
  /** Returns whether the keeper has taken over all its partitions. */
  isReady(): boolean
  /** Stops the keeper in order: it hands over all its partitions. */
  stop(): Promise<void>
  /**
   * Kills the keeper right after its next write of this kind for the subject; resolves after the write. The dead keeper sends nothing more.
   */
  dieAfter(operation: Operation, collection: CollectionName, subjectId: string): Promise<void>
}

/** Starts a keeper whose store, clock and bus stop when the keeper dies: it then sends no response, and renews or releases no lease. */
async function startMortal(testBus: TestBus, store: Store, exclusive: boolean): Promise<Keeper> {
  const bus = await testBus.connect('keeper')
  const timers = new Set<() => void>()
  let dead = false
  let last: { operation: Operation; collection: CollectionName; subjectId: string; died: () => void } | null = null
  const die = async () => {
    dead = true
    for (const cancel of timers) cancel()
    await bus.close()
    last?.died()
    return forever()
  }
  const mortalStore = { ...store }
  for (const operation of operations) {
    mortalStore[operation] = async (...given: unknown[]) => {
      if (dead) return forever()
      const result = await (store[operation] as (...given: unknown[]) => Promise<never>)(...given)
      if (dead) return forever()
      // Rounds of other subjects write at the same time; only writes of this subject count.
      const isOfSubject = JSON.stringify(given[1]).includes(last?.subjectId ?? 'nobody')
      return last?.operation === operation && last.collection === given[0] && isOfSubject ? die() : result
    }
  }
  mortalStore.putInOrder = putOneByOne(mortalStore)
  const mortalClock: Clock = {
    ...clock,
    schedule: (delayMs, run) => {
      if (dead) return () => undefined
      const cancel = clock.schedule(delayMs, () => {
        timers.delete(cancel)
        run()
      })
      timers.add(cancel)
      return () => {
        timers.delete(cancel)
        cancel()
      }
    },
  }
  const around = { bus, store: mortalStore, clock: mortalClock, logger, metrics: new Registry(), level: presentLevel() }
  const service = await startKeeper(around, { keeperId: randomId(6), exclusive, ...holds })
  return {
    isReady: () => service.unready().length === 0,
    stop: async () => (dead ? undefined : service.stop()),
    dieAfter: (operation, collection, subjectId) =>
      new Promise<void>(died => {
        last = { operation, collection, subjectId, died }
      }),
  }
}

export type Stage = Awaited<ReturnType<typeof setStage>>

/** Closes everything at the end of the test, the store too. */
export async function setStage(t: Test, store: Store) {
  const testBus = await startTestBus()
  const around = async (name: string) => ({ bus: await testBus.connect(name), clock, logger, metrics: new Registry(), store })
  const clockOfRequests = createStoppableClock(clock)
  const directory = await startDirectory(await around('directory'))
  const { fastify, service: gateway } = await createGateway(
    { ...(await around('gateway')), clock: clockOfRequests },
    { version, incidentSalt },
  )
  await fastify.listen({ host: '127.0.0.1', port: 0 })
  const address = `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}`
  const bus: Bus = await testBus.connect('test')
  let keeper = await startMortal(testBus, store, false)
  t.teardown(async () => {
    await gateway.stop()
    await keeper.stop()
    await directory.stop()
    await testBus.stop()
    await store.close()
  })
  const tokens: Record<string, string> = {}
  for (const name of ['ada', 'bob']) tokens[name] = (await addPerson({ store, clock }, name, { [home]: 'editor' })).token
  const commands = createKeeperClient(bus, clock)

  const send = (person: string, method: string, path: string, body?: unknown): Promise<Answer> =>
    call(address, method, `/api/v2/subjects${path}`, {
      token: tokens[person] ?? null,
      ...(body === undefined ? {} : { body }),
    })
  const must = async (method: string, path: string, body?: unknown) => {
    const { json } = await send('ada', method, path, body)
    if (json.error !== null) throw new Error(`${method} ${path}: ${JSON.stringify(json.error)}`)
    return json.result
  }
  return {
    store,
    send,
    must,
    /** Creates a subject; returns its slug and its internal id. */
    create: async (name: string): Promise<{ slug: string; id: string }> => {
      const { id: slug } = await must('POST', '', { workspace_id: home, name })
      const [subject] = await store.find('subjects', { where: { slug, workspaceId: home, deletedAt: null }, limit: 1 })
      return { slug, id: subject?.id ?? '' }
    },
    subject: async (id: string) => (await store.get('subjects', [id]))[0] ?? null,
    remove: (id: string) => commands.send(id, { kind: 'delete-subject', id: randomId(8) }),
    /** Starts a second keeper and stops the first. */
    changeKeeper: async () => {
      const leaving = keeper
      keeper = await startMortal(testBus, store, false)
      await leaving.stop()
    },
    /**
     * Runs `play` and kills the keeper at the given write of the subject. The successor takes every lease at once, as after a restart in
     * embedded mode. The time in which no keeper is ready does not count for the time limits of requests.
     */
    killDuring: async <T>(
      operation: Operation,
      collection: CollectionName,
      subjectId: string,
      play: () => Promise<T>,
    ): Promise<T> => {
      const died = keeper.dieAfter(operation, collection, subjectId)
      const played = play()
      await died
      clockOfRequests.stop()
      keeper = await startMortal(testBus, store, true)
      await until('the successor is ready', async () => keeper.isReady())
      clockOfRequests.goOn()
      return played
    },
    /**
     * Returns the number of documents in each collection that still name the subject. Removed tags are not counted: they stay for an hour,
     * so that no late write restores them.
     */
    whatIsLeft: async (id: string) => {
      const counts: Partial<Record<CollectionName, number>> = {}
      for (const name of Object.keys(collections) as CollectionName[]) {
        const found = (await store.find(name, { limit: 10_000 })).filter(
          document => JSON.stringify(document).includes(id) && !('gone' in document && document.gone === 1),
        )
        if (found.length > 0) counts[name] = found.length
      }
      return counts
    },
  }
}
