// Pushes observations like senders. They are sent one by one over REST, several in one command on the bus, or as many single commands at
// once.
import type { Connection } from '../run/connection.ts'
import { createHttpClient } from '../run/http-client.ts'
import { type Summary, summarize } from '../run/statistics.ts'
import type { System } from '../run/system.ts'
import { runAtOnce } from '../run/waiting.ts'
import type { Reports } from './custom-fleet.ts'
import type { CustomFleet } from './fleet.ts'
import { bodyOf, generations } from './generations.ts'

export interface Sent {
  observations: number
  /** Time from the first to the last response. */
  elapsedMs: number
  /** CPU of the system per 1,000 observations, ms. */
  cpuMsPerThousand: number
  /** Duration of each request, ms. */
  latency: Summary
}

/** Receiver of observations over REST: a system, or a program that does part of a system's work. */
export type Receiver = Pick<System, 'url' | 'key'> & { usage(): { cpuMs: number } }

export interface Senders {
  fleet: CustomFleet
  reports: Reports
}

/**
 * Sends reports for this many seconds after a warm-up, from this many clients at once. A client has its own subjects and reports on its
 * subjects in turn.
 */
export async function sendByRest(
  system: Receiver,
  { fleet, reports }: Senders,
  { connections, seconds, warmUpMs }: { connections: number; seconds: number; warmUpMs: number },
): Promise<Sent> {
  const client = createHttpClient(system.url, await system.key(), connections)
  const latencies: number[] = []
  const startedAt = performance.now()
  const measureFrom = startedAt + warmUpMs
  const until = measureFrom + seconds * 1_000
  let cpuMs: number | null = null
  const lane = async (first: number) => {
    for (let turn = 0; ; turn++) {
      const at = performance.now()
      if (at >= until) return
      if (at >= measureFrom) cpuMs ??= system.usage().cpuMs
      const { subject, signal } = placeOf(fleet, first, connections, turn)
      const { path, body } = generations[fleet.generation].rest(fleet, subject, reports.next(subject, signal))
      const { ms } = await client.call('POST', path, body)
      if (at >= measureFrom) latencies.push(ms)
    }
  }
  try {
    await Promise.all(Array.from({ length: connections }, (_, first) => lane(first)))
  } finally {
    await client.close()
  }
  const elapsedMs = performance.now() - measureFrom
  return sent(latencies, elapsedMs, system.usage().cpuMs - (cpuMs ?? Number.NaN))
}

/** Returns the subject and signal of a client's next report. `lane`: number of the client; each subject belongs to one client. */
function placeOf({ subjectIds, signals }: CustomFleet, lane: number, lanes: number, turn: number) {
  const own = Math.ceil((subjectIds.length - lane) / lanes)
  return { subject: lane + lanes * (turn % own), signal: Math.floor(turn / own) % signals.length }
}

/**
 * Sends commands to the subjects in turn, `batches` to each subject. A command has `perBatch` observations, spread over all signals of the
 * subject.
 */
export async function sendInBatches(
  system: System,
  { keeper }: Connection,
  { fleet, reports }: Senders,
  { batches, perBatch, atOnce }: { batches: number; perBatch: number; atOnce: number },
): Promise<Sent> {
  const { subjectIds, signals } = fleet
  const latencies: number[] = []
  const before = { cpuMs: system.usage().cpuMs, at: performance.now() }
  await runAtOnce(subjectIds.length * batches, atOnce, async index => {
    const subject = index % subjectIds.length
    const observations = Array.from({ length: perBatch }, (_, at) => reports.next(subject, at % signals.length))
    const startedAt = performance.now()
    await generations[fleet.generation].send(keeper, subjectIds[subject] as string, observations)
    latencies.push(performance.now() - startedAt)
  })
  const elapsedMs = performance.now() - before.at
  const all = sent(latencies, elapsedMs, 0)
  const observations = latencies.length * perBatch
  return { ...all, observations, cpuMsPerThousand: ((system.usage().cpuMs - before.cpuMs) * 1_000) / observations }
}

/**
 * Sends batches of generation 3 over REST, `atOnce` at a time. A batch has `perResource` Observations of each Resource and as many
 * Resources as fit into a batch.
 */
export async function sendBatchesByRest(
  system: System,
  { fleet, reports }: Senders,
  { batches, perBatch, perResource, atOnce }: { batches: number; perBatch: number; perResource: number; atOnce: number },
): Promise<Sent> {
  const client = createHttpClient(system.url, await system.key(), atOnce)
  const { workspaceId, slugs, signals } = fleet
  const latencies: number[] = []
  const before = { cpuMs: system.usage().cpuMs, at: performance.now() }
  const itemAt = (place: number) => {
    const subject = Math.floor(place / perResource) % slugs.length
    return { resource: slugs[subject], ...bodyOf(reports.next(subject, place % signals.length)) }
  }
  try {
    await runAtOnce(batches, atOnce, async index => {
      const observations = Array.from({ length: perBatch }, (_, at) => itemAt(index * perBatch + at))
      const { ms, result } = await client.call('POST', `/api/v3/workspaces/${workspaceId}/observations`, { observations })
      const { rejected, results } = result as { rejected: number; results: { error?: object }[] }
      const first = JSON.stringify(results.find(({ error }) => error !== undefined))
      if (rejected > 0) throw new Error(`${rejected} Observations of a batch were refused, the first with ${first}`)
      latencies.push(ms)
    })
  } finally {
    await client.close()
  }
  const all = sent(latencies, performance.now() - before.at, 0)
  const observations = batches * perBatch
  return { ...all, observations, cpuMsPerThousand: ((system.usage().cpuMs - before.cpuMs) * 1_000) / observations }
}

/**
 * Sends one observation for each signal of each subject. All observations are sent at once, in separate commands. Resolves when all are
 * stored and judged.
 */
export async function sendBurst(
  system: System,
  { keeper }: Connection,
  { fleet, reports }: Senders,
  status: 'ok' | 'problem',
): Promise<Sent> {
  const { subjectIds, signals } = fleet
  const latencies: number[] = []
  const before = { cpuMs: system.usage().cpuMs, at: performance.now() }
  const send = async (subject: number, signal: number) => {
    await generations[fleet.generation].send(keeper, subjectIds[subject] as string, [reports.next(subject, signal, status)])
    latencies.push(performance.now() - before.at)
  }
  await Promise.all(signals.flatMap((_, signal) => subjectIds.map((_, subject) => send(subject, signal))))
  return sent(latencies, performance.now() - before.at, system.usage().cpuMs - before.cpuMs)
}

const sent = (latencies: number[], elapsedMs: number, cpuMs: number): Sent => ({
  observations: latencies.length,
  elapsedMs,
  cpuMsPerThousand: (cpuMs * 1_000) / latencies.length,
  latency: summarize(latencies),
})

export const sentPerSecond = ({ observations, elapsedMs }: Sent): number => (observations * 1_000) / elapsedMs
