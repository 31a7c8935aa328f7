// Cluster on one machine: each service in a process of its own, with one, two and three keepers, on the shared store of the tests and on
// SecantusDB. Commands a second while monitors are created, and checks a second that are made on time and judged. SecantusDB holds so
// little that its figures say nothing about keepers; the shared store shows what they cost.
import type { ChildProcess } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createDirectoryClient, createKeeperClient } from '#shared/bus/clients/clients.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { startTestBus } from '../../support/bus/nats.ts'
import { freePorts } from '../../support/free-ports.ts'
import { startSecantus } from '../../support/store/secantus.ts'
import { startSharedStore, withSharedStore } from '../../support/store/shared/start-shared-store.ts'
import { homeOf, seed } from '../fleets/seed.ts'
import type { Connection } from '../run/connection.ts'
import { type Observed, observe } from '../run/observe.ts'
import { addUp, endChild, usageOfTree } from '../run/processes.ts'
import { hasEnded, lastWords, spawnProgram } from '../run/program.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { type Metrics, parseMetrics, sumOfMetrics } from '../run/statistics.ts'
import type { System } from '../run/system.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from '../run/temporary-folder.ts'
import { pollUntil } from '../run/waiting.ts'

const keeperCounts = [1, 2, 3]
const quickKeeperCounts = [1]
/** Monitors with an interval of a day, whose creation is timed. */
const commands = 500
/** Rates, checks a second; a store is measured until it no longer holds one. */
const ladder = [100, 200, 300, 600, 1_000, 1_500]
const quickLadder = [100, 200]
const held = { onTime: 0.95, judged: 0.95 }
const warmUpMs = 4_000
const readyMs = 60_000

interface ClusterStore {
  name: string
  url: string
  pid(): number
  /** Further environment of the programs. */
  environment: Record<string, string>
  stop(): Promise<void>
}

interface Found {
  store: string
  keepers: number
  commandsPerSecond: number
  rungs: (Observed & { asked: number })[]
}

export async function cluster(run: Run): Promise<PartResult> {
  const found: Found[] = []
  for (const open of [openShared, openSecantus]) {
    for (const keepers of run.options.quick ? quickKeeperCounts : keeperCounts) {
      const store = await open()
      if (store === null) continue
      run.say(`cluster: ${store.name}, ${keepers} keepers`)
      try {
        found.push({ store: store.name, keepers, ...(await measure(run, store, keepers)) })
      } catch (error) {
        run.say(`cluster: ${store.name}, ${keepers} keepers: ${(error as Error).message.slice(0, 300)}`)
      } finally {
        await store.stop()
      }
    }
  }
  const name = ({ store, keepers }: Found) => `${keepers} keeper${keepers > 1 ? 's' : ''} on ${store}`
  return {
    quantities: found.flatMap(each => [
      quantity('cluster', `commands, ${name(each)}`, '/s', each.commandsPerSecond, { better: 'higher' }),
      quantity('cluster', `checks held, ${name(each)}`, '/s', heldRate(each), { better: 'higher' }),
    ]),
    details: [{ title: 'Cluster on one machine', rows: found.flatMap(each => each.rungs.map(rung => rowOf(name(each), rung))) }],
  }
}

const isHeld = ({ onTime, judgedShare }: Observed): boolean => onTime >= held.onTime && judgedShare >= held.judged
const heldRate = ({ rungs }: Found): number => rungs.filter(isHeld).at(-1)?.hitsPerSecond ?? 0

async function openShared(): Promise<ClusterStore> {
  const { url, pid, stop } = await startSharedStore()
  return { name: 'the shared store', url, pid, environment: withSharedStore, stop }
}

async function openSecantus(): Promise<ClusterStore | null> {
  const server = await startSecantus()
  if (server === null) return null
  return { name: 'SecantusDB', url: `${server.url}/bench`, pid: () => server.pid, environment: {}, stop: server.stop }
}

