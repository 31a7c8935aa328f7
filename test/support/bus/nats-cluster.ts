// Three real nats-servers that form a cluster on loopback. Each is a process that can be killed, frozen, drained, and started again on its
// store and port. The servers always end with their parent.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { type ConnectBusOptions, connectBus } from '#shared/bus/nats/nats.ts'
import { connectToNats } from '#shared/bus/nats/nats-connect.ts'
import type { Bus } from '#shared/bus/port.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { obtainNatsServer } from '../../../infra/runtime/bus/nats-server.ts'
import { freePorts } from '../free-ports.ts'
import { toolsFolder } from './nats.ts'

export interface TestCluster {
  /** Addresses of all servers with their credentials, as in NATS_URL. */
  url: string
  /**
   * Returns the address of one server. A client that has only this address connects to this server first and learns the other addresses.
   */
  urlOf(node: number): string
  /** Opens a connection to streams of three copies; closed by `stop`. Its client tries the servers in a random order. */
  connect(name: string, options?: Partial<ConnectBusOptions>): Promise<Bus>
  /**
   * Returns the number of the server that leads a stream, or of the server that leads the administration (`meta`); null: there is no
   * leader.
   */
  leaderOf(stream: string): Promise<number | null>
  /** Makes the server lead the stream: asks other leaders to step down until this server leads. */
  lead(stream: string, node: number): Promise<void>
  /** Sends kill -9 and resolves with the process's end. */
  kill(node: number): Promise<void>
  /** Sends SIGSTOP and SIGCONT. */
  freeze(node: number): void
  thaw(node: number): void
  /** Puts the server into lame duck mode: it gives up its leaderships and disconnects its clients. */
  leave(node: number): void
  /** Starts an ended server on its store. */
  start(node: number): Promise<void>
  /** Removes the store of an ended server, as a lost disk does. */
  wipe(node: number): Promise<void>
  /** Resolves when every server runs and every stream has all its copies up to date; rejects after `withinMs` (30 s). */
  whole(withinMs?: number): Promise<void>
  stop(): Promise<void>
}

interface Node {
  name: string
  port: number
  monitorPort: number
  config: string
  process: { child: ChildProcess; pid: number } | null
}

/** Credentials of the services (`house`), and of the test itself, which moves leaders (`system`). */
const [house, system] = ['house:cluster-of-a-test', 'system:cluster-of-a-test']
const silent = createLogger('silent')
const pollMs = 50
const startMs = 30_000

/**
 * Shell script that ends its server, even a frozen server, when this process ends. The script notices the end because its standard input
 * closes.
 */
const guardian = `
exec 3<&0
"$1" -c "$2" </dev/null 3<&- &
server=$!
echo "$server"
(while read -r _ <&3; do :; done; kill -KILL "$server") 2>/dev/null &
watcher=$!
exec 3<&-
wait "$server"
kill "$watcher" 2>/dev/null
`

export interface TestClusterOptions {
  /**
   * Returns the port by which one server reaches the route port of another; absent: directly. If present, servers name no addresses to their
   * clients nor to each other, so that nobody goes around the returned port.
   */
  routeVia?: (from: number, to: number, port: number) => Promise<number>
}

