// Commit of a round: the places of senders' ids first, then observations, series and subjects. A series or subject is refused if another
// keeper has written it: the subject is then dropped from memory, read again and stepped again.
import type {
  ObservationIdDocument,
  PushedObservationDocument,
  SeriesDocument,
} from '#shared/contracts/observations/observation.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { type Put, type PutResult, StoreError } from '#shared/store/port.ts'
import { type KeeperContext, retryWhile } from '../context.ts'
import { freshnessOf } from '../partition/freshness.ts'
import type { Partition } from '../partition/partition.ts'
import { refusal } from '../step/commands/refusal.ts'
import { type ChangedDraft, type Draft, type Drafts, isChanged, keepDeadLetter } from './draft.ts'
import { withTags } from './outbox.ts'

export interface Committed {
  /** Drafts that were committed, or that had nothing to commit. */
  done: Draft[]
  /** Drafts whose subject or series another keeper has written. */
  refused: Draft[]
  /** Partitions whose lease was too old at the moment of the commit: nothing of these partitions was written. */
  lapsed: Partition[]
  /**
   * True if a sender's id that was treated as new is stored already. Nothing was written, and all inputs must be stepped again with the
   * stored ids.
   */
  isRepeated: boolean
}

/**
 * Writes the drafts of a round in this order: senders' ids, observations, series, subjects. A draft that writes no subject has no revision
 * that could refuse it, so it counts as committed if its partition's lease is still recent enough after the write.
 */
export async function commitDrafts(context: KeeperContext, drafts: Drafts, writer: string): Promise<Committed> {
  const isMine = ({ partition }: Draft) => context.mayCommit(partition.number)
  const all = [...drafts.subjects.values()]
  const drafted = new Set(all.filter(isMine))
  const changed = [...drafted].filter(isChanged)
  for (const draft of changed) draft.subject = stamped(tagged(context, draft), writer)
  const series = seriesOf(drafts, drafted, writer)
  const mayGoOn = () => [...drafted].some(isMine)
  const reports = { ...rowsOf(drafts, drafted), series }
  const results = await write(context, { drafts, reports, changed }, mayGoOn)

  const written = new Set<Draft>(results === null ? [] : changed)
  // A draft that was skipped counts as late even if its lease was renewed during the write.
  const late = new Set(all.filter(draft => !drafted.has(draft) || (!written.has(draft) && !isMine(draft))))
  const lapsed = [...new Set([...late].map(draft => draft.partition))]
  if (results === null) return { done: [], refused: [], lapsed, isRepeated: true }
  const refused = refusedOf(drafts, series, changed, results)
  for (const draft of refused) forgetRefused(context, draft)
  context.metrics.commits.inc(results.subjects.filter(result => result === 'written').length)
  context.metrics.refusals.inc(refused.size)
  if (drafts.deadLetters.length > 0)
    await retryWhile(context, mayGoOn, 'keep dead letters', () => context.store.insert('deadLetters', drafts.deadLetters))
  return {
    done: [...drafted].filter(draft => !refused.has(draft) && !late.has(draft)),
    refused: [...refused].filter(draft => !late.has(draft)),
    lapsed,
    isRepeated: false,
  }
}

/**
 * Returns the subject with its tags. A subject that is too damaged for new tags keeps its present tags, which is harmless, because lists
 * check each subject before they show it.
 */
function tagged(context: KeeperContext, { id, subject }: ChangedDraft): SubjectDocument {
  try {
    return withTags(context.cache.get(id)?.subject ?? null, subject)
  } catch (error) {
    context.logger.error({ err: error, subjectId: id }, 'tags were not made')
    return subject
  }
}

interface Reports {
  places: ObservationIdDocument[]
  pushed: PushedObservationDocument[]
  series: SeriesDocument[]
}

/**
 * Returns the places and rows to write. The place of a sender's id never changes. If a partition's lease is too old, no place and no row
 * with a sender's id is written, because a successor may have stamped another instant.
 */
function rowsOf(drafts: Drafts, drafted: ReadonlySet<Draft>): Pick<Reports, 'places' | 'pushed'> {
  const isDrafted = (id: string) => drafted.has(drafts.subjects.get(subjectOf(id)) as Draft)
  const places = [...drafts.places.values()].filter(({ id }) => isDrafted(id))
  const pushed = [...drafts.pushed.values()].filter(({ id, sentId }) => sentId === null || isDrafted(id))
  return { places, pushed }
}

