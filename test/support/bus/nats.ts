// Real nats-server for tests: a child on a free port with its own store. It can be stopped, restarted and wiped, and keeps its port over
// restarts, so that clients reconnect.
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConnectBusOptions, connectBus } from '#shared/bus/nats/nats.ts'
import type { Bus } from '#shared/bus/port.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { type NatsServer, obtainNatsServer, startNatsServer } from '../../../infra/runtime/bus/nats-server.ts'

export interface TestBus {
  url: string
  token: string
  /** Process of the server. */
  pid(): number
  /** Opens a new connection, which `stop` closes. */
  connect(name: string, options?: Partial<ConnectBusOptions>): Promise<Bus>
  stopServer(): Promise<void>
  startServer(): Promise<void>
  /** Stops and starts the server on the same store. */
  restart(): Promise<void>
  /** Copies the store; the returned function restores the copy. The server must be stopped for the copy and for the restoration. */
  keep(): Promise<() => Promise<void>>
  /** Removes the store; the server must be stopped. */
  wipe(): Promise<void>
  /** Closes the connections, stops the server and removes its store. */
  stop(): Promise<void>
}

/** Folder of a downloaded nats-server. */
export const toolsFolder = join(import.meta.dirname, '..', '..', '..', '.tools')
const silent = createLogger('silent')

export async function startTestBus(): Promise<TestBus> {
  const binary = await obtainNatsServer({ toolsFolder, log: () => undefined })
  const dataFolder = await mkdtemp(join(tmpdir(), 'watchkeeper-bus-'))
  const store = join(dataFolder, 'bus', 'jetstream')
  const open: Bus[] = []
  let server: NatsServer = await startNatsServer({ binary, dataFolder, port: 0 })
  const { url, token } = server
  const port = Number(new URL(url).port)
  const stopServer = () => server.stop()
  const startServer = async () => {
    server = await startNatsServer({ binary, dataFolder, port })
  }
  return {
    url,
    token,
    pid: () => server.pid,
    connect: async (name, options = {}) => {
      const bus = await connectBus({ servers: url, token, name, patienceMs: 5_000, logger: silent, ...options })
      open.push(bus)
      return bus
    },
    stopServer,
    startServer,
    restart: async () => {
      await stopServer()
      await startServer()
    },
    keep: async () => {
      const copy = join(dataFolder, 'copy')
      await cp(store, copy, { recursive: true })
      return async () => {
        await rm(store, { recursive: true, force: true })
        await cp(copy, store, { recursive: true })
      }
    },
    wipe: () => rm(store, { recursive: true, force: true }),
    stop: async () => {
      await Promise.all(open.map(bus => bus.close()))
      await stopServer()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}
