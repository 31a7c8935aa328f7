// The installation in one process: starts data folder, ops listener, bus, store and services in this order, and stops them in the reverse
// order. Decides nothing about monitoring.
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Bus } from '#shared/bus/port.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { knownSealingKey, noteSealingKey } from '#shared/secrecy/known-sealing-key.ts'
import { createSeals } from '#shared/secrecy/seals.ts'
import type { Store } from '#shared/store/port.ts'
import { randomId } from '#shared/text/ids.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import type { AllSettings } from './all-settings.ts'
import { keepApiAddress } from './api-address.ts'
import { openBus } from './bus/open-bus.ts'
import { followCollector } from './collector-pace.ts'
import { type DataFolder, prepareDataFolder, takeDataFolder } from './data/data-folder.ts'
import { type FirstKey, prepareFirstKey } from './data/first-key.ts'
import { installationSalt } from './data/incident-salt.ts'
import { keptSecretsKey, sealingKeyFault } from './data/kept-secrets-key.ts'
import { findUsableStore } from './data/known-installation.ts'
import { openKnownStore } from './data/open-known-store.ts'
import { type LeftPresence, removePresence } from './data/predecessor.ts'
import { ownPorts } from './listeners.ts'
import { startMonitorMetricsServer } from './monitor-metrics-server.ts'
import { demandFreePort, measureReadiness, startOpsServer } from './ops-server.ts'
import { decideRunMode, type RunMode } from './run-mode.ts'
import { type RunningServices, reachable, startServices } from './services.ts'
import { startStep } from './start-error.ts'
import { createWaiting, type Waiting } from './waiting.ts'
import { doneAlready, locationNamed, welcome } from './welcome.ts'

export interface RunOptions {
  settings: AllSettings
  version: string
  logger: Logger
  /** True if the person at the terminal accepts a loss of data: the installation then starts in spite of the loss. */
  acceptLoss: boolean
  /** True: prints the welcome, with the addresses and the next steps. */
  greets: boolean
  /** Prints a sentence for the person at the terminal. */
  print(line: string): void
}

export interface Installation {
  /** Address of the gateway; null: no gateway runs here. */
  url: string | null
  /** Stops everything that was started, the last part first. Failures are logged, not thrown. */
  stop(): Promise<void>
}

interface Running extends RunOptions {
  mode: RunMode
  /** Unique name of this process: one word. */
  processId: string
  clock: ReturnType<typeof createSystemClock>
  metrics: Registry
  waiting: Waiting
  /** Functions that undo the steps so far, in the order of the steps. */
  undo: { what: string; run: () => Promise<unknown> }[]
}

