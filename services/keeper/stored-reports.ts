// What a round needs to know of earlier pushed observations: read in one go before its inputs are stepped, kept up to date while
// they are.
import type { Command } from '#shared/contracts/command.ts'
import type { ObservationIdDocument, PushedObservationDocument, SeriesDocument } from '#shared/contracts/observation.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import type { Template } from '#shared/contracts/template.ts'
import { endOfPrefix, observationIdKey, parsePushedObservationId, pushedPrefix, seriesId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import { baselineDaysOn } from '#shared/manifest/counted-on.ts'
import { ownMember } from '#shared/own-member.ts'
import { type Core, persistWhile } from './core.ts'
import { addHistory, readNewest, readNumbers, type WantedHistory } from './rebind-history.ts'
import { ReportMemory } from './report-memory.ts'
import { type ReportedSignal, reportsOf, signalNamed, signalToBe } from './sent-reports.ts'
import { baselineFromUs } from './step/baselines.ts'
import { observationRowId } from './step/observed-row.ts'
import { type NumbersInOrder, SignalNumbers } from './step/signal-numbers.ts'
import { stampOf } from './step/take-reports.ts'
import type { Input, NewestReport, StoredReports } from './step/types.ts'

export interface RoundReports extends StoredReports {
  /** What a step of this round has made: later steps find it as if it were stored. */
  note(made: Made): void
}

interface Made {
  rows: readonly PushedObservationDocument[]
  series: readonly SeriesDocument[]
  places: readonly ObservationIdDocument[]
}

export const noReports: StoredReports = {
  series: () => null,
  seriesOf: () => [],
  pushed: () => null,
  place: () => null,
  newest: () => [],
  numbers: () => new SignalNumbers(),
}

/** Reads what the steps of these inputs will ask for. Their subjects are in the cache already. */
export async function loadStoredReports(core: Core, inputs: readonly Input[], mayGoOn: () => boolean): Promise<RoundReports> {
  const wanted: Wanted = {
    series: new Set(),
    pushed: new Set(),
    signals: new Map(),
    unlearnt: new Map(),
    newest: new Map(),
    known: new Map(),
    places: new Map(),
    numbers: new Map(),
    bound: new Map(),
  }
  for (const input of inputs) if (input.kind === 'command') addWanted(core, input, input.command, wanted)
  const read = <T>(attempt: () => Promise<T>) => persistWhile(core, mayGoOn, 'read earlier observations', attempt)
  const get = async <C extends 'series' | 'pushedObservations' | 'observationIds'>(collection: C, ids: Iterable<string>) => {
    const asked = [...ids]
    return asked.length === 0 ? [] : read(() => core.store.get(collection, asked))
  }
  const places = await placesOf(wanted, ids => get('observationIds', ids))
  const numbers = new Map<string, SignalNumbers>()
  const newest = new Map<string, Map<string, PushedObservationDocument>>()
  const [series, pushed, ofSubjects] = await Promise.all([
    get('series', wanted.series),
    get('pushedObservations', wanted.pushed),
    Promise.all([...wanted.signals].map(async ([id, keys]) => [id, await read(() => seriesOf(core, id, keys))] as const)),
    Promise.all([...wanted.unlearnt.values()].map(signal => learnNewest(core, signal, read))),
    Promise.all(
      [...wanted.numbers].map(async ([prefix, fromUs]) =>
        numbers.set(prefix, await read(() => readNumbers(core.store, prefix, fromUs))),
      ),
    ),
    Promise.all(
      [...wanted.newest].map(async ([prefix, n]) => newest.set(prefix, await read(() => readNewest(core.store, prefix, n)))),
    ),
  ])
  const seriesById = wanted.known
  for (const one of series) if (one !== null) seriesById.set(one.id, one)
  const pushedById = new Map<string, PushedObservationDocument>()
  for (const row of pushed) if (row !== null) pushedById.set(row.id, row)
  return roundReports({ seriesById, pushedById, seriesBySubject: new Map(ofSubjects), places, newest, numbers })
}

interface Known {
  seriesById: Map<string, NewestReport>
  pushedById: Map<string, PushedObservationDocument>
  seriesBySubject: ReadonlyMap<string, readonly SeriesDocument[]>
  places: Map<string, ObservationIdDocument>
  /** By what the ids of a signal's rows begin with, then by the row's id. */
  newest: Map<string, Map<string, PushedObservationDocument>>
  numbers: Map<string, SignalNumbers>
}

const noNumbers: NumbersInOrder = new SignalNumbers()

function roundReports({ seriesById, pushedById, seriesBySubject, places, newest, numbers }: Known): RoundReports {
  const noted = new Map<string, SeriesDocument>()
  return {
    series: id => seriesById.get(id) ?? null,
    seriesOf: subjectId => {
      const stored = seriesBySubject.get(subjectId) ?? []
      const made = [...noted.values()].filter(one => one.subjectId === subjectId)
      return made.length === 0 ? stored : [...stored.filter(({ id }) => !noted.has(id)), ...made]
    },
    pushed: id => pushedById.get(id) ?? null,
    place: key => places.get(key) ?? null,
    newest: (subjectId, signalKey) => [...(newest.get(pushedPrefix(subjectId, signalKey))?.values() ?? [])],
    numbers: (subjectId, signalKey) => numbers.get(pushedPrefix(subjectId, signalKey)) ?? noNumbers,
    note: made => {
      for (const one of made.places) places.set(one.id, one)
      for (const row of made.rows) {
        const before = pushedById.get(row.id)?.value ?? null
        pushedById.set(row.id, row)
        const { subjectId, signalKey } = parsePushedObservationId(row.id)
        const prefix = pushedPrefix(subjectId, signalKey)
        numbers.get(prefix)?.note(row.id, before, row.value)
        newest.get(prefix)?.set(row.id, row)
      }
      for (const one of made.series) {
        seriesById.set(one.id, one)
        noted.set(one.id, one)
      }
    },
  }
}

interface Wanted extends WantedHistory {
  series: Set<string>
  pushed: Set<string>
  /** The keys of the signals that a rule to be saved cites, by subject. */
  signals: Map<string, Set<string>>
  /** Signals of which it is not known how new their rows are. */
  unlearnt: Map<string, Signal>
  /** Series that are remembered. */
  known: Map<string, NewestReport>
  /** Senders' ids, by their keys. */
  places: Map<string, { subjectId: string; sentId: string }>
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

/** Reads the places of the Observations with senders' ids, and asks for their rows. */
async function placesOf(
  { places, pushed }: Wanted,
  get: (ids: Iterable<string>) => Promise<(ObservationIdDocument | null)[]>,
): Promise<Map<string, ObservationIdDocument>> {
  const found = new Map<string, ObservationIdDocument>()
  for (const place of await get(places.keys())) {
    if (place === null) continue
    found.set(place.id, place)
    const { subjectId, sentId } = places.get(place.id) as { subjectId: string; sentId: string }
    pushed.add(observationRowId(subjectId, place.signalKey, { sentId, labels: {}, atUs: place.atUs, isStampedHere: false }))
  }
  return found
}

/** Wants the numbers that the baselines of a signal take once it was reported on at `atUs`. */
function addNumbers(
  template: Template,
  subject: SubjectDocument,
  signal: { key: string; slug: string },
  atUs: number,
  wanted: Wanted,
): void {
  if (subject.templated === null) return
  const days = baselineDaysOn(template, signal.slug)
  if (days.length === 0) return
  const newestUs = ownMember(subject.templated.heard, signal.slug)?.recent[0]?.atUs ?? atUs
  const fromUs = baselineFromUs(Math.max(newestUs, atUs), Math.max(...days))
  const prefix = pushedPrefix(subject.id, signal.key)
  wanted.numbers.set(prefix, Math.min(fromUs, wanted.numbers.get(prefix) ?? fromUs))
}

/** What the step of a command will ask for, as far as the subject's memory does not know it. */
function addWanted(core: Core, { subjectId, at }: Input, command: Command, wanted: Wanted): void {
  const entry = core.cache.get(subjectId)
  const subject = entry?.subject
  if (command.kind === 'create-rule' || command.kind === 'replace-rule') {
    const cited = subject?.custom?.signals.filter(({ slug }) => command.policy.inputs.some(input => input.signal === slug)) ?? []
    wanted.signals.set(subjectId, new Set([...(wanted.signals.get(subjectId) ?? []), ...cited.map(({ key }) => key)]))
  }
  const begun = subject == null && command.kind === 'first-report' ? signalToBe(command, core.templates.find(command)) : null
  if (begun !== null) wanted.series.add(seriesId(subjectId, begun.key, {}))
  if (command.kind === 'rebind-resource' && subject != null) addHistory(core, subject, command, wanted)
  const stampUs = (subject && stampOf(subject, command.id)?.stampUs) ?? null
  const templates = subject == null ? [] : [core.templates.find(subject), ...(wanted.bound.get(subjectId) ?? [])]
  for (const [i, report] of reportsOf(command).entries()) {
    if (report.sentId !== null)
      wanted.places.set(observationIdKey(subjectId, report.sentId), { subjectId, sentId: report.sentId })
    // A signal that this very round makes has reported nothing yet.
    const signal = subject == null ? null : signalAmong(subject, templates, report.signal)
    if (subject == null || entry === undefined || signal === null) continue
    const atUs = report.atUs ?? (stampUs === null ? null : stampUs + i)
    entry.reports ??= new ReportMemory()
    const memory = entry.reports
    if (signal.series !== 'none') {
      const id = seriesId(subjectId, signal.key, signal.series === 'labels' ? report.labels : {})
      const known = memory.series(id, core.clock.now())
      if (known === null) wanted.series.add(id)
      else wanted.known.set(id, known)
    }
    for (const template of templates) if (template !== null) addNumbers(template, subject, signal, atUs ?? at * 1_000, wanted)
    // The place of a sender's id says where its row is.
    if (report.sentId !== null) continue
    if (!memory.knows(signal.key)) wanted.unlearnt.set(`${subjectId}.${signal.key}`, { subjectId, signalKey: signal.key, memory })
    if (atUs === null || !memory.mayHold(signal.key, atUs)) continue
    const isStampedHere = report.isOwnIfStamped && report.atUs === null
    wanted.pushed.add(observationRowId(subjectId, signal.key, { ...report, atUs, isStampedHere }))
  }
}

/** As `signalNamed` by any of the revisions that the Resource has in this round: one that a rule reads under one of them has a series. */
function signalAmong(subject: SubjectDocument, templates: readonly (Template | null)[], slug: string): ReportedSignal | null {
  if (templates.length === 1) return signalNamed(subject, templates[0] ?? null, slug)
  const named = templates.map(template => signalNamed(subject, template, slug)).filter(signal => signal !== null)
  return named.find(({ series }) => series === 'all') ?? named[0] ?? null
}

/** The newest sets of labels of each signal: of more than these, the older say nothing about what an input reads now. */
async function seriesOf(core: Core, subjectId: string, signalKeys: ReadonlySet<string>): Promise<SeriesDocument[]> {
  const limit = Math.floor(limits.intake.seriesPerSubject / Math.max(1, signalKeys.size))
  const sort = [['observedAtUs', 'desc']] as const
  const found = [...signalKeys].map(signalKey => core.store.find('series', { where: { subjectId, signalKey }, sort, limit }))
  return (await Promise.all(found)).flat()
}
