// An installation whose processes are replaced one at a time by those of another version: one nats-server, one store that speaks MongoDB's
// wire protocol, and the watched things of a fault run around it.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createKeeperClient } from '#shared/bus/clients/clients.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { openStore } from '#shared/store/open-store.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { startOutsideWorld } from '../faults/outside-world.ts'
import { caller, furnish, gatewayUrl, readFirstKey, type Stage } from '../faults/stage.ts'
import { type Program, startProgram } from '../integration/system.ts'
import { startTestBus } from '../support/bus/nats.ts'
import { startSecantus } from '../support/store/secantus.ts'

/** Services of each process. */
export const processes = ['directory,notifier,gateway', 'keeper', 'prober'] as const
export type Services = (typeof processes)[number]

export interface RollingStage extends Stage {
  /** Starts the process of the checkout beside the running one, then ends that one by SIGTERM; resolves with its exit code. */
  replace(services: Services, checkout: string): Promise<number | null>
  /** Rejects if the process does not start. Ends it at once. */
  tryStart(services: Services, checkout: string): Promise<void>
  /** Runs `watchkeeper` of this version with the settings of the installation; resolves with what it prints. */
  runCommand(...words: string[]): Promise<string>
}

const root = join(import.meta.dirname, '../..')

/** Starts all processes from `checkout`. Resolves with null if the store is not installed. */
export async function setRollingStage(checkout: string): Promise<RollingStage | null> {
  const secantus = await startSecantus()
  if (secantus === null) return null
  const dataFolder = await mkdtemp(join(tmpdir(), 'watchkeeper-rolling-stage-'))
  const [testBus, outside] = await Promise.all([startTestBus(), startOutsideWorld()])
  const clock = createSystemClock()
  const mongodbUrl = `${secantus.url}/rolling`
  const settings = {
    DATA_DIR: dataFolder,
    NATS_URL: testBus.url,
    NATS_TOKEN: testBus.token,
    MONGODB_URL: mongodbUrl,
    SQIDS_SALT: 'a salt of a test',
  }
  const running = new Map<Services, Program>()
  const programs: Program[] = []
  const start = async (services: Services, from: string) => {
    const program = await startProgram({ ...settings, SERVICES: services }, from)
    programs.push(program)
    return program
  }
  const endServices = async () => void (await Promise.all(programs.map(program => program.kill())))
  const stop = async () => {
    clock.stop()
    await endServices()
    await Promise.all([outside.close(), testBus.stop(), secantus.stop()])
    await rm(dataFolder, { recursive: true, force: true, maxRetries: 3 })
  }
  try {
    const bus = await testBus.connect('harness')
    for (const services of processes) running.set(services, await start(services, checkout))
    const key = await readFirstKey(dataFolder)
    const call = caller(
      () => gatewayUrl(running.get('directory,notifier,gateway')?.output() ?? ''),
      () => key,
    )
    return {
      ...(await furnish(call, outside)),
      ...{ outside, call, endServices, stop },
      command: async use => void (await use(createKeeperClient(bus, clock))),
      output: () => programs.map(program => program.output()).join('\n'),
      openStore: () => openStore({ mongodbUrl, dataFolder, logger: createLogger('silent') }),
      replace: async (services, from) => {
        const earlier = running.get(services)
        running.set(services, await start(services, from))
        return (await earlier?.stop()) ?? null
      },
      tryStart: async (services, from) => void (await (await start(services, from)).stop()),
      runCommand: async (...words) => {
        const program = join(root, 'infra/cli/main.ts')
        const env = { PATH: process.env['PATH'], HOME: dataFolder, ...settings }
        const { stdout } = await promisify(execFile)(process.execPath, [program, ...words], { env })
        return stdout
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}
