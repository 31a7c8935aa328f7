// Resources on the real parts in one process: directory, keeper and gateway with real HTTP, on one of the two stores, and an owner with a
// key.
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { Test } from 'tap'
import { openStore } from '#shared/store/open-store.ts'
import type { Store } from '#shared/store/port.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { startDirectory } from '../../services/directory/app.ts'
import { createGateway } from '../../services/gateway/app.ts'
import { startKeeper } from '../../services/keeper/app.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { presentLevel } from '../support/present-level.ts'
import { sharedMongodb } from '../support/store/secantus.ts'
import { addPerson, call, incidentSalt, version } from '../support/worlds/api-world.ts'

const logger = pino({ level: 'silent' })
const holds = { confirmAfterMs: 120_000, closeAfterMs: 120_000 }

/** Closes everything at the end of the test, the store too. `api` calls generation 3 below the owner's workspace. */
export async function setResourceStage(t: Test, store: Store) {
  const clock = createSystemClock()
  const hub = createMemoryHub({ clock })
  const around = () => ({ bus: hub.connect(), clock, logger, metrics: new Registry(), store, level: presentLevel() })
  const directory = await startDirectory(around())
  const keeper = await startKeeper(around(), { keeperId: 'keeper', exclusive: true, incidentSalt, ...holds })
  const { fastify, service } = await createGateway(around(), { version, incidentSalt })
  await fastify.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(async () => {
    await service.stop()
    await keeper.stop()
    await directory.stop()
    clock.stop()
    await store.close()
  })
  const base = `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}`
  const { token } = await addPerson({ store, clock }, 'olga', { w1: 'owner' })
  const api = async (method: string, path: string, body?: unknown) => {
    const sent = { token, ...(body === undefined ? {} : { body }) }
    const { status, json } = await call(base, method, `/api/v3/workspaces/w1${path}`, sent)
    return { status, result: json.result, error: json.error }
  }
  return { store, base, api }
}

/** Returns a list of the two stores: title, function that opens the store, and number of races on it. */
export const resourceStores = (rounds: {
  sqlite: number
  mongodb: number
}): [title: string, open: (t: Test) => Promise<Store | null>, rounds: number][] => [
  ['SQLite', async t => openStore({ dataFolder: t.testdir(), logger }), rounds.sqlite],
  [
    'the MongoDB wire protocol',
    async t => {
      const mongodbUrl = await sharedMongodb(t)
      return mongodbUrl === null ? null : openStore({ mongodbUrl, dataFolder: '', logger })
    },
    rounds.mongodb,
  ],
]
