// What a round needs to know of earlier pushed observations: read in one go before its inputs are stepped, kept up to date while
// they are.
import type { Command } from '#shared/contracts/command.ts'
import type { PushedObservationDocument, SeriesDocument } from '#shared/contracts/observation.ts'
import { endOfPrefix, observationOfSeries, parsePushedObservationId, pushedPrefix, seriesId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import { type Core, persistWhile } from './core.ts'
import { ReportMemory } from './report-memory.ts'
import { observationRowId } from './step/observe.ts'
import { stampOf } from './step/take-reports.ts'
import type { Input, NewestReport, StoredReports } from './step/types.ts'

export interface RoundReports extends StoredReports {
  /** What a step of this round has made: later steps find it as if it were stored. */
  note(rows: readonly PushedObservationDocument[], series: readonly SeriesDocument[]): void
}

export const noReports: StoredReports = { series: () => null, seriesOf: () => [], pushed: () => null }

/** Reads what the steps of these inputs will ask for. Their subjects are in the cache already. */
export async function loadStoredReports(core: Core, inputs: readonly Input[], mayGoOn: () => boolean): Promise<RoundReports> {
  const wanted: Wanted = { series: new Set(), pushed: new Set(), signals: new Map(), newest: new Map(), known: new Map() }
  for (const input of inputs) if (input.kind === 'command') addWanted(core, input.subjectId, input.command, wanted)
  const read = <T>(attempt: () => Promise<T>) => persistWhile(core, mayGoOn, 'read earlier observations', attempt)
  const get = async <C extends 'series' | 'pushedObservations'>(collection: C, ids: Set<string>) =>
    ids.size === 0 ? [] : read(() => core.store.get(collection, [...ids]))
  const [series, pushed, ofSubjects] = await Promise.all([
    get('series', wanted.series),
    get('pushedObservations', wanted.pushed),
    Promise.all([...wanted.signals].map(async ([id, keys]) => [id, await read(() => seriesOf(core, id, keys))] as const)),
    Promise.all([...wanted.newest.values()].map(signal => learnNewest(core, signal, read))),
  ])
  const seriesById = wanted.known
  for (const one of series) if (one !== null) seriesById.set(one.id, one)
  const pushedById = new Map<string, PushedObservationDocument>()
  for (const row of pushed) if (row !== null) pushedById.set(row.id, row)
  return roundReports(seriesById, pushedById, new Map(ofSubjects))
}

function roundReports(
  seriesById: Map<string, NewestReport>,
  pushedById: Map<string, PushedObservationDocument>,
  seriesBySubject: ReadonlyMap<string, readonly SeriesDocument[]>,
): RoundReports {
  const noted = new Map<string, SeriesDocument>()
  return {
    series: id => seriesById.get(id) ?? null,
    seriesOf: subjectId => {
      const stored = seriesBySubject.get(subjectId) ?? []
      const made = [...noted.values()].filter(one => one.subjectId === subjectId)
      return made.length === 0 ? stored : [...stored.filter(({ id }) => !noted.has(id)), ...made]
    },
    pushed: id => pushedById.get(id) ?? null,
    note: (rows, made) => {
      for (const row of rows) pushedById.set(row.id, row)
      for (const one of made) {
        seriesById.set(one.id, one)
        noted.set(one.id, one)
      }
    },
  }
}

interface Wanted {
  series: Set<string>
  pushed: Set<string>
  /** The keys of the signals that a rule to be saved cites, by subject. */
  signals: Map<string, Set<string>>
  /** Signals of which it is not known how new their rows are. */
  newest: Map<string, Signal>
  /** Series that are remembered. */
  known: Map<string, NewestReport>
}

interface Signal {
  subjectId: string
  signalKey: string
  memory: ReportMemory
}

type Read = <T>(attempt: () => Promise<T>) => Promise<T>

async function learnNewest(core: Core, { subjectId, signalKey, memory }: Signal, read: Read): Promise<void> {
  const prefix = pushedPrefix(subjectId, signalKey)
  const sort = [['id', 'desc']] as const
  const query = { where: { id: { gte: prefix, lt: endOfPrefix(prefix) } }, sort, limit: 1, select: [] }
  const [row] = await read(() => core.store.find('pushedObservations', query))
  memory.learn(signalKey, row === undefined ? null : parsePushedObservationId(row.id).observedAtUs)
}

/** What the step of a command will ask for, as far as the subject's memory does not know it. */
function addWanted(core: Core, subjectId: string, command: Command, wanted: Wanted): void {
  const entry = core.cache.get(subjectId)
  const subject = entry?.subject
  if (command.kind === 'create-rule' || command.kind === 'replace-rule') {
    const cited = subject?.custom?.signals.filter(({ slug }) => command.policy.inputs.some(input => input.signal === slug)) ?? []
    wanted.signals.set(subjectId, new Set([...(wanted.signals.get(subjectId) ?? []), ...cited.map(({ key }) => key)]))
  }
  const stampUs = (subject && stampOf(subject, command.id)?.stampUs) ?? null
  for (const [i, report] of reportsOf(command).entries()) {
    const signals = subject?.custom?.signals
    // A signal that this very round makes has reported nothing yet.
    const signal = signals?.find(candidate => candidate.slug === report.signal)
    if (entry === undefined || signal === undefined) continue
    const atUs = report.atUs ?? (stampUs === null ? null : stampUs + i)
    entry.reports ??= new ReportMemory()
    const memory = entry.reports
    const id = report.seriesOf(subjectId, signal.key)
    const known = memory.series(id, core.clock.now())
    if (known === null) wanted.series.add(id)
    else wanted.known.set(id, known)
    if (!memory.knows(signal.key)) wanted.newest.set(`${subjectId}.${signal.key}`, { subjectId, signalKey: signal.key, memory })
    if (atUs !== null && memory.mayHold(signal.key, atUs)) wanted.pushed.add(report.rowOf(subjectId, signal.key, atUs))
  }
}

interface SentReport {
  signal: string
  /** Microseconds; null: the keeper stamps it. */
  atUs: number | null
  /** Ids of the series and of the row that the report belongs to. */
  seriesOf(subjectId: string, signalKey: string): string
  rowOf(subjectId: string, signalKey: string, atUs: number): string
}

function reportsOf(command: Command): readonly SentReport[] {
  if (command.kind === 'observe') {
    return command.observations.map(sent => ({
      signal: sent.signal,
      atUs: sent.atUs,
      seriesOf: (subjectId, signalKey) => seriesId(subjectId, signalKey, {}),
      rowOf: (subjectId, signalKey, atUs) => observationRowId(subjectId, signalKey, { ...sent, atUs }),
    }))
  }
  if (command.kind !== 'report-observation' && command.kind !== 'report-observations') return []
  const reports = command.kind === 'report-observation' ? [command] : command.observations
  return reports.map(({ signal, observedAtUs, labels }) => ({
    signal,
    atUs: observedAtUs,
    seriesOf: (subjectId, signalKey) => seriesId(subjectId, signalKey, labels),
    rowOf: (subjectId, signalKey, atUs) => observationOfSeries(seriesId(subjectId, signalKey, labels), atUs),
  }))
}

/** The newest sets of labels of each signal: of more than these, the older say nothing about what an input reads now. */
async function seriesOf(core: Core, subjectId: string, signalKeys: ReadonlySet<string>): Promise<SeriesDocument[]> {
  const limit = Math.floor(limits.intake.seriesPerSubject / Math.max(1, signalKeys.size))
  const sort = [['observedAtUs', 'desc']] as const
  const found = [...signalKeys].map(signalKey => core.store.find('series', { where: { subjectId, signalKey }, sort, limit }))
  return (await Promise.all(found)).flat()
}
