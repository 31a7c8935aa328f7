// The API while checks run at half the sustained rate: mixed reads and writes among 10,000 monitors, the bare route at the same rate, and
// separately one response with all monitors.
import { setTimeout as pause } from 'node:timers/promises'
import { type ApiFleet, seedApiFleet } from '../fleets/api-fleet.ts'
import { type Latencies, readMixed, readsPerSecond, writeMixed, writesPerSecond } from '../fleets/api-load.ts'
import { createHttpClient, type HttpClient } from '../run/http-client.ts'
import { type Observed, observe } from '../run/observe.ts'
import { type Detail, type PartResult, type Quantity, quantity, type Run } from '../run/run-context.ts'
import { summarize } from '../run/statistics.ts'
import type { System } from '../run/system.ts'
import { atPace } from '../run/waiting.ts'

/** Rate of checks during the requests, as a share of the sustained rate. */
const share = 0.5
const connections = 20
const warmUpMs = 4_000
/**
 * Length of a window: the average time between full garbage collections of the system's main thread. A shorter window would contain one
 * collection or none by chance.
 */
const windowSeconds = 40
const listsOfAll = 10

interface Found {
  bare: number[]
  reads: Latencies
  writes: Latencies
  all: { ms: number[]; bytes: number }
  /** Figures during the mixed requests, and during repeated lists of all monitors. */
  mixed: Observed
  listing: Observed
}

export async function api(run: Run): Promise<PartResult> {
  const monitors = run.options.quick ? 1_000 : 10_000
  const intervalSeconds = Math.max(1, Math.ceil(monitors / ((await run.heldRate()) * share)))
  const rate = Math.round(monitors / intervalSeconds)
  run.say(`api: ${monitors} monitors every ${intervalSeconds} s, ${rate} checks/s`)
  const found = await run.withSystem(system => measure(run, system, monitors, intervalSeconds))
  return { quantities: quantitiesOf(found, monitors), details: detailsOf(found, rate) }
}

async function measure(run: Run, system: System, monitors: number, intervalSeconds: number): Promise<Found> {
  await system.start()
  const connection = await system.connect()
  const client = createHttpClient(system.url, await system.key(), connections)
  try {
    const fleet = await seedApiFleet(run, system, connection, { monitors, intervalSeconds })
    await pause(warmUpMs)
    return await ask(run, system, client, fleet, intervalSeconds)
  } finally {
    await client.close()
    await connection.close()
  }
}

async function ask(run: Run, system: System, client: HttpClient, fleet: ApiFleet, intervalSeconds: number): Promise<Found> {
  const seconds = run.options.quick ? run.options.seconds : Math.max(run.options.seconds, windowSeconds)
  const observing = { system, target: run.target, subjectIds: fleet.subjectIds, intervalMs: intervalSeconds * 1_000, seconds }
  const writing = { urlOf: run.target.urlOf, location: 'local' }
  await Promise.all([readMixed(client, fleet, 2), writeMixed(client, fleet, writing, 2)])
  const bare: number[] = []
  await atPace(readsPerSecond, Math.min(seconds, 10), async () => bare.push((await client.call('GET', '/api/version')).ms))
  const [mixed, reads, writes] = await Promise.all([
    observe(observing),
    readMixed(client, fleet, seconds),
    writeMixed(client, fleet, writing, seconds),
  ])
  const [listing, all] = await Promise.all([observe(observing), listAll(client, fleet)])
  return { bare, reads, writes, all, mixed, listing }
}

/** Sends the requests one after the other. */
async function listAll(client: HttpClient, { workspaceId }: ApiFleet): Promise<Found['all']> {
  const ms: number[] = []
  let bytes = 0
  for (let index = 0; index < listsOfAll; index++) {
    const answered = await client.call('GET', `/api/v2/monitoring/websites?workspace_id=${workspaceId}`)
    ms.push(answered.ms)
    bytes = answered.bytes
  }
  return { ms, bytes }
}

function quantitiesOf({ bare, reads, writes, all, mixed }: Found, monitors: number): Quantity[] {
  const p99 = (latencies: Latencies) => summarize([...latencies.values()].flat()).p99
  const among = `among ${monitors.toLocaleString('en')} monitors, checks at half the held rate`
  const lower = { better: 'lower' } as const
  return [
    quantity('api', `reads ${among}, p99`, 'ms', p99(reads), { ...lower, budget: 20 }),
    quantity('api', `writes ${among}, p99`, 'ms', p99(writes), { ...lower, budget: 50 }),
    quantity('api', 'bare route beside the same checks, p99', 'ms', summarize(bare).p99, lower),
    quantity('api', 'one answer with all these monitors, median', 'ms', summarize(all.ms).p50, lower),
    quantity('api', 'checks on time within 100 ms meanwhile', '%', mixed.onTime * 100, { better: 'higher', budget: 99 }),
  ]
}

function detailsOf({ bare, reads, writes, all, mixed, listing }: Found, rate: number): Detail[] {
  const kinds: [string, number[]][] = [
    ['GET version (bare route)', bare],
    ...[...reads].map(([kind, ms]): [string, number[]] => [`read: ${kind}`, ms]),
    ['reads, all', [...reads.values()].flat()],
    ...[...writes].map(([kind, ms]): [string, number[]] => [`write: ${kind}`, ms]),
    ['writes, all', [...writes.values()].flat()],
    [`one answer with all monitors, ${(all.bytes / 1e6).toFixed(1)} MB`, all.ms],
  ]
  return [
    {
      title: `API at ${readsPerSecond} reads/s and ${writesPerSecond} writes/s beside ${rate} checks/s, ms`,
      rows: kinds.map(([what, ms]) => latencyRow(what, ms)),
    },
    {
      title: 'Checks beside the API',
      rows: [checksRow('with reads and writes', mixed), checksRow('while all monitors are listed', listing)],
    },
  ]
}

function latencyRow(what: string, ms: number[]) {
  const { count, p50, p95, p99, max } = summarize(ms)
  const figure = (value: number) => Number(value.toFixed(1))
  return { what, count, p50: figure(p50), p95: figure(p95), p99: figure(p99), max: figure(max) }
}

const checksRow = (checks: string, { hitsPerSecond, onTime, lateness, cpuMsPerThousand }: Observed) => ({
  checks,
  'made/s': Math.round(hitsPerSecond),
  'on time %': Number((onTime * 100).toFixed(1)),
  'late p50 ms': Number(lateness.p50.toFixed(1)),
  'late p99 ms': Number(lateness.p99.toFixed(1)),
  'CPU ms/1,000 with the API': Math.round(cpuMsPerThousand),
})
