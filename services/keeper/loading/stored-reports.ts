// Earlier pushed observations that a round needs. They are read together before the round's inputs are stepped, and updated by each step.
import type {
  ObservationIdDocument,
  PushedObservationDocument,
  SeriesDocument,
} from '#shared/contracts/observations/observation.ts'
import { limits } from '#shared/limits/limits.ts'
import { endOfPrefix, observationIdKey, parsePushedObservationId, pushedPrefix, seriesId } from '#shared/text/ids.ts'
import { aheadOfWall } from '#shared/time/clock.ts'
import { type KeeperContext, retryWhile } from '../context.ts'
import { type NumbersInOrder, SignalNumbers } from '../step/judging/signal-numbers.ts'
import { latestCountedUs, observationRowId } from '../step/observations/observed-row.ts'
import { stampOf, stampUsOf } from '../step/observations/take-reports.ts'
import type { Input, NewestReport, StoredReports } from '../step/types.ts'
import { addNumbers, numbersOf } from './baseline-numbers.ts'
import { addHistory, readNewest, type WantedHistory } from './rebind-history.ts'
import { ReportMemory } from './report-memory.ts'
import { addPlaced, revisionsOf, seriesOfPlaced, signalAmong, type WantedPlaces } from './sent-places.ts'
import { reportsOf, signalToBe } from './sent-reports.ts'

