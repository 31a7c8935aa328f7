// Facts of installations that are well, for tests of the doctor's checks: each test changes what it is about.
import type { ExaminedStream } from '#shared/bus/nats/nats-examine.ts'
import { day } from '#shared/limits/limits.ts'
import type { BusFacts, Facts, StoreFacts } from '../../../infra/doctor/facts.ts'
import { readAllSettings } from '../../../infra/runtime/all-settings.ts'
import { decideRunMode } from '../../../infra/runtime/run-mode.ts'

export type LookedBus = Extract<BusFacts, { state: 'looked' }>
export type Mongodb = Extract<StoreFacts, { kind: 'mongodb' }>

export const at = Date.UTC(2026, 10, 29, 3)
const gib = 1024 ** 3

export const stream = (over: Partial<ExaminedStream> = {}): ExaminedStream => ({
  name: 'OBSERVATIONS',
  isPresent: true,
  copies: 3,
  hasLeader: true,
  behind: [],
  offline: [],
  consumers: 64,
  mostConsumers: -1,
  bytes: 1_000,
  mostBytes: 2 * gib,
  ...over,
})

const server = (number: number) => ({ server: `nats-${number}.nats:4222`, fault: null, version: '2.15.1' })

export const bus = (over: Partial<LookedBus> = {}): LookedBus => ({
  state: 'looked',
  servers: [server(0), server(1), server(2)],
  isDoorOnly: false,
  files: { usedBytes: gib, mostBytes: -1 },
  streams: [stream(), stream({ name: 'KV_leases', mostBytes: -1 })],
  offset: { aheadMs: 3, roundTripMs: 2 },
  present: [
    { service: 'keeper', id: 'k1', version: null, knows: 4 },
    { service: 'prober', id: 'aaaa/p1', version: '2.1.0', knows: 4 },
    { service: 'gateway', id: 'g1', version: null, knows: 0 },
  ],
  installation: { installationId: 'one', commits: null },
  ...over,
})

const member = (number: number) => ({ host: `mongo-${number}.mongo`, port: 27017, isPrimary: number === 0, fault: null })

export const mongodb = (over: Partial<Mongodb> = {}): Mongodb => ({
  kind: 'mongodb',
  fault: null,
  version: '8.0.4',
  members: [member(0), member(1), member(2)],
  level: { number: 4, done: 4 },
  installationId: 'one',
  sealingKeyId: null,
  missingIndexes: [],
  offset: { aheadMs: -2, roundTripMs: 2 },
  probe: { fault: null, medianMs: 4.2, races: 10, falseWins: 0 },
  room: { freeBytes: 100 * gib, totalBytes: 200 * gib },
  ...over,
})

const settingsOf = (environment: Record<string, string>): Facts['settings'] => {
  const values = readAllSettings(environment)
  return { fault: null, values, mode: decideRunMode(values) }
}

const addresses = {
  NATS_URL: 'tls://nats-0.nats:4222,tls://nats-1.nats:4222,tls://nats-2.nats:4222',
  MONGODB_URL: 'mongodb://store.example/watchkeeper',
}

/** Facts of a cluster that is well. `environment` is added to its settings. */
export const cluster = (over: Partial<Facts> = {}, environment: Record<string, string> = {}): Facts => ({
  at,
  version: '2.1.0',
  latestNumber: 4,
  settings: settingsOf({ ...addresses, SERVICES: 'directory,keeper,notifier', NATS_REPLICAS: '3', ...environment }),
  folder: null,
  readiness: { isReady: true, reasons: [], warnings: [] },
  bus: bus(),
  store: mongodb(),
  certificates: [{ name: 'nats-0.nats:4222', validFrom: at - day, validTo: at + 800 * day, fault: null }],
  credentials: { expiresAt: null, fitsKeys: true },
  sealing: { isNeeded: true, hasKey: true, fault: null },
  ...over,
})

/** Facts of a stopped installation in one process that is well. */
export const alone = (over: Partial<Facts> = {}): Facts => ({
  ...cluster(),
  settings: settingsOf({}),
  folder: {
    path: '/data',
    exists: true,
    unwritable: null,
    holder: null,
    room: { freeBytes: 50 * gib, totalBytes: 100 * gib },
    flushMs: 3,
  },
  readiness: null,
  bus: { state: 'stopped' },
  store: {
    kind: 'sqlite',
    isUsed: false,
    path: '/data/watchkeeper.db',
    exists: true,
    fault: null,
    level: { number: 4, done: 4 },
    missingIndexes: [],
    sealingKeyId: null,
  },
  certificates: [],
  credentials: null,
  ...over,
})
