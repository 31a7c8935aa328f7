// A whole installation in this process: real bus, SQLite in a temporary folder, all services. Counts the writes for clients separately from
// the writes that the keeper makes by itself.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { createDirectoryClient, type DirectoryClient } from '#shared/bus/clients/clients.ts'
import type { ProberIssuer } from '#shared/bus/probers/prober-issuer.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { openStore } from '#shared/store/open-store.ts'
import type { PutResult, Store } from '#shared/store/port.ts'
import { putOneByOne } from '#shared/store/put-one-by-one.ts'
import { type Clock, createSystemClock } from '#shared/time/clock.ts'
import { readAllSettings } from '../../infra/runtime/all-settings.ts'
import { followCollector } from '../../infra/runtime/collector-pace.ts'
import { decideRunMode } from '../../infra/runtime/run-mode.ts'
import { startServices } from '../../infra/runtime/services.ts'
import { createWaiting } from '../../infra/runtime/waiting.ts'
import { bootstrap, confirmFirstKey } from '../../services/directory/people/bootstrap.ts'
import { startTestBus } from '../support/bus/nats.ts'
import { presentLevel } from '../support/present-level.ts'

export interface FuzzedInstallation {
  url: string
  key: string
  /** URL of a receiver that accepts every message. */
  receiverUrl: string
  /** Number of writes on behalf of a client. */
  written(): number
  /** Number of reserved names. */
  reserved(): number
  ask: DirectoryClient['ask']
  store: Store
  clock: Clock
  stop(): Promise<void>
}

/** `proberIssuer` signs credentials of probers; null: no credentials. */
export async function startInstallation(version: string, proberIssuer: ProberIssuer | null = null): Promise<FuzzedInstallation> {
  const receiver = createServer((request, response) => void request.resume().on('end', () => response.end('ok')))
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const folder = mkdtempSync(join(tmpdir(), 'watchkeeper-fuzz-'))
  const testBus = await startTestBus()
  const logger = createLogger('silent')
  const clock = createSystemClock()
  const bus = await testBus.connect('fuzz', { declare: true })
  const { store, written, reserved } = counted(await openStore({ mongodbUrl: '', dataFolder: folder, logger }))
  const settings = readAllSettings({ DATA_DIR: folder, PORT: '0', OPS_PORT: '0', SQIDS_SALT: 'salt' })
  const { firstKey } = await bootstrap({ store, clock }, { location: settings.LOCATION })
  await confirmFirstKey({ store, clock }, firstKey as string)
  const services = await startServices(
    { bus, clock, logger, metrics: new Registry() },
    { store, level: presentLevel() },
    {
      settings,
      mode: decideRunMode(settings),
      version,
      incidentSalt: 'salt',
      secretsKey: '',
      processId: 'fuzz',
      proberIssuer,
      locationId: '',
      busAddress: { url: testBus.url, token: testBus.token, credentialsFile: '', ownMachine: true },
      pace: followCollector(clock),
      waiting: createWaiting(clock, logger, false),
    },
  )
  return {
    url: services.url as string,
    key: firstKey as string,
    receiverUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    written,
    reserved,
    ask: createDirectoryClient(bus, clock).ask,
    store,
    clock,
    stop: async () => {
      await services.stop()
      await store.close()
      clock.stop()
      await testBus.stop()
      receiver.closeAllConnections()
      receiver.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Collections that are written only for clients. Reserved names count separately, because in generation 2 a refused creation leaves a
 * reservation until it expires.
 */
const ofClients = new Set([
  'destinations',
  'transformations',
  'deliveryTables',
  'pushedObservations',
  'windows',
  'policies',
  'workspaces',
  'memberships',
  'templates',
  'addresses',
  'pingKeys',
  'users',
  'locations',
  'proberCredentials',
])

/** Returns whether the document is a maintenance window that ended by itself. */
const hasRunOut = (document: object): boolean => 'state' in document && document.state === 'ranOut'

/**
 * Returns the store with counters of writes for clients. A write of a subject counts only if it changes `updatedAt`, because the keeper
 * writes subjects at any time.
 */
function counted(store: Store): { store: Store; written(): number; reserved(): number } {
  const updated = new Map<string, number>()
  let [writes, names] = [0, 0]
  type Put = (collection: string, documents: readonly { id: string }[]) => Promise<PutResult[]>
  const countedPut =
    (put: Put): Put =>
    async (collection, documents) => {
      const results = await put(collection, documents)
      for (const [i, document] of documents.entries()) {
        if (results[i] !== 'written') continue
        if (ofClients.has(collection) && !hasRunOut(document)) writes++
        if (collection === 'names') names++
        if (collection !== 'subjects') continue
        const { id, updatedAt } = document as SubjectDocument
        if (updated.get(id) !== updatedAt) writes++
        updated.set(id, updatedAt)
      }
      return results
    }
  const puts = ['insert', 'replace', 'advance', 'upsert'] as const
  const watched: Store = { ...store, ...Object.fromEntries(puts.map(name => [name, countedPut(store[name] as Put)])) }
  watched.putInOrder = putOneByOne(watched)
  return { store: watched, written: () => writes, reserved: () => names }
}