export interface RoundReports extends StoredReports {
  /** True if senders' ids were looked up. Otherwise each id was treated as new. */
  knowsPlaces: boolean
  /**
   * Returns true if a step treated a sender's id as new but made no place for it. The commit inserts the places, and only this insertion
   * fails if an id is stored already. An id without a place would therefore be stored twice.
   */
  lacksPlaces(): boolean
  /** Records the rows that a step of this round has made. Later steps find these rows like stored rows. */
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

/**
 * Reads the rows that the steps of these inputs will need. The inputs' subjects must be in the cache. `readsPlaces`: also looks up senders'
 * ids. Without this look-up, the commit must refuse an id that is stored already.
 */
export async function loadStoredReports(
  context: KeeperContext,
  inputs: readonly Input[],
  { mayGoOn, readsPlaces }: { mayGoOn: () => boolean; readsPlaces: boolean },
): Promise<RoundReports> {
  const wanted: WantedReports = {
    series: new Set(),
    pushed: new Set(),
    signals: new Map(),
    unlearnt: new Map(),
    newest: new Map(),
    known: new Map(),
    places: new Map(),
    numbers: new Map(),
    newestReports: new Map(),
    bound: new Map(),
  }
  const commands = Map.groupBy(inputs.filter(isCommand), ({ subjectId }) => subjectId)
  for (const ofSubject of commands.values())
    for (const input of ofSubject) addWanted(context, input, ofSubject.length === 1, wanted)
  const read = <T>(attempt: () => Promise<T>) => retryWhile(context, mayGoOn, 'read earlier observations', attempt)
  const get = async <C extends 'series' | 'pushedObservations' | 'observationIds'>(collection: C, ids: Iterable<string>) => {
    const asked = [...ids]
    return asked.length === 0 ? [] : read(() => context.store.get(collection, asked))
  }
  const stored = readsPlaces ? await get('observationIds', wanted.places.keys()) : []
  const { places, placed } = addPlaced(context, stored, wanted)
  const numbers = new Map<string, NumbersInOrder>()
  const newest = new Map<string, Map<string, PushedObservationDocument>>()
  const [series, pushed, ofSubjects] = await Promise.all([
    get('series', wanted.series),
    get('pushedObservations', wanted.pushed),
    Promise.all([...wanted.signals].map(async ([id, keys]) => [id, await read(() => seriesOf(context, id, keys))] as const)),
    Promise.all([...wanted.unlearnt.values()].map(signal => learnNewest(context, signal, read))),
    Promise.all(
      [...wanted.numbers].map(async one =>
        numbers.set(one[0], await read(() => numbersOf(context, one, wanted, key => places.has(key)))),
      ),
    ),
    Promise.all(
      [...wanted.newest].map(async ([prefix, n]) => newest.set(prefix, await read(() => readNewest(context.store, prefix, n)))),
    ),
  ])
  const seriesById = wanted.known
  for (const one of series) if (one !== null) seriesById.set(one.id, one)
  const pushedById = new Map<string, PushedObservationDocument>()
  for (const row of pushed) if (row !== null) pushedById.set(row.id, row)
  const ofRows = seriesOfPlaced(placed, pushedById).filter(id => !wanted.series.has(id) && !seriesById.has(id))
  for (const one of await get('series', ofRows)) if (one !== null) seriesById.set(one.id, one)
  const known = { seriesById, pushedById, seriesBySubject: new Map(ofSubjects), places, newest, numbers }
  return roundReports(known, readsPlaces)
}

interface Known {
  seriesById: Map<string, NewestReport>
  pushedById: Map<string, PushedObservationDocument>
  seriesBySubject: ReadonlyMap<string, readonly SeriesDocument[]>
  places: Map<string, ObservationIdDocument>
  /** Newest rows, by the prefix of the signal's row ids and then by row id. */
  newest: Map<string, Map<string, PushedObservationDocument>>
  numbers: Map<string, NumbersInOrder>
}

const noNumbers: NumbersInOrder = new SignalNumbers()

function roundReports(
  { seriesById, pushedById, seriesBySubject, places, newest, numbers }: Known,
  knowsPlaces: boolean,
): RoundReports {
  const noted = new Map<string, SeriesDocument>()
  const taken = new Set<string>()
  return {
    knowsPlaces,
    lacksPlaces: () => [...taken].some(key => !places.has(key)),
    series: id => seriesById.get(id) ?? null,
    seriesOf: subjectId => {
      const stored = seriesBySubject.get(subjectId) ?? []
      const made = [...noted.values()].filter(one => one.subjectId === subjectId)
      return made.length === 0 ? stored : [...stored.filter(({ id }) => !noted.has(id)), ...made]
    },
    pushed: id => pushedById.get(id) ?? null,
    place: key => {
      if (!knowsPlaces) taken.add(key)
      return places.get(key) ?? null
    },
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

interface WantedReports extends WantedHistory, WantedPlaces {
  series: Set<string>
  /** Keys of the signals that are read by rules which this round saves, by subject id. */
  signals: Map<string, Set<string>>
  /** Signals whose newest row is unknown. */
  unlearnt: Map<string, Signal>
  /** Series whose newest report is in memory. */
  known: Map<string, NewestReport>
}

interface Signal {
  subjectId: string
  signalKey: string
  memory: ReportMemory
}

type Read = <T>(attempt: () => Promise<T>) => Promise<T>

async function learnNewest(context: KeeperContext, { subjectId, signalKey, memory }: Signal, read: Read): Promise<void> {
  const prefix = pushedPrefix(subjectId, signalKey)
  const sort = [['id', 'desc']] as const
  const query = { where: { id: { gte: prefix, lt: endOfPrefix(prefix) } }, sort, limit: 1, select: [] }
  const [row] = await read(() => context.store.find('pushedObservations', query))
  memory.learn(signalKey, row === undefined ? null : parsePushedObservationId(row.id).observedAtUs)
}

type CommandInput = Extract<Input, { kind: 'command' }>

const isCommand = (input: Input): input is CommandInput => input.kind === 'command'

/**
 * Adds the rows that the step of a command will need and the subject's memory lacks. `isOnly`: the subject has no other command in the
 * round.
 */
function addWanted(
  context: KeeperContext,
  { subjectId, at, command }: CommandInput,
  isOnly: boolean,
  wanted: WantedReports,
): void {
  const entry = context.cache.get(subjectId)
  const subject = entry?.subject
  if ('policy' in command) {
    const cited = subject?.custom?.signals.filter(({ slug }) => command.policy.inputs.some(input => input.signal === slug)) ?? []
    wanted.signals.set(subjectId, new Set([...(wanted.signals.get(subjectId) ?? []), ...cited.map(({ key }) => key)]))
  }
  const begun = subject == null && command.kind === 'first-report' ? signalToBe(command, context.templates.find(command)) : null
  if (begun !== null) wanted.series.add(seriesId(subjectId, begun.key, {}))
  if (command.kind === 'rebind-resource' && subject != null) addHistory(context, subject, command, wanted)
  const stampUs = (subject && stampOf(subject, command.id)?.stampUs) ?? null
  const templates = subject == null ? [] : revisionsOf(context, subject, wanted)
  const reports = reportsOf(command)
  const isAlone = isOnly && reports.length === 1
  for (const [i, report] of reports.entries()) {
    const placeKey = report.sentId === null ? null : observationIdKey(subjectId, report.sentId)
    if (placeKey !== null) wanted.places.set(placeKey, { subjectId, sentId: report.sentId as string })
    // A signal that this round creates has no reports yet.
    const signal = subject == null ? null : signalAmong(subject, templates, report.signal)
    if (subject == null || entry === undefined || signal === null) continue
    const atUs = report.atUs ?? (stampUs === null ? null : stampUs + i)
    entry.reports ??= new ReportMemory()
    const memory = entry.reports
    if (signal.series !== 'none') {
      const id = seriesId(subjectId, signal.key, signal.series === 'labels' ? report.labels : {})
      const known = memory.series(id, context.clock.now())
      if (known === null) wanted.series.add(id)
      else wanted.known.set(id, known)
    }
    const sentUs = atUs ?? stampUsOf(subject, command.id, at) + i
    // A report from the future counts as its arrival, which may have been at an earlier try of the command.
    const arrivedUs = latestCountedUs(stampOf(subject, command.id)?.at ?? at)
    const isAhead = sentUs > arrivedUs || aheadOfWall(context.clock) > 0
    const measured = {
      subject,
      signal,
      atUs: Math.min(sentUs, arrivedUs),
      placeKey,
      memory: isAlone && !isAhead ? memory : null,
    }
    for (const template of templates) if (template !== null) addNumbers({ ...measured, template }, wanted)
    // A report with a sender's id finds its row through the id's place, so no row is wanted here.
    if (placeKey !== null) continue
    if (!memory.knows(signal.key)) wanted.unlearnt.set(`${subjectId}.${signal.key}`, { subjectId, signalKey: signal.key, memory })
    if (atUs === null || !memory.mayHold(signal.key, atUs)) continue
    const isStampedHere = report.isOwnIfStamped && report.atUs === null
    wanted.pushed.add(observationRowId(subjectId, signal.key, { ...report, atUs, isStampedHere }))
  }
}

/** Returns the series of the newest label sets of each signal. Older label sets do not affect present readings. */
async function seriesOf(context: KeeperContext, subjectId: string, signalKeys: ReadonlySet<string>): Promise<SeriesDocument[]> {
  const limit = Math.floor(limits.intake.seriesPerSubject / Math.max(1, signalKeys.size))
  const sort = [['observedAtUs', 'desc']] as const
  const found = [...signalKeys].map(signalKey => context.store.find('series', { where: { subjectId, signalKey }, sort, limit }))
  return (await Promise.all(found)).flat()
}