/** Returns the subject's id, with which the ids of rows and places begin. */
const subjectOf = (id: string): string => id.slice(0, id.indexOf('.'))

/** Returns the series to write, with the next revision, and stores them in the drafts. Skips partitions whose lease is too old. */
function seriesOf(drafts: Drafts, drafted: ReadonlySet<Draft>, writer: string): SeriesDocument[] {
  const mine = [...drafts.series.values()].filter(({ subjectId }) => drafted.has(drafts.subjects.get(subjectId) as Draft))
  const written = mine.map(one => ({ ...one, rev: one.rev + 1, writer }))
  for (const one of written) drafts.series.set(one.id, one)
  return written
}

interface Results {
  series: PutResult[]
  subjects: PutResult[]
}

/** Returns the drafts whose subject or series another keeper has written. */
function refusedOf(drafts: Drafts, series: readonly SeriesDocument[], changed: readonly Draft[], results: Results): Set<Draft> {
  const refused = new Set(changed.filter((_, i) => results.subjects[i] !== 'written'))
  for (const [i, { subjectId }] of series.entries())
    if (results.series[i] !== 'written') refused.add(drafts.subjects.get(subjectId) as Draft)
  return refused
}

/** Writes the documents. Null: a sender's id that was treated as new is stored already, and nothing else was written. */
async function write(
  context: KeeperContext,
  { drafts, reports: { places, pushed, series }, changed }: { drafts: Drafts; reports: Reports; changed: ChangedDraft[] },
  mayGoOn: () => boolean,
): Promise<Results | null> {
  const isClaim = !drafts.reports.knowsPlaces
  const puts: Put[] = [
    { mode: isClaim ? 'insert' : 'upsert', collection: 'observationIds', documents: places, isClaim },
    { mode: 'insert', collection: 'observations', documents: drafts.observations },
    { mode: 'upsert', collection: 'pushedObservations', documents: pushed },
    { mode: 'replace', collection: 'series', documents: series },
  ]
  const subjects = changed.map(draft => draft.subject)
  const put = async (all: readonly Put[]): Promise<Results | null> => {
    if (all.every(({ documents }) => documents.length === 0)) return { series: [], subjects: [] }
    const results = await retryWhile(context, mayGoOn, 'write a round', () => context.store.putInOrder(all))
    if (isClaim && results[0]?.some(result => result !== 'written')) return null
    return { series: results[3] ?? [], subjects: results[4] ?? [] }
  }
  try {
    return await put([...puts, { mode: 'replace', collection: 'subjects', documents: subjects }])
  } catch (error) {
    if (!(error instanceof StoreError) || changed.length === 0) throw error
    const written = await put(puts)
    return written && { ...written, subjects: await replaceOneByOne(context, changed, mayGoOn, drafts) }
  }
}

/** Writes subjects one by one. A subject that the store never accepts becomes a dead letter. */
async function replaceOneByOne(
  context: KeeperContext,
  changed: Draft[],
  mayGoOn: () => boolean,
  drafts: Drafts,
): Promise<PutResult[]> {
  const results: PutResult[] = []
  for (const draft of changed) {
    const subject = draft.subject as SubjectDocument
    try {
      const [result] = await retryWhile(context, mayGoOn, 'replace a subject', () => context.store.replace('subjects', [subject]))
      results.push(result ?? 'refused')
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      for (const waiting of draft.waiting) keepDeadLetter(context, { ...draft }, waiting, error, drafts)
      draft.replies = draft.waiting.map(waiting => ({ waiting, reply: notTaken }))
      draft.subject = null
      draft.change = 'nothing'
      forgetRefused(context, draft)
      results.push('written')
    }
  }
  return results
}

const notTaken = refusal('internal', 'Internal error', 'The store does not take this. It was kept as a dead letter.')

function stamped(subject: SubjectDocument, writer: string): SubjectDocument {
  return { ...subject, rev: subject.rev + 1, writer, hasOutbox: subject.outbox.length > 0 ? 1 : 0 }
}

/** Drops a refused subject from memory. Readings that are not stored yet are merged when the subject is read again. */
function forgetRefused(context: KeeperContext, { id, partition: { fresh } }: Draft): void {
  const held = context.cache.get(id)
  context.cache.drop(id)
  fresh.dirty.delete(id)
  fresh.strayedAt = context.clock.now()
  if (!held?.dirty || held.subject === null) return
  fresh.checkpointed.set(id, freshnessOf(held.subject))
  fresh.changed.add(id)
}
