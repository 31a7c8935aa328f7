// What a round needs to know of earlier pushed observations: read in one go before its inputs are stepped, kept up to date while
// they are.
import type { Command, CommandOf } from '#shared/contracts/command.ts'
import type { PushedObservationDocument, SeriesDocument } from '#shared/contracts/observation.ts'
import { pushedObservationId, seriesId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import { type Core, persistWhile } from './core.ts'
import { stampOf } from './step/obey.ts'
import type { Input, StoredReports } from './step/types.ts'

export interface RoundReports extends StoredReports {
  /** Rows that a step of this round has made: later steps find them as if they were stored. */
  note(rows: readonly PushedObservationDocument[]): void
}

export const noReports: StoredReports = { series: () => null, seriesOf: () => [], pushed: () => null }

/** The subjects of the inputs are in the cache already. */
export async function loadStoredReports(core: Core, inputs: readonly Input[], mayGoOn: () => boolean): Promise<RoundReports> {
  const wanted = { series: new Set<string>(), pushed: new Set<string>(), subjects: new Set<string>() }
  for (const input of inputs) if (input.kind === 'command') note(core, input.subjectId, input.command, wanted)
  const read = <T>(attempt: () => Promise<T>) => persistWhile(core, mayGoOn, 'read earlier observations', attempt)
  const get = async <C extends 'series' | 'pushedObservations'>(collection: C, ids: Set<string>) =>
    ids.size === 0 ? [] : read(() => core.store.get(collection, [...ids]))
  const [series, pushed, ofSubjects] = await Promise.all([
    get('series', wanted.series),
    get('pushedObservations', wanted.pushed),
    Promise.all([...wanted.subjects].map(id => read(() => seriesOfSubject(core, id)).then(found => [id, found] as const))),
  ])
  const byId = <T extends { id: string }>(found: (T | null)[]) =>
    new Map(found.flatMap(one => (one === null ? [] : [[one.id, one]])))
  const seriesById = byId(series)
  const pushedById = byId(pushed)
  const seriesBySubject = new Map(ofSubjects)
  return {
    series: id => seriesById.get(id) ?? null,
    seriesOf: id => seriesBySubject.get(id) ?? [],
    pushed: id => pushedById.get(id) ?? null,
    note: rows => {
      for (const row of rows) pushedById.set(row.id, row)
    },
  }
}

interface Wanted {
  series: Set<string>
  pushed: Set<string>
  subjects: Set<string>
}

function note(core: Core, subjectId: string, command: Command, wanted: Wanted): void {
  if (command.kind === 'create-rule' || command.kind === 'replace-rule') wanted.subjects.add(subjectId)
  const subject = core.cache.get(subjectId)?.subject
  const stampedAt = subject ? stampOf(subject, command.id) : null
  const stampedAtUs = stampedAt === null ? null : stampedAt * 1_000
  for (const report of reportsOf(command)) {
    const signals = subject?.custom?.signals
    // A signal that this very round makes has reported nothing yet.
    const signal = signals?.find(candidate => candidate.slug === report.signal)
    if (signal === undefined) continue
    const observedAtUs = report.observedAtUs ?? stampedAtUs
    wanted.series.add(seriesId(subjectId, signal.key, report.labels))
    if (observedAtUs !== null) wanted.pushed.add(pushedObservationId(subjectId, signal.key, report.labels, observedAtUs))
  }
}

function reportsOf(command: Command): readonly Omit<CommandOf<'report-observation'>, 'kind' | 'id'>[] {
  if (command.kind === 'report-observation') return [command]
  return command.kind === 'report-observations' ? command.observations : []
}

/** The newest first: of more sets of labels than these, the older say nothing about what an input reads now. */
const seriesOfSubject = (core: Core, subjectId: string): Promise<SeriesDocument[]> =>
  core.store.find('series', { where: { subjectId }, limit: limits.intake.seriesPerSubject })
