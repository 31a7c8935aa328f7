// The measured system: one child process, started by `./watchkeeper start` with its own data folder, ports and embedded bus. Owns the
// process and the folder; independent of the measurements.
import type { ChildProcess } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { freePorts } from '../../support/free-ports.ts'
import { type Prober, startProber } from '../fleets/probers.ts'
import { busOf, type Connection, connect } from './connection.ts'
import { addUp, endChild, isAlive, type TreeUsage, treeOf, usageOfTree } from './processes.ts'
import { hasEnded, lastWords, spawnProgram } from './program.ts'
import { type Metrics, parseMetrics, sumOfMetrics } from './statistics.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from './temporary-folder.ts'
import { pollUntil } from './waiting.ts'

const readyTimeoutMs = 60_000

export interface Started {
  /** Instant at which the process was created, ms since the epoch. */
  at: number
  /** Time from the creation until `/readyz` returned success. */
  readyMs: number
}

export interface System {
  url: string
  dataFolder: string
  pid(): number
  start(): Promise<Started>
  /** Sends SIGTERM; resolves with the time until the end, ms. */
  stop(): Promise<number>
  /** Sends kill -9; resolves when the process and its bus server have ended. */
  kill(): Promise<void>
  connect(): Promise<Connection>
  /** Starts a prober for a location in its own process. The prober is measured with the system and ends with the system. */
  startProber(connection: Connection, location: string): Promise<Prober>
  /** Returns the API key that the first start of the system created. */
  key(): Promise<string>
  /** Returns the sum of the metrics of the system's processes. */
  metrics(): Promise<Metrics>
  usage(): TreeUsage
  /** Bytes of the store's files and of the bus's folder. The store's files are complete only while the system is stopped. */
  bytesOnDisk(): Promise<{ store: number; bus: number }>
  /** Stops the system if it still runs, and removes the folder. */
  remove(): Promise<void>
}

export interface SystemOptions {
  /** Options of Node, for profiling. */
  nodeArguments?: readonly string[]
  /** Services that the process runs; absent: all. */
  services?: string
}

/** Returns a system that is not started yet. */
export async function createSystem({ nodeArguments = [], services }: SystemOptions = {}): Promise<System> {
  const dataFolder = makeTemporaryFolder()
  const [port, opsPort] = (await freePorts(2)) as [number, number]
  const url = `http://127.0.0.1:${port}`
  const opsUrl = `http://127.0.0.1:${opsPort}`
  const settings = { DATA_DIR: dataFolder, PORT: `${port}`, OPS_PORT: `${opsPort}`, ...(services && { SERVICES: services }) }
  let child: ChildProcess | null = null
  let probers: Prober[] = []
  const running = (): ChildProcess & { pid: number } => {
    if (child?.pid === undefined || hasEnded(child))
      throw new Error(`The system does not run; it said last: ${lastWords(dataFolder)}`)
    return child as ChildProcess & { pid: number }
  }
  const system: System = {
    url,
    dataFolder,
    pid: () => running().pid,
    start: async () => {
      const at = Date.now()
      const startedAt = performance.now()
      child = spawnProgram(nodeArguments, settings)
      const answer = async () => (child && hasEnded(child) ? 'ended' : (await fetch(`${opsUrl}/readyz`)).status)
      const isSettled = (found: number | 'ended') => found === 200 || found === 'ended'
      await pollUntil('the system to be ready', answer, isSettled, { timeoutMs: readyTimeoutMs, pauseMs: 5 })
      running()
      return { at, readyMs: performance.now() - startedAt }
    },
    stop: async () => {
      await Promise.all(probers.splice(0).map(prober => prober.stop()))
      const startedAt = performance.now()
      await endChild(running(), 'SIGTERM')
      return performance.now() - startedAt
    },
    kill: async () => {
      const pids = treeOf(running().pid)
      await endChild(running(), 'SIGKILL')
      const alive = async () => pids.filter(isAlive).length
      await pollUntil('the bus server to end', alive, count => count === 0, { timeoutMs: 10_000, pauseMs: 5 })
    },
    connect: () => connect(dataFolder),
    startProber: async (connection, location) => {
      const { url: busUrl } = await busOf(dataFolder)
      const prober = await startProber(connection, { location, dataFolder, busUrl, nodeArguments })
      probers = [...probers, prober]
      return prober
    },
    key: async () => (await readFile(join(dataFolder, 'first-key'), 'utf8')).trim(),
    metrics: async () => sumOfMetrics(await Promise.all([opsUrl, ...probers.map(prober => prober.opsUrl)].map(scrape))),
    usage: () => addUp([running().pid, ...probers.map(prober => prober.pid)].map(usageOfTree)),
    bytesOnDisk: async () => {
      const entries = await readdir(dataFolder)
      const files = entries.filter(name => name.startsWith('watchkeeper.db')).map(name => join(dataFolder, name))
      return { store: await bytesOf(files), bus: await bytesOfFolder(join(dataFolder, 'bus')) }
    },
    remove: async () => {
      if (child && !hasEnded(child)) await system.stop()
      removeTemporaryFolder(dataFolder)
    },
  }
  return system
}

const scrape = async (url: string): Promise<Metrics> => parseMetrics(await (await fetch(`${url}/metrics`)).text())

async function bytesOf(files: string[]): Promise<number> {
  const sizes = await Promise.all(files.map(async file => (await stat(file).catch(() => null))?.size ?? 0))
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function bytesOfFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return bytesOf(entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name)))
}
