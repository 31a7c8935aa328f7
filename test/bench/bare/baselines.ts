// Best figures of this machine without Watchkeeper, measured in the same run. Machines differ by a factor of four in speed, so only ratios
// to these figures are comparable.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Pool } from 'undici'
import type { PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import type { SqlValue } from '#shared/store/sqlite/sqlite-query.ts'
import { rowCodec } from '#shared/store/sqlite/sqlite-rows.ts'
import { schemaStatements, writeStatements } from '#shared/store/sqlite/sqlite-schema.ts'
import { checkObservationId, pushedObservationId, randomId } from '#shared/text/ids.ts'
import { endChild, startChild } from '../run/processes.ts'
import type { Target } from '../run/start-target.ts'
import { median, summarize } from '../run/statistics.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from '../run/temporary-folder.ts'
import type { BareFigures } from './bare-prober.ts'

export interface BareProber {
  checksPerSecond: number
  cpuMsPerThousand: number
}

const atOnce = 64
const paths = 1_000

/** Returns the median figures of three rounds. Each round begins with a warm-up. `seconds`: length of all rounds together. */
export async function measureBareProber(target: Target, seconds: number): Promise<BareProber> {
  const rounds: BareFigures[] = []
  for (let round = 0; round < 3; round++) rounds.push(await runBareProber(target.origin, 1.5, Math.max(1, seconds / 3)))
  const failed = rounds.reduce((sum, { failed }) => sum + failed, 0)
  if (failed > 0) throw new Error(`${failed} checks of the bare prober failed: its figures mean nothing.`)
  return {
    checksPerSecond: median(rounds.map(({ checks, elapsedMs }) => (checks * 1_000) / elapsedMs)),
    cpuMsPerThousand: median(rounds.map(({ checks, cpuMs }) => (cpuMs * 1_000) / checks)),
  }
}

async function runBareProber(origin: string, warmUpSeconds: number, seconds: number): Promise<BareFigures> {
  const program = new URL('./bare-prober.ts', import.meta.url).pathname
  const child = startChild([program, origin, `${paths}`, `${atOnce}`, `${warmUpSeconds}`, `${seconds}`], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  try {
    return await new Promise<BareFigures>((resolve, reject) => {
      child.once('message', message => resolve(message as BareFigures))
      child.once('exit', code => reject(new Error(`The bare prober ended with ${code}.`)))
    })
  } finally {
    await endChild(child, 'SIGKILL')
  }
}

const batch = 512

/** Kinds of rows for the bare insert: check results, and observations pushed by senders. */
export type BareRows = 'observations' | 'pushedObservations'
export const bareRowsNames: Record<BareRows, string> = {
  observations: 'check results',
  pushedObservations: 'pushed observations',
}

/** Returns the rate of inserting prepared rows into a new file, in rows a second: the median of three rounds. Batches have 512 rows. */
export function measureBareInsert(collection: BareRows, rowsInAll: number): number {
  const folder = makeTemporaryFolder()
  const makeRows = { observations: observationRows, pushedObservations: pushedRows }[collection]
  try {
    const rates: number[] = []
    for (let round = 0; round < 3; round++) {
      rates.push(insertRows(join(folder, `round-${round}.db`), collection, makeRows(Math.ceil(rowsInAll / 3))))
    }
    return median(rates)
  } finally {
    removeTemporaryFolder(folder)
  }
}

type Row = SqlValue[]

/** Returns rows of check results, in the order in which the checks of 1,000 subjects arrive. */
function observationRows(count: number): Row[] {
  const ids = Array.from({ length: 1_000 }, () => randomId(10))
  const since = Date.now() - 3_600_000
  return Array.from({ length: count }, (_, index) => {
    const slotAt = since + Math.floor(index / ids.length) * 1_000
    return [checkObservationId(ids[index % ids.length] as string, 'bare', slotAt), 1, 2, null, 0, null, 1, 1, 200, null]
  })
}

/** Returns rows of pushed observations in the form that the store writes: 1,000 subjects with five signals report in turn. */
function pushedRows(count: number): Row[] {
  const ids = Array.from({ length: 1_000 }, () => randomId(10))
  const since = Date.now() * 1_000
  const { encode } = rowCodec('pushedObservations')
  return Array.from({ length: count }, (_, index) => {
    const subjectId = ids[index % ids.length] as string
    const signalKey = `s${1 + (Math.floor(index / ids.length) % 5)}`
    const observedAtUs = since + index
    const row: PushedObservationDocument = {
      id: pushedObservationId(subjectId, signalKey, {}, observedAtUs),
      receivedAtUs: observedAtUs,
      ok: 1,
      value: 1,
      error: null,
      labels: null,
      rejectReason: null,
      expireAt: null,
      sentId: null,
      body: null,
      source: null,
    }
    const values: Row = []
    encode(row, values)
    return values
  })
}

function insertRows(path: string, collection: BareRows, rows: Row[]): number {
  const database = new DatabaseSync(path)
  // Same options as the system's own file (shared/store/sqlite/sqlite-file.ts). Exclusive mode also keeps the log's index in memory.
  database.exec(
    'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -4096',
  )
  for (const statement of schemaStatements(collection)) database.exec(statement)
  const insert = database.prepare(writeStatements(collection).insert)
  const startedAt = performance.now()
  for (let first = 0; first < rows.length; first += batch) {
    database.exec('BEGIN')
    for (const row of rows.slice(first, first + batch)) insert.run(...row)
    database.exec('COMMIT')
  }
  const elapsedMs = performance.now() - startedAt
  database.close()
  return (rows.length * 1_000) / elapsedMs
}

export interface RouteFigures {
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
}

/** Requests one route repeatedly by `connections` clients at once, after a second of warm-up. Throws if a response is no success. */
export async function measureRoute(
  origin: string,
  path: string,
  { key, connections, seconds }: { key: string; connections: number; seconds: number },
): Promise<RouteFigures> {
  const pool = new Pool(origin, { connections })
  const latencies: number[] = []
  const startedAt = performance.now()
  const measureFrom = startedAt + 1_000
  const until = measureFrom + seconds * 1_000
  const client = async () => {
    for (let at = performance.now(); at < until; at = performance.now()) {
      const answer = await pool.request({ path, method: 'GET', headers: { authorization: `Bearer ${key}` } })
      const { error } = (await answer.body.json()) as { error: unknown }
      if (answer.statusCode !== 200 || error) throw new Error(`${path} answered ${answer.statusCode} ${JSON.stringify(error)}`)
      if (at >= measureFrom) latencies.push(performance.now() - at)
    }
  }
  try {
    await Promise.all(Array.from({ length: connections }, client))
  } finally {
    await pool.destroy()
  }
  const { count, p50, p99 } = summarize(latencies)
  return { requestsPerSecond: count / seconds, p50Ms: p50, p99Ms: p99 }
}