async function measure(run: Run, store: ClusterStore, keepers: number): Promise<Omit<Found, 'store' | 'keepers'>> {
  const started = await startCluster(run, store, keepers)
  try {
    const { connection, system, url, key } = started
    const { workspaceId, locationId } = await homeOf(connection, url, await key())
    const common = { workspaceId, locationIds: [locationId], urlOf: run.target.urlOf }
    const timed = run.options.quick ? commands / 5 : commands
    // Paths beyond those of the ladder.
    const { elapsedMs } = await seed(connection, { ...common, from: 100_000, to: 100_000 + timed, intervalSeconds: 86_400 })
    const subjectIds: string[] = []
    const rungs: Found['rungs'] = []
    for (const asked of run.options.quick ? quickLadder : ladder) {
      await seed(connection, { ...common, from: subjectIds.length, to: asked, intervalSeconds: 1 }, subjectIds)
      await pause(warmUpMs)
      const { seconds } = run.options
      rungs.push({ asked, ...(await observe({ system, target: run.target, subjectIds, intervalMs: 1_000, seconds })) })
      if (!isHeld(rungs.at(-1) as Observed)) break
    }
    return { commandsPerSecond: (timed * 1_000) / elapsedMs, rungs }
  } finally {
    await started.stop()
    await run.target.forget()
  }
}

async function startCluster(run: Run, store: ClusterStore, keepers: number) {
  const folders: string[] = []
  const children: ChildProcess[] = []
  const opsUrls: string[] = []
  const clock = createSystemClock()
  const testBus = await startTestBus()
  const dataFolder = makeTemporaryFolder()
  const stop = async () => {
    clock.stop()
    await Promise.all(children.map(child => endChild(child, 'SIGKILL')))
    await testBus.stop()
    for (const folder of [...folders, dataFolder]) removeTemporaryFolder(folder)
  }
  const start = async (services: string) => {
    const [port, opsPort] = (await freePorts(2)) as [number, number]
    // Each process has a folder for its log; the directory's is the data folder.
    const folder = services === 'directory' ? dataFolder : makeTemporaryFolder()
    if (folder !== dataFolder) folders.push(folder)
    const child = spawnProgram(run.options.nodeArguments, {
      ...store.environment,
      ...{ DATA_DIR: folder, SERVICES: services, PORT: `${port}`, OPS_PORT: `${opsPort}` },
      ...{ NATS_URL: testBus.url, NATS_TOKEN: testBus.token, MONGODB_URL: store.url, SQIDS_SALT: 'a salt of a bench' },
    })
    children.push(child)
    const status = async () => {
      if (hasEnded(child)) throw new Error(`${services} ended: ${lastWords(folder)}`)
      return (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).status
    }
    await pollUntil(`${services} to be ready`, status, code => code === 200, { timeoutMs: readyMs, pauseMs: 20 })
    opsUrls.push(`http://127.0.0.1:${opsPort}`)
    return `http://127.0.0.1:${port}`
  }
  try {
    await start('directory')
    for (let n = 0; n < keepers; n++) await start('keeper')
    for (const services of ['notifier', 'prober']) await start(services)
    const url = await start('gateway')
    const bus = await testBus.connect('bench')
    const connection: Connection = {
      bus,
      directory: createDirectoryClient(bus, clock),
      keeper: createKeeperClient(bus, clock),
      close: async () => undefined,
    }
    const system: Pick<System, 'metrics' | 'usage'> = {
      metrics: async () => sumOfMetrics(await Promise.all(opsUrls.map(scrape))),
      usage: () => addUp([store.pid(), testBus.pid(), ...children.map(({ pid }) => pid as number)].map(usageOfTree)),
    }
    const key = async () => (await readFile(join(dataFolder, 'first-key'), 'utf8')).trim()
    return { connection, system, url, key, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const scrape = async (url: string): Promise<Metrics> => parseMetrics(await (await fetch(`${url}/metrics`)).text())

const rowOf = (name: string, found: Observed & { asked: number }) => ({
  cluster: name,
  'asked/s': found.asked,
  'made/s': Math.round(found.hitsPerSecond),
  'on time %': Number((found.onTime * 100).toFixed(1)),
  'judged %': Number((found.judgedShare * 100).toFixed(1)),
  'lag p99 ms': Math.round(found.judgingLag.p99),
  'CPU ms/1,000': Math.round(found.cpuMsPerThousand),
  'RSS MB': Math.round(found.residentBytes / 1e6),
})
