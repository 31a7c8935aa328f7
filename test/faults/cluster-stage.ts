// An installation in a cluster: three NATS servers, a store that speaks MongoDB's wire protocol, and every service in its own process.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeeperClient } from '#shared/bus/clients/clients.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { openStore } from '#shared/store/open-store.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { type Program, startProgram } from '../integration/system.ts'
import { startTestCluster, type TestCluster } from '../support/bus/nats-cluster.ts'
import { startSecantus } from '../support/store/secantus.ts'
import { startOutsideWorld } from './outside-world.ts'
import { caller, furnish, gatewayUrl, readFirstKey, type Stage } from './stage.ts'

export interface ClusterStage extends Stage {
  cluster: TestCluster
}

/** Resolves with null if the store is not installed. */
export async function setClusterStage(): Promise<ClusterStage | null> {
  const secantus = await startSecantus()
  if (secantus === null) return null
  const dataFolder = await mkdtemp(join(tmpdir(), 'watchkeeper-cluster-stage-'))
  const [cluster, outside] = await Promise.all([startTestCluster(), startOutsideWorld()])
  const clock = createSystemClock()
  const programs: Program[] = []
  const endServices = async () => void (await Promise.all(programs.map(program => program.kill())))
  const stop = async () => {
    clock.stop()
    await endServices()
    await Promise.all([cluster.stop(), outside.close(), secantus.stop()])
    await rm(dataFolder, { recursive: true, force: true })
  }
  try {
    // This connection creates the streams. Otherwise the first service would have to wait for them.
    const bus = await cluster.connect('harness')
    const mongodbUrl = `${secantus.url}/faults`
    const settings = {
      DATA_DIR: dataFolder,
      NATS_URL: cluster.url,
      NATS_REPLICAS: '3',
      MONGODB_URL: mongodbUrl,
      SQIDS_SALT: 'a salt of a test',
    }
    const start = async (services: string) => {
      const program = await startProgram({ ...settings, SERVICES: services })
      programs.push(program)
      return program
    }
    await start('directory')
    await Promise.all(['notifier', 'keeper', 'keeper', 'prober'].map(start))
    const gateway = await start('gateway')
    const key = await readFirstKey(dataFolder)
    const call = caller(
      () => gatewayUrl(gateway.output()),
      () => key,
    )
    return {
      ...(await furnish(call, outside)),
      outside,
      call,
      cluster,
      command: async use => void (await use(createKeeperClient(bus, clock))),
      output: () => programs.map(program => program.output()).join('\n'),
      endServices,
      openStore: () => openStore({ mongodbUrl, dataFolder, logger: createLogger('silent') }),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