export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const binary = await obtainNatsServer({ toolsFolder, log: () => undefined })
  const folder = await mkdtemp(join(tmpdir(), 'watchkeeper-cluster-'))
  const nodes = await prepare(folder, options)
  const open: Bus[] = []
  const start = (node: number) => startNode(binary, nodes[node]!)
  await Promise.all(nodes.map((_, node) => start(node)))
  const urlOf = (node: number) => `nats://${house}@127.0.0.1:${nodes[node]!.port}`
  const url = nodes.map((_, node) => urlOf(node)).join()
  const signal = (node: number, name: NodeJS.Signals) => {
    const running = nodes[node]!.process
    // A drained server can have ended already.
    if (running !== null && running.child.exitCode === null) process.kill(running.pid, name)
  }
  const kill = async (node: number) => {
    const running = nodes[node]!.process
    if (running === null) return
    const ended = running.child.exitCode === null ? once(running.child, 'exit') : null
    try {
      signal(node, 'SIGKILL')
    } catch {
      // The process ended before the signal was sent.
    }
    await ended
    nodes[node]!.process = null
  }
  const stop = async () => {
    await Promise.all(nodes.map((_, node) => kill(node)))
    await Promise.all(open.map(bus => bus.close().catch(() => undefined)))
    await rm(folder, { recursive: true, force: true })
  }
  return {
    url,
    urlOf,
    connect: async (name, options = {}) => {
      const bus = await connectBus({ servers: url, name, patienceMs: startMs, logger: silent, replicas: 3, ...options })
      open.push(bus)
      return bus
    },
    leaderOf: stream => leaderOf(nodes, stream),
    lead: (stream, node) => lead(nodes, stream, node),
    kill,
    freeze: node => signal(node, 'SIGSTOP'),
    thaw: node => signal(node, 'SIGCONT'),
    leave: node => signal(node, 'SIGUSR2'),
    start,
    wipe: node => rm(join(folder, nodes[node]!.name), { recursive: true, force: true }),
    whole: async withinMs => {
      const caughtUp = new Set<string>()
      let lacks: string[] = []
      const isWhole = async () => {
        lacks = (await Promise.all(nodes.map(node => lacksOf(node, caughtUp)))).flat()
        return lacks.length === 0
      }
      await until(isWhole, () => `the cluster is not whole (${lacks.join('; ')})`, withinMs)
    },
    stop,
  }
}

async function prepare(folder: string, { routeVia }: TestClusterOptions): Promise<Node[]> {
  const names = ['nats-1', 'nats-2', 'nats-3']
  const ports = await freePorts(3 * names.length)
  const routesOf = async (from: number) => {
    const others = names.flatMap((_, to) => (to === from ? [] : [{ to, port: ports[3 * to + 1] as number }]))
    const reached = await Promise.all(others.map(({ to, port }) => routeVia?.(from, to, port) ?? port))
    return reached.map(port => `nats://127.0.0.1:${port}`)
  }
  // Nobody listens at the address that the servers name to each other.
  const silence = routeVia === undefined ? '' : ', no_advertise: true, advertise: "127.0.0.1:9"'
  return Promise.all(
    names.map(async (name, node) => {
      const [port, routePort, monitorPort] = ports.slice(3 * node) as [number, number, number]
      const config = join(folder, `${name}.conf`)
      const lines = [
        `server_name: ${name}`,
        `listen: "127.0.0.1:${port}"`,
        `http: "127.0.0.1:${monitorPort}"`,
        'max_payload: 2MB',
        `jetstream { store_dir: ${JSON.stringify(join(folder, name))} }`,
        'lame_duck_duration: "30s", lame_duck_grace_period: "1s"',
        // With the default pings, the other servers would keep a route to a frozen server for 80 s, with its queue members.
        `cluster { name: test, listen: "127.0.0.1:${routePort}", ping_interval: "2s", ping_max: 2${silence}, routes: ${JSON.stringify(await routesOf(node))} }`,
        `accounts { HOUSE { jetstream: enabled, users: [${userOf(house)}] }, $SYS { users: [${userOf(system)}] } }`,
      ]
      await writeFile(config, `${lines.join('\n')}\n`, { mode: 0o600 })
      return { name, port, monitorPort, config, process: null }
    }),
  )
}

function userOf(credentials: string): string {
  const [user, password] = credentials.split(':')
  return `{ user: ${user}, password: "${password}" }`
}

async function startNode(binary: string, node: Node): Promise<void> {
  const child = spawn('/bin/sh', ['-c', guardian, 'sh', binary, node.config], { stdio: ['pipe', 'pipe', 'ignore'] })
  const [line] = await once(createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }), 'line')
  node.process = { child, pid: Number(line) }
  await until(() => monitor(node, 'varz').then(Boolean), `${node.name} does not answer`)
}

