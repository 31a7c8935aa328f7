// Connection of a command to the bus of the running installation. The command takes the bus's address from NATS_URL or from the data
// folder.
import { resolve } from 'node:path'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import { connectBus } from '#shared/bus/nats/nats.ts'
import type { Bus } from '#shared/bus/port.ts'
import type { AskRequest, AskResults, AskVerb } from '#shared/contracts/ask/ask.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { type Clock, createSystemClock } from '#shared/time/clock.ts'
import { readAllSettings } from '../../runtime/all-settings.ts'
import { busCredentials } from '../../runtime/bus/bus-credentials.ts'
import { busTlsFiles } from '../../runtime/bus/bus-tls.ts'
import { readBusAddress } from '../../runtime/bus/embedded-bus.ts'
import { exitCodes, StartError } from '../../runtime/start-error.ts'
import { type Progress, startProgress } from '../terminal/progress.ts'

export type Ask = <V extends AskVerb>(verb: V, request: AskRequest<V>) => Promise<AskResults[V]>

/**
 * Sends requests to the directory of the running installation over one connection. Throws a StartError if no installation runs, or if the
 * directory refuses a request.
 */
export async function withInstallation<T>(run: (ask: Ask) => Promise<T>): Promise<T> {
  return withBus((bus, clock) => {
    const directory = createDirectoryClient(bus, clock)
    return run((verb, request) => directory.ask(verb, request))
  })
}

/** Opens a connection, runs `run` with it, and closes it. Throws the errors of `withInstallation`. */
export async function withBus<T>(run: (bus: Bus, clock: Clock, progress: Progress) => Promise<T>): Promise<T> {
  const progress = startProgress('the installation is asked …')
  const clock = createSystemClock()
  let bus: Bus | null = null
  try {
    bus = await connect()
    return await run(bus, clock, progress)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'unavailable' || error.code === 'busy') throw notRunning(error.details || error.message)
    const isMissing = error.code === 'not_found'
    throw new StartError(
      `${error.message}: ${error.details.replace(/\.$/, '')}.`,
      isMissing ? exitCodes.notFound : exitCodes.refused,
    )
  } finally {
    clock.stop()
    await bus?.close()
    progress.end()
  }
}

async function connect() {
  const settings = readAllSettings(process.env)
  const folder = resolve(settings.DATA_DIR)
  const given = {
    url: settings.NATS_URL,
    token: settings.NATS_TOKEN,
    credentialsFile: settings.NATS_CREDENTIALS,
    ownMachine: false,
    ...(await busTlsFiles(settings)),
  }
  const address =
    given.url === '' ? await readBusAddress(folder).catch(error => Promise.reject(notRunning(error.message))) : given
  if (address === null) throw notRunning(`nothing runs on the data folder ${folder}`)
  return connectBus({
    servers: address.url,
    name: 'watchkeeper command',
    ...busCredentials(address),
    patienceMs: limits.start.commandMs,
    logger: createLogger('silent'),
    declare: false,
  }).catch(error => {
    throw notRunning((error as Error).message)
  })
}

const notRunning = (why: string) =>
  new StartError(
    `Watchkeeper can't be reached (${why.replace(/\.$/, '')}): start it, or set DATA_DIR or NATS_URL.`,
    exitCodes.notRunning,
  )
