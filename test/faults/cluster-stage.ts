// An installation in a cluster: three NATS servers, a store spoken to over MongoDB's wire protocol, and every service in a process of its own.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Program, startProgram } from '../integration/system.ts'
import { startTestCluster, type TestCluster } from '../support/nats-cluster.ts'
import { startSecantus } from '../support/secantus.ts'
import { type OutsideWorld, startOutsideWorld } from './outside-world.ts'

export interface ClusterStage {
  cluster: TestCluster
  outside: OutsideWorld
  /** By service; keepers are numbered. */
  programs: Map<string, Program>
  call<T>(method: string, path: string, body?: unknown): Promise<T>
  workspaceId: string
  locationId: string
  stop(): Promise<void>
}

/** A request that has no answer by then has failed. */
const answerMs = 6_000

/** Null where the store can't be had. */
export async function setClusterStage(): Promise<ClusterStage | null> {
  const secantus = await startSecantus()
  if (secantus === null) return null
  const dataFolder = await mkdtemp(join(tmpdir(), 'watchkeeper-cluster-stage-'))
  const [cluster, outside] = await Promise.all([startTestCluster(), startOutsideWorld()])
  const programs = new Map<string, Program>()
  const stop = async () => {
    await Promise.all([...programs.values()].map(program => program.kill()))
    await Promise.all([cluster.stop(), outside.close(), secantus.stop()])
    await rm(dataFolder, { recursive: true, force: true })
  }
  try {
    // The streams are there before anybody's patience begins.
    await (await cluster.connect('first')).close()
    const settings = {
      DATA_DIR: dataFolder,
      NATS_URL: cluster.url,
      NATS_REPLICAS: '3',
      MONGODB_URL: `${secantus.url}/faults`,
      SQIDS_SALT: 'a salt of a test',
    }
    const start = async (name: string, services: string) =>
      programs.set(name, await startProgram({ ...settings, SERVICES: services }))
    await start('directory', 'directory')
    await Promise.all([start('notifier', 'notifier'), start('keeper 1', 'keeper'), start('keeper 2', 'keeper')])
    await Promise.all([start('prober', 'prober'), start('gateway', 'gateway')])
    const baseUrl = /listens on (\S+?);/.exec(programs.get('gateway')?.output() ?? '')?.[1] ?? ''
    const call = caller(baseUrl, (await readFile(join(dataFolder, 'first-key'), 'utf8')).trim())
    const [workspace] = await call<{ id: string }[]>('GET', '/v2/workspaces')
    const [location] = await call<{ id: string }[]>('GET', '/v2/locations')
    const destination = { workspace_id: workspace?.id, name: 'hook', destination_type: 'webhook', url: outside.hookUrl }
    await call('POST', '/v2/notifications/destinations', destination)
    return { cluster, outside, programs, call, workspaceId: workspace?.id ?? '', locationId: location?.id ?? '', stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function caller(baseUrl: string, key: string): ClusterStage['call'] {
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${baseUrl}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(answerMs),
    })
    const { result, error } = (await response.json()) as { result: T; error: unknown }
    if (error !== null) throw new Error(JSON.stringify(error))
    return result
  }
}