/** Returns the server's report about itself; null if it does not respond. */
async function monitor<T>({ monitorPort }: Node, page: string): Promise<T | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${monitorPort}/${page}`, { signal: AbortSignal.timeout(500) })
    return response.ok ? ((await response.json()) as T) : null
  } catch {
    return null
  }
}

interface Jetstream {
  meta_cluster?: { leader?: string }
  account_details?: {
    stream_detail?: {
      name: string
      cluster?: { leader?: string; replicas?: { name: string; current: boolean; lag?: number }[] }
    }[]
  }[]
}

const streamsOf = async (node: Node) => {
  const page = await monitor<Jetstream>(node, 'jsz?accounts=true&streams=true')
  return { leader: page?.meta_cluster?.leader, streams: page?.account_details?.flatMap(each => each.stream_detail ?? []) ?? [] }
}

/** Accepts only the report of the leader itself, because other servers can name a leader that has ended. */
async function leaderOf(nodes: readonly Node[], stream: string): Promise<number | null> {
  for (const [number, node] of nodes.entries()) {
    if (node.process === null) continue
    const { leader, streams } = await streamsOf(node)
    const named = stream === 'meta' ? leader : streams.find(({ name }) => name === stream)?.cluster?.leader
    if (named === node.name) return number
  }
  return null
}

async function lead(nodes: readonly Node[], stream: string, node: number): Promise<void> {
  const isMeta = stream === 'meta'
  const connection = await connectToNats({ servers: `127.0.0.1:${nodes[node]!.port}`, ...loginOf(isMeta ? system : house) })
  const subject = isMeta ? '$JS.API.META.LEADER.STEPDOWN' : `$JS.API.STREAM.LEADER.STEPDOWN.${stream}`
  try {
    await until(async () => {
      if ((await leaderOf(nodes, stream)) === node) return true
      await connection
        .request(subject, JSON.stringify({ placement: { preferred: nodes[node]!.name } }), { timeout: 1_000 })
        .catch(() => undefined)
      return false
    }, `${nodes[node]!.name} does not come to lead ${stream}`)
  } finally {
    await connection.close()
  }
}

function loginOf(credentials: string): { user: string; pass: string } {
  const [user = '', pass = ''] = credentials.split(':')
  return { user, pass }
}

/**
 * Returns what the server lacks, each as a text. `caughtUp`: copies that have been up to date once; the function adds to them. A stream that
 * is written all the time has copies that lag by a message at almost every look.
 */
async function lacksOf(node: Node, caughtUp: Set<string>): Promise<string[]> {
  if (node.process === null || (await monitor(node, 'healthz')) === null) return [`${node.name} is not healthy`]
  const { streams } = await streamsOf(node)
  return streams.flatMap(({ name, cluster }) => {
    // Only the leader knows the state of the copies.
    if (cluster?.leader !== node.name) return cluster?.leader === undefined ? [`${node.name} knows no leader of ${name}`] : []
    const copies = (cluster.replicas ?? []).map(({ current, name: copy, lag = 0 }) => {
      const key = `${name} on ${copy}`
      if (current) caughtUp.add(key)
      return { key, lag }
    })
    return copies.flatMap(({ key, lag }) => (caughtUp.has(key) ? [] : [`${key} lags by ${lag}`]))
  })
}

async function until(isSo: () => Promise<boolean>, complaint: string | (() => string), withinMs = startMs): Promise<void> {
  const giveUpAt = Date.now() + withinMs
  while (!(await isSo())) {
    const said = () => (typeof complaint === 'string' ? complaint : complaint())
    if (Date.now() > giveUpAt) throw new Error(`${said()} after ${withinMs} ms`)
    await pause(pollMs)
  }
}
