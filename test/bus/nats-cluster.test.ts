// One of three nats-servers is killed, frozen or stopped while clients of each server publish, write, watch and request. No acknowledged
// data is lost, and each client is served again within the documented bound. The test prints the length of each interruption.
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Bus, Incoming } from '#shared/bus/port.ts'
import { limits, second } from '#shared/limits/limits.ts'
import { startTestCluster, type TestCluster } from '../support/bus/nats-cluster.ts'
import { subjectOn, upTo } from './contract.ts'

/** Twice the 10 s of docs/detection.md, because an election may be repeated and other tests may load the machine. */
const boundMs = 20 * second
/** Time, ms, for which all clients must be served without interruption before a fault counts as over. */
const servedMs = 3 * second

interface Fault {
  title: string
  /** Streams whose leader is the server that fails. */
  leads: string[]
  strike(cluster: TestCluster, victim: number): Promise<void> | void
  heal(cluster: TestCluster, victim: number): Promise<void> | void
}

const killed = {
  strike: (cluster: TestCluster, victim: number) => cluster.kill(victim),
  heal: (cluster: TestCluster, victim: number) => cluster.start(victim),
}
const faults: Fault[] = [
  { title: 'killed while it leads the reports', leads: ['OBSERVATIONS'], ...killed },
  { title: 'killed while it leads the administration', leads: ['meta'], ...killed },
  { title: 'killed while it leads the leases and the reports', leads: ['KV_leases', 'OBSERVATIONS', 'meta'], ...killed },
  {
    title: 'frozen while it leads the reports and the leases',
    leads: ['OBSERVATIONS', 'KV_leases'],
    strike: (cluster, victim) => cluster.freeze(victim),
    heal: (cluster, victim) => cluster.thaw(victim),
  },
  {
    title: 'sent away while it leads everything',
    leads: ['OBSERVATIONS', 'KV_leases', 'KV_presence', 'meta'],
    strike: (cluster, victim) => cluster.leave(victim),
    heal: async (cluster, victim) => {
      await cluster.kill(victim)
      await cluster.start(victim)
    },
  },
]

t.test('cluster of three nats-servers keeps working when it loses one server', { timeout: 900 * second }, async t => {
  const cluster = await startTestCluster()
  t.teardown(() => cluster.stop())
  for (const [number, fault] of faults.entries()) {
    await t.test(fault.title, { timeout: 180 * second }, t => loseOne(t, cluster, fault, number % 3))
  }
})

async function loseOne(t: Test, cluster: TestCluster, fault: Fault, victim: number): Promise<void> {
  const buses = await Promise.all([0, 1, 2].map(node => cluster.connect(`client ${node}`, { servers: cluster.urlOf(node) })))
  for (const stream of fault.leads) await cluster.lead(stream, victim)
  // One responder is at the failing server, one at a second server: a request from the third server can reach either of them.
  const responders = await Promise.all(
    [victim, (victim + 1) % 3].map(node => buses[node]!.subscribe('ask.test', answer, { queue: 'test' })),
  )
  const traffic = await Promise.all(buses.map((bus, node) => startTraffic(bus, node)))
  await pause(3 * second)
  const struckAt = Date.now()
  await fault.strike(cluster, victim)
  const isServed = () => traffic.every(each => [each.publish, each.update, each.request].every(gaps => gaps.isServed()))
  for (let servedAt = Date.now(); Date.now() - servedAt < servedMs && Date.now() - struckAt < 2 * boundMs; await pause(100)) {
    if (!isServed()) servedAt = Date.now()
  }
  await Promise.all(traffic.map(each => each.end()))
  const acknowledged = new Set(traffic.flatMap(each => each.acknowledged))
  await Promise.all(traffic.map(each => each.close(acknowledged)))
  t.comment(`${fault.title}: ms not served, by client (client ${victim} was at the victim)`)
  for (const what of ['publish', 'update', 'request'] as const) {
    const gaps = traffic.map(each => each[what].longestGap(struckAt))
    t.comment(`  ${what.padEnd(8)} ${gaps.join(' / ')}`)
    t.ok(Math.max(...gaps) < boundMs, `${what} is served again in time`)
  }
  const deaf = traffic.flatMap(each => each.deafMs()).sort((one, other) => one - other)
  const at = (share: number) => deaf[Math.floor((deaf.length - 1) * share)] ?? 0
  t.comment(
    `  feeds    p50 ${at(0.5)}, p90 ${at(0.9)}, max ${at(1)}; watches ${traffic.map(each => each.watchDeafMs()).join(' / ')}`,
  )
  t.ok(at(1) < boundMs, 'every feed hears again in time')
  for (const [node, each] of traffic.entries()) {
    const missing = [...acknowledged].filter(name => !each.heard.has(name))
    t.strictSame(missing, [], `the feeds of client ${node} heard every acknowledged report`)
    t.strictSame(each.broken, [], `no feed of client ${node} broke`)
  }
  await Promise.all(responders.map(responder => responder.close()))
  await Promise.all(buses.map(bus => bus.close()))
  await fault.heal(cluster, victim)
  await cluster.whole()
}

