// Baselines of generation 3: Resources with a rule that compares with the median of 7 days report every 5 minutes, beside the same reports on a
// signal without a baseline. Their history is written into the stopped store beforehand; only Resources that report have one.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { day, minute } from '#shared/limits.ts'
import type { SqlValue } from '#shared/store/sqlite-query.ts'
import { rowCodec } from '#shared/store/sqlite-rows.ts'
import { writeStatements } from '#shared/store/sqlite-schema.ts'
import { rowOf } from '../../services/keeper/step/observed-row.ts'
import type { Connection } from './connection.ts'
import { createReports } from './custom-fleet.ts'
import type { CustomFleet } from './fleet.ts'
import { generations } from './generations.ts'
import { rule, seedResources } from './resource-fleet.ts'
import { type PartResult, quantity, type Run } from './run-context.ts'
import { homeOf } from './seed.ts'
import { type Summary, summarize } from './statistics.ts'
import type { System } from './system.ts'
import { atPace, runAtOnce } from './waiting.ts'

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

/** Shares of a core, %. */
interface Found {
  idle: number
  /** With reports on the signal without a baseline. */
  plain: number
  /** With reports on the signal that has one. */
  measured: number
  perSecond: number
  reports: Summary
}

export async function v3Baselines(run: Run): Promise<PartResult> {
  const resources = run.options.quick ? 1_000 : 10_000
  const found = await run.withSystem(system => measure(run, system, resources))
  const name = `${resources.toLocaleString('en')} Resources with ${days}-day baselines, a report every 5 minutes: CPU of the baselines`
  const each = (share: number) => ((share / 100 / found.perSecond) * 1_000).toFixed(2)
  return {
    quantities: [quantity('v3-baselines', name, '% of a core', found.measured - found.plain, { better: 'lower', budget: 5 })],
    details: [
      {
        title: 'Reports with baselines',
        rows: [
          {
            'reports/s': found.perSecond.toFixed(1),
            'readings each': readings,
            'at rest % of a core': found.idle.toFixed(1),
            'plain reports': found.plain.toFixed(1),
            'with baselines': found.measured.toFixed(1),
            'CPU ms a plain report': each(found.plain - found.idle),
            'with its baseline': each(found.measured - found.idle),
            'answer p50 ms': found.reports.p50.toFixed(1),
            'p99 ms': found.reports.p99.toFixed(1),
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
    // A Resource that reports every 5 minutes is in its keeper's memory.
    await runAtOnce(reporting, 20, subject => report(subject, 0))
    await runAtOnce(reporting, 20, subject => report(subject, 1))
    await pause(run.options.quick ? 2_000 : 15_000)
    const idle = await percentOfCore(system, () => pause(seconds * 1_000))
    const times: number[] = []
    const paced = (signal: number) =>
      percentOfCore(system, () =>
        atPace(perSecond, seconds, async index => {
          const startedAt = performance.now()
          await report(index % reporting, signal)
          if (signal === 0) times.push(performance.now() - startedAt)
        }),
      )
    const plain = await paced(1)
    const measured = await paced(0)
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

/** As the keeper would have written them. */
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
        source: 'api' as const,
      }
      const values: SqlValue[] = []
      encode(rowOf(subjectId, 's1', stamped, at), values)
      insert.run(...values)
    }
    database.exec('COMMIT')
  }
  database.close()
}
