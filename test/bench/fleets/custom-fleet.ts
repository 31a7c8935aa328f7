// Custom subjects for a run, created by commands on the bus, and observations on these subjects. Each observation is newer than all earlier
// ones, so none is out of order. The fleet knows the rows that the store must have in the end.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Command, CommandOf } from '#shared/contracts/subjects/command.ts'
import type { PolicyInput } from '#shared/contracts/subjects/policy.ts'
import { minute } from '#shared/limits/limits.ts'
import { idLength, randomId, seriesId } from '#shared/text/ids.ts'
import type { Connection } from '../run/connection.ts'
import type { System } from '../run/system.ts'
import { runAtOnce } from '../run/waiting.ts'
import type { CustomFleet, Generation, Report } from './fleet.ts'
import { generations } from './generations.ts'
import { patiently } from './seed.ts'

const subjectsAtOnce = 100

/** Creates the subjects. A subject has one rule, which reads all `signals` signals and is a problem if any signal is a problem. */
export async function seedCustom(
  connection: Connection,
  { workspaceId, subjects, signals }: { workspaceId: string; subjects: number; signals: number },
): Promise<CustomFleet> {
  const names = Array.from({ length: signals }, (_, signal) => `s${signal + 1}`)
  const slugs = Array.from({ length: subjects }, (_, subject) => `c${subject}`)
  const subjectIds = slugs.map(() => randomId(idLength.subject))
  await runAtOnce(subjects, subjectsAtOnce, async index => {
    const slug = slugs[index] as string
    const send = (command: Command) => patiently(() => connection.keeper.send(subjectIds[index] as string, command))
    await send({ kind: 'create-subject', id: randomId(16), workspaceId, slug, name: slug })
    for (const name of names) {
      const signal = { name, signalKind: 'custom_heartbeat', meta: '{}', convert: false } as const
      await send({ kind: 'create-signal', id: randomId(16), ...signal })
    }
    await send({ kind: 'create-rule', id: randomId(16), name: 'health', policy: policyOf(names), convert: false })
  })
  return { generation: 2, workspaceId, subjectIds, slugs, signals: names }
}

function policyOf(signals: readonly string[]): CommandOf<'create-rule'>['policy'] {
  const nothing = { from: null, compare: null, threshold: null, match: null }
  const inputs: PolicyInput[] = signals.map(signal => ({ ...nothing, signal, mode: 'status', noDataAfterMs: 60 * minute }))
  return { inputs, need: 'any', atLeast: null, confirmAfterMs: 2 * minute, closeAfterMs: 2 * minute }
}

/** Source of the reports of a run, all of which must be stored in the end. */
export interface Reports {
  /** Returns the next report on a signal. `subject` and `signal` are numbers in the fleet. */
  next(subject: number, signal: number, status?: Report['status']): Report
  /** Throws if the stopped system's store lacks a report, has an additional report, or has not judged the newest report of each signal. */
  verify(system: System): void
}

/**
 * Creates the source of reports. Each report is dated a microsecond after the previous report, so that no two reports have the same
 * identity.
 */
export function createReports({ generation, subjectIds, signals }: CustomFleet): Reports {
  let observedAtUs = Date.now() * 1_000
  let made = 0
  const newest = new Map<string, { observedAtUs: number; status: Report['status'] }>()
  return {
    next: (subject, signal, status = 'ok') => {
      observedAtUs += 1
      made += 1
      const slug = signals[signal] as string
      newest.set(`${subjectIds[subject]}.${slug}`, { observedAtUs, status })
      return { signal: slug, observedAtUs, status, value: 12.5, error: status === 'ok' ? '' : 'too slow', labels: {} }
    },
    verify: system => {
      const database = new DatabaseSync(join(system.dataFolder, 'watchkeeper.db'), { readOnly: true })
      try {
        verifyRows(database, made, generation)
        for (const [at, id] of subjectIds.entries()) verifySubject(database, id, { generation, signals }, newest, at)
      } finally {
        database.close()
      }
    },
  }
}

function verifyRows(database: DatabaseSync, made: number, generation: Generation): void {
  const count = (where: string) =>
    Number(database.prepare(`SELECT count(*) AS rows FROM pushedObservations WHERE ${where}`).get()?.['rows'])
  const { isOwnRow } = generations[generation]
  const stored = count(isOwnRow)
  const accepted = count(`${isOwnRow} AND rejectReason IS NULL`)
  if (stored !== made || accepted !== made)
    throw new Error(`${made} observations were reported; ${stored} are stored, ${accepted} of them accepted.`)
}

/** Throws if the newest report of a signal is not stored, or if the rule was not judged by that report. */
function verifySubject(
  database: DatabaseSync,
  subjectId: string,
  { generation, signals }: Pick<CustomFleet, 'generation' | 'signals'>,
  newest: ReadonlyMap<string, { observedAtUs: number; status: Report['status'] }>,
  at: number,
): void {
  const body = String(database.prepare('SELECT body FROM subjects WHERE id = ?').get(subjectId)?.['body'])
  const { rules, custom } = JSON.parse(body)
  const reported = signals.flatMap(slug => newest.get(`${subjectId}.${slug}`) ?? [])
  if (reported.length === 0) return
  const found = rules[0]?.verdict?.evidence.inputs.map((input: { input: string; value: string }) => [input.input, input.value])
  for (const slug of signals) {
    const expected = newest.get(`${subjectId}.${slug}`)
    if (expected === undefined) continue
    const key = custom.signals.find((signal: { slug: string }) => signal.slug === slug).key
    const series = database.prepare('SELECT observedAtUs AS at FROM series WHERE id = ?').get(seriesId(subjectId, key, {}))
    const row = generations[generation].rowId(subjectId, key, expected.observedAtUs)
    const isStored = database.prepare('SELECT 1 FROM pushedObservations WHERE id = ?').get(row) !== undefined
    const judged = found?.find(([input]: string[]) => input === slug)?.[1]
    if (isStored && series?.['at'] === expected.observedAtUs && judged === expected.status) continue
    throw new Error(`Subject ${at}, signal ${slug}: the newest report is stored: ${isStored}, judged as ${judged}.`)
  }
}