const answer = (message: Incoming) => message.respond(1)

/** Records the instants of successes. `longestGap` returns the longest time, ms, between two successes or after the last success. */
function createGaps() {
  const at: number[] = []
  let endedAt: number | null = null
  return {
    note: () => void at.push(Date.now()),
    isServed: () => Date.now() - (at.at(-1) ?? 0) < second,
    end: () => {
      endedAt = Date.now()
    },
    longestGap: (from: number) => {
      const seen = [...at.filter(each => each >= from - second), endedAt ?? Date.now()]
      return Math.max(...seen.map((each, i) => each - (seen[i - 1] ?? each)))
    },
  }
}

/**
 * Starts the continuous work of one process: it publishes, writes its own key, sends requests to the other processes, and receives all
 * messages.
 */
async function startTraffic(bus: Bus, node: number) {
  const [publish, update, request] = [createGaps(), createGaps(), createGaps()]
  const heard = new Map<string, number>()
  const acknowledged: string[] = []
  const acknowledgedAt = new Map<string, number>()
  const broken: string[] = []
  const feeds = await Promise.all(
    upTo(limits.partitions, 0).map(partition =>
      bus.observations.open({
        partition,
        from: { sequence: 1 },
        onMessage: ({ body }) => {
          const { name } = body as { name: string }
          if (!heard.has(name)) heard.set(name, Date.now())
          return true
        },
        onBroken: reason => void broken.push(reason),
      }),
    ),
  )
  let watchedAt = Date.now()
  let watchDeafMs = 0
  const watch = await bus.bucket('leases').watch('test.*', {
    onEntry: () => {
      watchDeafMs = Math.max(watchDeafMs, Date.now() - watchedAt)
      watchedAt = Date.now()
    },
  })
  watchDeafMs = 0
  let isRunning = true
  const loop = async (act: (n: number) => Promise<void>) => {
    for (let n = 0; isRunning; n++) {
      await act(n).catch(() => undefined)
      await pause(50)
    }
  }
  const run = `${node}.${Date.now()}`
  const loops = [
    loop(async n => {
      const name = `${run}.${n}`
      await bus.observations.publish(subjectOn(n % limits.partitions), { name })
      publish.note()
      acknowledged.push(name)
      acknowledgedAt.set(name, Date.now())
    }),
    loop(async () => {
      await bus.bucket('leases').put(`test.${node}`, 1)
      update.note()
    }),
    loop(async () => {
      await bus.request('ask.test', 1, { timeoutMs: 2 * second })
      request.note()
    }),
  ]
  return {
    publish,
    update,
    request,
    heard,
    acknowledged,
    broken,
    watchDeafMs: () => watchDeafMs,
    /** For each report that this process published: time from the acknowledgement to the arrival at this process, ms. */
    deafMs: () => [...acknowledgedAt].map(([name, at]) => Math.max(0, (heard.get(name) ?? Date.now()) - at)),
    end: async () => {
      isRunning = false
      for (const gaps of [publish, update, request]) gaps.end()
      await Promise.all(loops)
    },
    /** Closes the feeds once they have heard all these reports, of all processes. */
    close: async (reports: ReadonlySet<string>) => {
      for (const endedAt = Date.now(); [...reports].some(name => !heard.has(name)) && Date.now() - endedAt < boundMs; )
        await pause(100)
      await Promise.all([watch.close(), ...feeds.map(feed => feed.close())])
    },
  }
}
