// Baselines of generation 3: cost of a rule that compares a report with the median of 7 days. Resources report every 5 minutes, on a signal
// with a baseline and on a signal without one. The signals take turns every few seconds, because the machine's load changes within minutes
// by more than the cost of baselines. Before the measurement, the history of the Resources is written into the store while the system is
// stopped.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { day, minute } from '#shared/limits/limits.ts'
import type { SqlValue } from '#shared/store/sqlite/sqlite-query.ts'
import { rowCodec } from '#shared/store/sqlite/sqlite-rows.ts'
import { writeStatements } from '#shared/store/sqlite/sqlite-schema.ts'
import { rowOf } from '../../../services/keeper/step/observations/observed-row.ts'
import { createReports } from '../fleets/custom-fleet.ts'
import type { CustomFleet } from '../fleets/fleet.ts'
import { generations } from '../fleets/generations.ts'
import { rule, seedResources } from '../fleets/resource-fleet.ts'
import { homeOf } from '../fleets/seed.ts'
import type { Connection } from '../run/connection.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { median, percentile, type Summary, summarize } from '../run/statistics.ts'
import type { System } from '../run/system.ts'
import { atPace, runAtOnce } from '../run/waiting.ts'

const everyMs = 5 * minute
const days = 7
const readings = (days * day) / everyMs
const rules = [
  rule('high', {
    signal: 's1',
    field: 'value',
    operator: 'gt',
    operand: 3,
    baseline: { days, min_samples: 12 },
  }),
  rule('large', { signal: 's2', field: 'value', operator: 'gt', operand: 1_000_000 }),
]

/** Number of pairs. A pair is one window with a baseline and one without, directly after each other; their order alternates. */
const pairs = 12
/** Length of a window, as a share of the seconds of a measurement. */
const windowShare = 1 / 4

/** Shares of a core, %. */
interface Found {
  idle: number
  /** Load of reports on the signal without a baseline, by pair. */
  plain: number[]
  /** Load of reports on the signal with a baseline, by pair. */
  measured: number[]
  perSecond: number
  reports: Summary
}

export async function v3Baselines(run: Run): Promise<PartResult> {
  const resources = run.options.quick ? 1_000 : 10_000
  const found = await run.withSystem(system => measure(run, system, resources))
  const name = `${resources.toLocaleString('en')} Resources with ${days}-day baselines, a report every 5 minutes: CPU of the baselines`
  const each = (share: number) => ((share / 100 / found.perSecond) * 1_000).toFixed(2)
  const plain = median(found.plain)
  const measured = median(found.measured)
  const differences = found.measured.map((share, pair) => share - (found.plain[pair] as number))
  const ordered = differences.toSorted((one, other) => one - other)
  return {
    quantities: [quantity('v3-baselines', name, '% of a core', median(differences), { better: 'lower', budget: 5 })],
    details: [
      {
        title: 'Reports with baselines',
        rows: [
          {
            'reports/s': found.perSecond.toFixed(1),
            'readings each': readings,
            'at rest % of a core': found.idle.toFixed(1),
            'plain reports': plain.toFixed(1),
            'with baselines': measured.toFixed(1),
            'CPU ms a plain report': each(plain - found.idle),
            'with its baseline': each(measured - found.idle),
            'answer p50 ms': found.reports.p50.toFixed(1),
            'p99 ms': found.reports.p99.toFixed(1),
          },
        ],
      },
      {
        title: 'Differences of pairs, % of a core',
        rows: [
          {
            pairs: differences.length,
            least: percentile(ordered, 0).toFixed(1),
            'first quartile': percentile(ordered, 0.25).toFixed(1),
            median: median(differences).toFixed(1),
            'third quartile': percentile(ordered, 0.75).toFixed(1),
            most: percentile(ordered, 1).toFixed(1),
            'in turn': differences.map(difference => difference.toFixed(1)).join(' '),
          },
        ],
      },
    ],
  }
}

async function measure(run: Run, system: System, resources: number): Promise<Found> {
  const { seconds } = run.options
  const perSecond = (resources * 1_000) / everyMs
  run.say(`v3-baselines: ${resources} Resources`)
  await system.start()
  const fleet = await connected(system, async connection => {
    const { workspaceId } = await homeOf(connection, system.url, await system.key())
    return seedResources(connection, { workspaceId, template: 'measured', resources, signals: 2, rules })
  })
  await system.stop()
  const reporting = Math.min(resources, Math.ceil(perSecond * seconds))
  run.say(`v3-baselines: ${readings} readings of each of ${reporting}`)
  writeHistory(system, fleet.subjectIds.slice(0, reporting))
  await system.start()
  return connected(system, async connection => {
    const reports = createReports(fleet)
    const report = (subject: number, signal: number) =>
      generations[3].send(connection.keeper, fleet.subjectIds[subject] as string, [reports.next(subject, signal)])
    // Brings all Resources into the keeper's memory, where Resources that report every 5 minutes stay.
    await runAtOnce(reporting, 20, subject => report(subject, 0))
    await runAtOnce(reporting, 20, subject => report(subject, 1))
    await pause(run.options.quick ? 2_000 : 15_000)
    const idle = await percentOfCore(system, () => pause(seconds * 1_000))
    const times: number[] = []
    const made = [0, 0]
    const paced = (signal: 0 | 1) =>
      percentOfCore(system, () =>
        atPace(perSecond, seconds * windowShare, async () => {
          const startedAt = performance.now()
          await report((made[signal] as number)++ % reporting, signal)
          if (signal === 0) times.push(performance.now() - startedAt)
        }),
      )
    const found = [[], []] as [number[], number[]]
    for (let pair = 0; pair < pairs; pair++) {
      const order = pair % 2 === 0 ? ([1, 0] as const) : ([0, 1] as const)
      for (const signal of order) found[signal].push(await paced(signal))
    }
    const [measured, plain] = found
    return { idle, plain, measured, perSecond, reports: summarize(times) }
  })
}

async function connected<T>(system: System, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await system.connect()
  try {
    return await work(connection)
  } finally {
    await connection.close()
  }
}

async function percentOfCore(system: System, work: () => Promise<void>): Promise<number> {
  const before = { cpuMs: system.usage().cpuMs, at: performance.now() }
  await work()
  return ((system.usage().cpuMs - before.cpuMs) / (performance.now() - before.at)) * 100
}

/** Writes the rows in the form in which the keeper writes them. */
function writeHistory(system: System, subjectIds: CustomFleet['subjectIds']): void {
  const database = new DatabaseSync(join(system.dataFolder, 'watchkeeper.db'))
  const { encode } = rowCodec('pushedObservations')
  const insert = database.prepare(writeStatements('pushedObservations').insert)
  const now = Date.now()
  for (const subjectId of subjectIds) {
    database.exec('BEGIN')
    for (let reading = readings; reading > 0; reading--) {
      const at = now - reading * everyMs
      const report = { signal: 's1', state: 'ok' as const, signalKind: null, sentId: `${at}`, value: 10 + (reading % 7) }
      const stamped = {
        ...report,
        reason: '',
        labels: {},
        body: null,
        atUs: at * 1_000,
        isStampedHere: false,
        stampUs: at * 1_000,
        source: 'api' as const,
      }
      const values: SqlValue[] = []
      encode(rowOf(subjectId, 's1', stamped, { at, aheadMs: 0 }), values)
      insert.run(...values)
    }
    database.exec('COMMIT')
  }
  database.close()
}