/** Resolves when everything runs. Throws a StartError after everything that was started has been stopped. */
export async function runInstallation(options: RunOptions): Promise<Installation> {
  const { logger, settings } = options
  const mode = decideRunMode(settings)
  const clock = createSystemClock({ onDrift: driftMs => logger.warn({ driftMs }, 'clock and wall time differ') })
  const running: Running = {
    ...options,
    mode,
    processId: makeProcessId(),
    clock,
    metrics: new Registry(),
    waiting: createWaiting(clock, logger, !mode.embeddedStore),
    undo: [],
  }
  const stop = () => undoAll(running)
  try {
    const url = await startAll(running)
    logger.info({ services: mode.services, version: options.version }, 'everything runs')
    return { url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startAll(running: Running): Promise<string | null> {
  const { mode, settings, undo, metrics, clock, logger, waiting } = running
  const { storeStep } = waiting
  undo.push({ what: 'clock', run: async () => running.clock.stop() })
  const pace = followCollector(clock)
  undo.push({ what: 'collector pace', run: async () => pace.stop() })
  collectDefaultMetrics({ register: metrics })
  const { path: dataFolder, predecessors } = await openDataFolder(running)
  const found = mode.embeddedStore ? await findUsableStore(dataFolder, running) : null
  if (mode.services.includes('gateway')) await demandFreePort(settings.HOST, settings.PORT, 'PORT')
  const parts: { bus?: Bus; store?: Store; services?: RunningServices; keyFault?: string } = {}
  const ops = await startOpsServer({
    host: settings.HOST,
    port: settings.OPS_PORT,
    contentType: metrics.contentType,
    metrics: async () => `${await metrics.metrics()}${(await parts.services?.metrics()) ?? ''}`,
    unready: () => unready(running, parts),
    warnings: () => [...(parts.keyFault ? [parts.keyFault] : []), ...(parts.services?.warnings() ?? [])],
  })
  undo.push({ what: 'ops listener', run: ops.close })
  measureReadiness(metrics, () => unready(running, parts))

  const opened = await openBus({ ...running, dataFolder })
  const { bus } = opened
  parts.bus = bus
  // A bus on this machine has the same clock.
  if (!mode.embeddedBus) running.clock.heed(async () => (await bus.clockOffset(clock.now)).aheadMs)
  const left = await clearPredecessors(running, bus, predecessors)
  const known = mode.needsStore ? await openKnownStore({ ...running, dataFolder, bus, found }) : null
  const store = known?.store ?? null
  if (store) parts.store = store
  const incidentSalt = settings.SQIDS_SALT || (store ? await storeStep(() => installationSalt(store)) : '')
  const secrets = await findSecretsKey(running, store, dataFolder)
  if (secrets.fault !== null) {
    parts.keyFault = secrets.fault
    logger.error({ fault: secrets.fault }, 'secrets of checks can not be opened here')
  }
  const first = mode.services.includes('directory') ? store : null
  const firstKey: FirstKey | null = first
    ? await storeStep(() => prepareFirstKey({ store: first, clock, logger }, { dataFolder, location: settings.LOCATION }))
    : null
  const services = await startStep(() =>
    startServices({ bus, clock, logger, metrics }, known, {
      ...running,
      ...opened,
      pace,
      ownPorts: [
        ...ownPorts({ settings, opsPort: ops.port, busUrl: opened.busAddress.url }),
        { host: settings.HOST, port: settings.MONITOR_METRICS_PORT },
      ],
      incidentSalt,
      secretsKey: secrets.key,
      keyFault: secrets.fault,
      predecessors,
      missedSince: left?.missedSince ?? null,
      wasInThread: left?.wasInThread ?? false,
    }),
  )
  parts.services = services
  if (first && settings.MONITOR_METRICS_PORT !== 0) await serveMonitorMetrics(running, first)
  undo.push({ what: 'services', run: services.stop })
  await keepAddress(running, dataFolder, services.url)
  if (running.greets) await greet(running, { url: services.url, opsPort: ops.port, first, firstKey, dataFolder })
  return services.url
}

interface Greeted {
  url: string | null
  opsPort: number
  /** Store of a process with a directory; null: it has none. */
  first: Store | null
  firstKey: FirstKey | null
  dataFolder: string
}

/** Prints the welcome. */
async function greet(running: Running, { url, opsPort, first, firstKey, dataFolder }: Greeted): Promise<void> {
  const { settings, version, waiting } = running
  const opsUrl = `http://${reachable(settings.HOST)}:${opsPort}`
  const done = first ? await waiting.storeStep(() => doneAlready(first)) : null
  const locationId = first ? await waiting.storeStep(() => locationNamed(first, settings.LOCATION)) : null
  const facts = { version, url, opsUrl, firstKey, locationId, dataDir: settings.DATA_DIR, dataFolder, done }
  for (const line of welcome(facts)) running.print(line)
}

/** Returns the keys of sealed secrets, empty if there are none. `fault`: why they do not fit the store, a sentence; null: they do. */
async function findSecretsKey({ settings, mode, waiting }: Running, store: Store | null, dataFolder: string) {
  const known = store && (await waiting.storeStep(() => knownSealingKey(store)))
  const kept = () => (mode.embeddedStore ? startStep(() => keptSecretsKey(dataFolder, known)) : '')
  const key = settings.SECRETS_KEY || (await kept())
  const seals = createSeals(key)
  if (store && seals && known === null) await waiting.storeStep(() => noteSealingKey(store, seals.keyId))
  return { key, fault: sealingKeyFault(key, known) }
}

async function serveMonitorMetrics({ settings, clock, logger, undo }: Running, store: Store): Promise<void> {
  const { createMonitorMetrics } = await import('../../services/directory/metrics/monitor-metrics.ts')
  const metrics = createMonitorMetrics({ store, clock })
  const { HOST: host, MONITOR_METRICS_PORT: port } = settings
  const server = await startMonitorMetricsServer({ host, port, logger, metrics })
  undo.push({ what: 'listener for the metrics of monitors', run: server.close })
}

/** Writes the API's address to the data folder, if this process holds the folder. */
async function keepAddress({ mode, undo }: Running, dataFolder: string, url: string | null): Promise<void> {
  if (url === null || !(mode.embeddedBus || mode.embeddedStore)) return
  const remove = await startStep(() => keepApiAddress(dataFolder, url))
  undo.push({ what: 'address of the API', run: remove })
}

const makeProcessId = (): string => {
  const host = hostname().replaceAll(/[^0-9A-Za-z_-]/g, '-')
  return `${host.slice(0, 32)}-${randomId(6)}`
}

/** Opens the data folder only if this process stores data on this disk. Locks it only for an embedded bus or an embedded store. */
async function openDataFolder({ mode, settings, undo, processId }: Running): Promise<Pick<DataFolder, 'path' | 'predecessors'>> {
  if (mode.embeddedBus || mode.embeddedStore) {
    const folder = await takeDataFolder(settings.DATA_DIR, processId)
    undo.push({ what: 'data folder', run: folder.release })
    return folder
  }
  const path = mode.services.includes('directory') ? await prepareDataFolder(settings.DATA_DIR) : settings.DATA_DIR
  return { path, predecessors: [] }
}

/**
 * Removes the presence of dead processes, as best effort: after a failure, they count as alive for some seconds. Returns what it said; null:
 * unknown.
 */
async function clearPredecessors({ settings, logger }: Running, bus: Bus, predecessors: string[]): Promise<LeftPresence | null> {
  if (predecessors.length === 0) return null
  const names = settings.PROBER_ID === '' ? predecessors : [...predecessors, settings.PROBER_ID]
  return removePresence(bus, names).catch(error => {
    logger.warn({ err: error }, "presence of this folder's last process could not be removed")
    return null
  })
}

async function unready(
  { mode, waiting }: Running,
  parts: { bus?: Bus; store?: Store; services?: RunningServices },
): Promise<string[]> {
  const { bus, store, services } = parts
  if (!bus || !services || (mode.needsStore && !store)) return ['It is starting.', ...waiting.reasons()]
  const reasons = bus.connected() ? [] : ['The bus does not answer.']
  if (store && !(await answersInTime(store))) reasons.push('The store does not answer.')
  return [...reasons, ...services.unready()]
}

async function answersInTime(store: Store): Promise<boolean> {
  const ping = store.ping().then(
    () => true,
    () => false,
  )
  const patience = new AbortController()
  const late = pause(limits.start.pingMs, false, { signal: patience.signal }).catch(() => false)
  return Promise.race([ping, late]).finally(() => patience.abort())
}

async function undoAll({ undo, logger }: Running): Promise<void> {
  for (let step = undo.pop(); step !== undefined; step = undo.pop()) {
    const { what, run } = step
    await run().catch(error => logger.warn({ err: error, what }, 'part did not end cleanly'))
  }
}
