// The bus of this process: its own nats-server, or the server at NATS_URL. The credentials decide the location of a prober. They also
// decide if this process can create credentials of probers. Checks the settings before anything listens.
import { readFile } from 'node:fs/promises'
import type { Registry } from 'prom-client'
import { connectBus } from '#shared/bus/nats/nats.ts'
import { proberOf, readCredentials, serversOf } from '#shared/bus/nats/nats-options.ts'
import type { Bus } from '#shared/bus/port.ts'
import { type BusKeys, parseBusKeys } from '#shared/bus/probers/bus-keys.ts'
import { createProberIssuer, type ProberIssuer } from '#shared/bus/probers/prober-issuer.ts'
import { limits } from '#shared/limits/limits.ts'
import { isLoopback } from '#shared/net/loopback.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { AllSettings } from '../all-settings.ts'
import type { RunMode } from '../run-mode.ts'
import { startStep, usageError } from '../start-error.ts'
import { type BusAddress, busCredentials } from './bus-credentials.ts'
import { busTlsFiles, demandFittingListener } from './bus-tls.ts'
import { startEmbeddedBus } from './embedded-bus.ts'

export interface OpenBusOptions {
  settings: AllSettings
  mode: RunMode
  dataFolder: string
  acceptLoss: boolean
  clock: Clock
  logger: Logger
  metrics: Registry
  print(line: string): void
  undo: { what: string; run: () => Promise<unknown> }[]
}

export interface OpenedBus {
  bus: Bus
  /** Address and credentials for another thread of this process. */
  busAddress: BusAddress
  /** Creates credentials of probers; null: this process has no keys of the bus. */
  proberIssuer: ProberIssuer | null
  /** Location from LOCATION_ID or from a prober's credentials; empty: the prober looks its location up by name. */
  locationId: string
}

/** Opens the bus. Throws a StartError; `undo` then contains the parts that were started before the error. */
export async function openBus(options: OpenBusOptions): Promise<OpenedBus> {
  const { settings, mode, logger, undo, clock } = options
  const own = await startStep(() => proberOfFile(settings))
  const locationId = locationOf(settings, mode, own)
  const external = {
    url: settings.NATS_URL,
    token: settings.NATS_TOKEN,
    credentialsFile: settings.NATS_CREDENTIALS,
    ownMachine: false,
    ...(await busTlsFiles(settings)),
  }
  const given = mode.embeddedBus ? await startOwnServer(options) : { ...external, keys: await keysOfFile(settings) }
  // A process that runs only a prober and has LOCATION_ID has only the rights of a prober, even if another issuer created its credentials.
  const foreign = own === null && settings.LOCATION_ID !== '' && mode.services.join() === 'prober'
  const bus = await startStep(() =>
    connectBus({
      servers: given.url,
      name: `watchkeeper ${mode.services.join('+')}`,
      ...busCredentials(given),
      ...(foreign ? { locationId: settings.LOCATION_ID } : {}),
      patienceMs: limits.start.patienceMs,
      logger,
      metrics: options.metrics,
      declare: mode.needsStore,
      ...(settings.NATS_REPLICAS === 0 ? {} : { replicas: settings.NATS_REPLICAS }),
    }),
  )
  undo.push({ what: 'bus', run: () => bus.close() })
  const { keys, url, token, credentialsFile, ownMachine } = given
  const tls = given.tlsFiles && { tlsFiles: given.tlsFiles }
  const proberIssuer = keys && createProberIssuer({ keys, connection: { ...serversOf(given.url), ownMachine, ...tls }, clock })
  return { bus, busAddress: { url, token, credentialsFile, ownMachine, ...tls }, proberIssuer, locationId }
}

/** Checks all settings and files of the bus as `openBus` does before it connects. Throws a StartError. */
export async function demandFittingBus(settings: AllSettings, mode: RunMode): Promise<void> {
  locationOf(settings, mode, await startStep(() => proberOfFile(settings)))
  await busTlsFiles(settings)
  if (mode.embeddedBus) await demandFittingListener(settings)
  else await keysOfFile(settings)
}

async function startOwnServer(options: OpenBusOptions): Promise<BusAddress & { keys: BusKeys }> {
  const { settings, undo, logger, clock, dataFolder, acceptLoss, print } = options
  const { NATS_TLS_CERT: cert, NATS_TLS_KEY: key, NATS_LISTEN: host } = settings
  await demandFittingListener(settings)
  const server = await startStep(() =>
    startEmbeddedBus({
      dataFolder,
      toolsFolder: settings.TOOLS_DIR,
      host,
      port: settings.NATS_PORT,
      tls: cert === '' ? null : { cert, key },
      acceptLoss,
      clock,
      logger: logger.child({ part: 'nats' }),
      print,
    }),
  )
  undo.push({ what: 'nats-server', run: server.stop })
  if (!isLoopback(host)) {
    logger.info({ host, port: settings.NATS_PORT, tls: cert !== '' }, 'bus listens beyond this machine')
    if (cert === '') {
      // Warns of a listener without TLS, because everybody on the network path can then read and change messages of probers.
      const advice = 'set NATS_TLS_CERT and NATS_TLS_KEY, or keep it in a private network'
      logger.warn({ advice }, 'bus listens beyond this machine without TLS')
    }
  }
  return server
}

async function proberOfFile(settings: AllSettings): Promise<ReturnType<typeof proberOf>> {
  return settings.NATS_CREDENTIALS === '' ? null : proberOf(await readCredentials(settings.NATS_CREDENTIALS))
}

function locationOf(settings: AllSettings, mode: RunMode, own: ReturnType<typeof proberOf>): string {
  if (own === null) return settings.LOCATION_ID
  if (mode.services.join() !== 'prober') {
    throw usageError("NATS_CREDENTIALS is a prober's, which may do nothing else on the bus: set SERVICES=prober.")
  }
  if (settings.LOCATION_ID !== '' && settings.LOCATION_ID !== own.locationId) {
    throw usageError(`NATS_CREDENTIALS is for the location ${own.locationId}: leave LOCATION_ID unset.`)
  }
  return own.locationId
}

/** Returns the keys of an external bus from the file NATS_KEYS; null: not set. */
export async function keysOfFile({ NATS_KEYS: file }: Pick<AllSettings, 'NATS_KEYS'>): Promise<BusKeys | null> {
  if (file === '') return null
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw usageError(`The file ${file} can't be read (${error.code}): correct NATS_KEYS.`)
  })
  const keys = parseBusKeys(text)
  if (keys === null)
    throw usageError(`The file ${file} holds no keys of a bus: correct NATS_KEYS; ./watchkeeper bus keys makes some.`)
  return keys
}
