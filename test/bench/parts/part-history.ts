// An observation log of ten million checks in the embedded store: writes while nothing else happens, while the oldest day is removed in slices
// as a keeper does it, size of the file and of its log, and how long a start takes.
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { CheckObservationDocument } from '#shared/contracts/observations/observation.ts'
import { day, limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { rowCodec } from '#shared/store/sqlite/sqlite-rows.ts'
import { schemaStatements, writeStatements } from '#shared/store/sqlite/sqlite-schema.ts'
import { checkObservationId, observationPrefix } from '#shared/text/ids.ts'
import { observation } from '../../store/documents.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { type Summary, summarize } from '../run/statistics.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from '../run/temporary-folder.ts'

const monitors = 1_000
const days = 4
const source = 'local'
/** One commit of a busy keeper: a round of checks, at 2,000 checks a second four times a second. */
const round = { rows: 500, everyMs: 250 }
/** Longest time that a commit may take beside a removal, ms: the keeper's round waits for it. */
const stallMs = 250

interface Written {
  ms: Summary
  walBytes: number
}

export async function history(run: Run): Promise<PartResult> {
  const rows = run.options.quick ? 200_000 : 10_000_000
  const folder = makeTemporaryFolder()
  const path = join(folder, 'watchkeeper.db')
  const today = Math.floor(Date.now() / day) * day
  try {
    run.say(`history: ${rows.toLocaleString('en')} checks`)
    const filledMs = fill(path, rows, today)
    const bytes = statSync(path).size
    const openedAt = performance.now()
    const store = await openSqliteStore(path)
    const openMs = performance.now() - openedAt
    try {
      run.say('history: writes alone')
      const seconds = run.options.quick ? 3 : 15
      const alone = await write(store, path, today, 0, async () => pause(seconds * 1_000))
      run.say('history: writes while a day is removed')
      let removed = { rows: 0, ms: 0 }
      const beside = await write(store, path, today, 1, async () => {
        removed = await removeDay(store, today - days * day, run.options.quick ? 5 : 60)
      })
      const after = statSync(path).size
      return {
        quantities: [
          quantity('history', 'commit of 500 checks while a day of ten million checks is removed, slowest', 'ms', beside.ms.max, {
            better: 'lower',
            budget: stallMs,
          }),
          quantity('history', 'the same, median, beside the median without removal', 'ms', beside.ms.p50, {
            better: 'lower',
            baseline: alone.ms.p50,
            budget: 3,
          }),
          quantity('history', 'removal', 'rows/s', removed.rows / (removed.ms / 1_000), { better: 'higher', budget: 10_000 }),
        ],
        details: [
          {
            title: `Commits beside ${rows.toLocaleString('en')} checks`,
            rows: [rowOf('alone', alone), rowOf('while a day is removed', beside)],
          },
          {
            title: 'File of the observation log',
            rows: [
              {
                rows,
                'filled in s': (filledMs / 1_000).toFixed(0),
                'bytes a row': (bytes / rows).toFixed(1),
                'file, MB': (bytes / 1e6).toFixed(0),
                'opened in ms': openMs.toFixed(0),
                'removed rows': removed.rows,
                'removed in s': (removed.ms / 1_000).toFixed(1),
                'file after, MB': (after / 1e6).toFixed(0),
              },
            ],
          },
        ],
      }
    } finally {
      await store.close()
    }
  } finally {
    removeTemporaryFolder(folder)
  }
}

const rowOf = (what: string, { ms, walBytes }: Written) => ({
  what,
  commits: ms.count,
  'p50 ms': ms.p50.toFixed(1),
  'p99 ms': ms.p99.toFixed(1),
  'max ms': ms.max.toFixed(1),
  'largest log, MB': (walBytes / 1e6).toFixed(1),
})

const idOf = (monitor: number) => `m${String(monitor).padStart(9, '0')}`

/** Writes the rows of the days before `today` in the order of their ids, without a store. Returns the duration, ms. */
function fill(path: string, rows: number, today: number): number {
  const startedAt = performance.now()
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536')
  for (const statement of schemaStatements('observations')) database.exec(statement)
  const insert = database.prepare(writeStatements('observations').insert)
  const { encode } = rowCodec('observations')
  const perMonitor = Math.floor(rows / days / monitors)
  const stepMs = Math.floor(day / perMonitor)
  for (let ago = days; ago > 0; ago--) {
    database.exec('BEGIN')
    for (let monitor = 0; monitor < monitors; monitor++)
      for (let slot = 0; slot < perMonitor; slot++) {
        const row: (string | number | null)[] = []
        encode(observation(checkObservationId(idOf(monitor), source, today - ago * day + slot * stepMs)), row)
        insert.run(...row)
      }
    database.exec('COMMIT')
  }
  database.close()
  return performance.now() - startedAt
}

/** Commits rounds of checks of today until `work` ends. Returns the durations of the commits, and the largest size of the write-ahead log. */
async function write(store: Store, path: string, today: number, hour: number, work: () => Promise<void>): Promise<Written> {
  const times: number[] = []
  let walBytes = 0
  let isDone = false
  const working = work().finally(() => {
    isDone = true
  })
  for (let number = 0; !isDone; number++) {
    const startedAt = performance.now()
    await store.insert('observations', roundOf(today + hour * 3_600_000, number))
    times.push(performance.now() - startedAt)
    if (existsSync(`${path}-wal`)) walBytes = Math.max(walBytes, statSync(`${path}-wal`).size)
    await pause(Math.max(0, round.everyMs - (performance.now() - startedAt)))
  }
  await working
  return { ms: summarize(times), walBytes }
}

const roundOf = (from: number, number: number): CheckObservationDocument[] =>
  Array.from({ length: round.rows }, (_, i) =>
    observation(checkObservationId(idOf((number * round.rows + i) % monitors), source, from + number * round.everyMs)),
  )

/** Removes the checks of a day in slices, with the keeper's pauses, for at most so many seconds. */
async function removeDay(store: Store, at: number, secondsMax: number): Promise<{ rows: number; ms: number }> {
  const { deletionSlice, expireSliceMs } = limits.keeper
  const startedAt = performance.now()
  const end = observationPrefix(at + day)
  for (let rows = 0; ; ) {
    const removed = await store.deleteRange('observations', '', end, deletionSlice)
    rows += removed
    const ms = performance.now() - startedAt
    if (removed < deletionSlice || ms > secondsMax * 1_000) return { rows, ms }
    await pause(expireSliceMs)
  }
}
