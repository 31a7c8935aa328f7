// The nats-server of an installation without NATS_URL: finds or downloads the binary, starts the server, and restarts the server after its
// end. Writes the server's address to `bus.json` for commands. A restart uses the same port, so that clients reconnect by themselves.
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BusKeys } from '#shared/bus/probers/bus-keys.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Clock } from '#shared/time/clock.ts'
import { writeSecretFile } from '../data/data-folder.ts'
import type { BusAddress } from './bus-credentials.ts'
import { keptBusKeys } from './kept-bus-keys.ts'
import { type NatsServer, obtainNatsServer, startNatsServer } from './nats-server.ts'

export interface EmbeddedBusOptions {
  dataFolder: string
  toolsFolder: string
  /** Address to listen on. */
  host: string
  /** Port to listen on; 0: any free port. */
  port: number
  /** PEM files of the server's certificate and key; null: the server does not use TLS. */
  tls: { cert: string; key: string } | null
  /** If true, the start creates new keys when the keys of a used bus are missing. */
  acceptLoss: boolean
  clock: Clock
  logger: Logger
  /** Called with a sentence before a step that takes long. */
  print(line: string): void
}

export interface EmbeddedBus extends BusAddress {
  /** Keys with which the directory creates credentials of probers. */
  keys: BusKeys
  stop(): Promise<void>
}

/** Resolves when the server responds. Throws an Error with a sentence for people. */
export async function startEmbeddedBus(options: EmbeddedBusOptions): Promise<EmbeddedBus> {
  const { clock, dataFolder, logger } = options
  const binary = await obtainNatsServer({ toolsFolder: options.toolsFolder, log: options.print })
  const { keys, houseCredentialsFile: credentialsFile } = await keptBusKeys(dataFolder, clock, options.acceptLoss)
  const { host, tls } = options
  const described = { binary, dataFolder, host, keys, logger, clock, ...(tls && { tls }) }
  let server = await startNatsServer({ ...described, port: options.port })
  const { url, token } = server
  const port = Number(new URL(url).port)
  const describe = () => describeBus(dataFolder, { url, token, credentialsFile, ownMachine: true })
  await describe().catch(async error => {
    // Stops the server after the error. Otherwise the server would keep running, and this process would wait for the server.
    await server.stop()
    throw error
  })

  let stopping = false
  const { pause, wake } = createPause(clock)
  const again = async (): Promise<NatsServer | null> => {
    for (
      let delayMs: number = limits.start.busRestartMs;
      !stopping;
      delayMs = Math.min(delayMs * 2, limits.start.busRestartMsMax)
    ) {
      await pause(delayMs)
      if (stopping) break
      try {
        return await startNatsServer({ ...described, port })
      } catch (error) {
        logger.warn({ err: error }, 'bus server could not be started again')
      }
    }
    return null
  }
  const watch = async () => {
    for (;;) {
      const end = await Promise.race([server.exited, server.broken.then(() => 'broken' as const)])
      if (stopping) return
      if (end === 'broken') {
        logger.error({ pid: server.pid }, 'bus server cannot write, disk may be full')
        await roomFor(describe, pause, () => stopping)
        await server.stop()
      } else logger.error({ pid: server.pid, code: end }, 'bus server ended')
      const next = await again()
      if (next === null) return
      if (stopping) return next.stop()
      server = next
      logger.info({ pid: server.pid }, 'bus server runs again')
    }
  }
  const watching = watch()
  const stop = async () => {
    stopping = true
    wake()
    await server.stop()
    await watching
    await rm(busFile(dataFolder), { force: true })
  }
  return { url, token, credentialsFile, ownMachine: true, keys, stop }
}

/** Returns two functions: `pause` waits, and `wake` ends the wait early. Only one wait may run at a time. */
function createPause(clock: Clock): { pause: (delayMs: number) => Promise<void>; wake: () => void } {
  let wake = () => {}
  const pause = (delayMs: number) =>
    new Promise<void>(resolve => {
      const cancel = clock.schedule(delayMs, resolve)
      wake = () => {
        cancel()
        resolve()
      }
    })
  return { pause, wake: () => wake() }
}

/** Resolves once a small file can be written to the disk. Until then the running server is not restarted, because readers still use it. */
async function roomFor(
  write: () => Promise<void>,
  pause: (delayMs: number) => Promise<void>,
  isStopping: () => boolean,
): Promise<void> {
  let isWritten = false
  while (!isWritten && !isStopping()) {
    await pause(limits.start.busRestartMsMax)
    if (isStopping()) return
    isWritten = await write().then(
      () => true,
      () => false,
    )
  }
}

async function describeBus(dataFolder: string, address: BusAddress): Promise<void> {
  const file = busFile(dataFolder)
  await writeSecretFile(file, JSON.stringify(address)).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`The file ${file} can't be written (${error.code}): correct DATA_DIR or the rights of that folder.`)
  })
}

/** Returns the address of the bus that runs on this data folder; null: no bus runs. Throws an Error with a sentence for people. */
export async function readBusAddress(dataFolder: string): Promise<BusAddress | null> {
  const file = busFile(dataFolder)
  const text = await readFile(file, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new Error(`The file ${file} can't be read (${code}): the user that runs Watchkeeper can.`)
  })
  if (text === null) return null
  const address = parsed(text)
  if (isBusAddress(address)) return address
  throw new Error(`The file ${file} is damaged.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isBusAddress(value: unknown): value is BusAddress {
  const { url, token, credentialsFile } = (value ?? {}) as Partial<BusAddress>
  return [url, token, credentialsFile].every(part => typeof part === 'string')
}

const busFile = (dataFolder: string) => join(dataFolder, 'bus.json')
