// A connection of the measuring process to the bus of a running system, with the clients of its directory and keepers.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  createDirectoryClient,
  createKeeperClient,
  type DirectoryClient,
  type KeeperClient,
} from '#shared/bus/clients/clients.ts'
import { connectBus } from '#shared/bus/nats/nats.ts'
import type { Bus } from '#shared/bus/port.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { createSystemClock } from '#shared/time/clock.ts'

export interface Connection {
  bus: Bus
  directory: DirectoryClient
  keeper: KeeperClient
  close(): Promise<void>
}

export async function busOf(dataFolder: string): Promise<{ url: string; credentialsFile: string }> {
  return JSON.parse(await readFile(join(dataFolder, 'bus.json'), 'utf8'))
}

export async function connect(dataFolder: string): Promise<Connection> {
  const { url, credentialsFile } = await busOf(dataFolder)
  const clock = createSystemClock()
  const logger = createLogger('silent')
  const bus = await connectBus({ servers: url, credentialsFile, name: 'bench', patienceMs: 5_000, logger, declare: false })
  const close = async () => {
    clock.stop()
    await bus.close()
  }
  return { bus, directory: createDirectoryClient(bus, clock), keeper: createKeeperClient(bus, clock), close }
}
