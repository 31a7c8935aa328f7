// How a command reaches the installation that runs: over its bus, by NATS_URL or by the address in the data folder.
import { resolve } from 'node:path'
import { createDirectoryClient, type DirectoryClient } from '#shared/bus/ask-directory.ts'
import { connectBus } from '#shared/bus/nats.ts'
import { createSystemClock } from '#shared/clock.ts'
import type { AskRequest, AskResults, AskVerb } from '#shared/contracts/ask.ts'
import { AppError } from '#shared/errors.ts'
import { randomId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import { createLogger } from '#shared/logger.ts'
import { readAllSettings } from '../embedded/all-settings.ts'
import { readBusAddress } from '../embedded/embedded-bus.ts'
import { exitCodes, StartError } from '../embedded/start-error.ts'

/** One question to the directory of the running installation. Throws a StartError: not running, or what it refused. */
export async function askInstallation<V extends AskVerb>(verb: V, request: AskRequest<V>): Promise<AskResults[V]> {
  const settings = readAllSettings(process.env)
  const folder = resolve(settings.DATA_DIR)
  const address = settings.NATS_URL === '' ? await readBusAddress(folder) : { url: settings.NATS_URL, token: settings.NATS_TOKEN }
  if (address === null) throw notRunning(`nothing runs on the data folder ${folder}`)
  const bus = await connectBus({
    servers: address.url,
    name: 'watchkeeper command',
    ...(address.token === '' ? {} : { token: address.token }),
    ...(settings.NATS_CREDENTIALS === '' ? {} : { credentialsFile: settings.NATS_CREDENTIALS }),
    patienceMs: limits.start.commandMs,
    logger: createLogger('silent'),
    declare: false,
  }).catch(error => {
    throw notRunning((error as Error).message)
  })
  const clock = createSystemClock()
  try {
    const directory: DirectoryClient = createDirectoryClient(bus, clock)
    return await directory.ask(verb, request, randomId(16))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'unavailable' || error.code === 'busy') throw notRunning(error.details || error.message)
    throw new StartError(`${error.message}: ${error.details}.`, exitCodes.refused)
  } finally {
    clock.stop()
    await bus.close()
  }
}

const notRunning = (why: string) =>
  new StartError(
    `Watchkeeper can't be reached (${why.replace(/\.$/, '')}): start it, or set DATA_DIR or NATS_URL.`,
    exitCodes.notRunning,
  )
