// The commit of a round: the places of senders' ids first, then observations, series and the changed subjects, each guarded by its revision. What is refused was
// written by somebody else meanwhile: it is dropped from memory, read again and stepped again.
import type { ObservationIdDocument, PushedObservationDocument, SeriesDocument } from '#shared/contracts/observation.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { type Put, type PutResult, StoreError } from '#shared/store/port.ts'
import { type Core, persistWhile } from './core.ts'
import { type ChangedDraft, type Draft, type Drafts, isChanged, setAside } from './draft.ts'
import { freshnessOf } from './freshness.ts'
import type { Partition } from './partition.ts'
import { refusal } from './step/refusal.ts'
import { withTags } from './tags.ts'

interface Committed {
  /** Committed, or had nothing to commit. */
  done: Draft[]
  /** Written by somebody else meanwhile. */
  refused: Draft[]
  /** Partitions whose lease was too old at the moment of the commit: nothing of them is done. */
  lapsed: Partition[]
}

/**
 * Writes what the drafts of a round hold in one go: senders' ids, observations, series, subjects, in this order. What has no subject to be written has
 * no revision to be refused by either: it is done where its lease is still young enough after the write.
 */
export async function commitDrafts(core: Core, drafts: Drafts, writer: string): Promise<Committed> {
  const isMine = ({ partition }: Draft) => core.mayCommit(partition.number)
  const all = [...drafts.subjects.values()]
  const drafted = new Set(all.filter(isMine))
  const changed = [...drafted].filter(isChanged)
  for (const draft of changed) draft.subject = stamped(tagged(core, draft), writer)
  const series = seriesOf(drafts, drafted, writer)
  const mayGoOn = () => [...drafted].some(isMine)
  const reports = { ...rowsOf(drafts, drafted), series }
  const results = await write(core, { drafts, reports, changed }, mayGoOn)

  const refused = refusedOf(drafts, series, changed, results)
  for (const draft of refused) forgetRefused(core, draft)
  core.metrics.commits.inc(results.subjects.filter(result => result === 'written').length)
  core.metrics.refusals.inc(refused.size)
  if (drafts.setAside.length > 0)
    await persistWhile(core, mayGoOn, 'keep inputs set aside', () => core.store.insert('setAside', drafts.setAside))
  const written = new Set<Draft>(changed)
  // What was left out stays left out, also where its lease was renewed during the write.
  const late = new Set(all.filter(draft => !drafted.has(draft) || (!written.has(draft) && !isMine(draft))))
  return {
    done: [...drafted].filter(draft => !refused.has(draft) && !late.has(draft)),
    refused: [...refused].filter(draft => !late.has(draft)),
    lapsed: [...new Set([...late].map(draft => draft.partition))],
  }
}

/** One that is too damaged for its tags keeps those that it has: lists compare each subject before they show it. */
function tagged(core: Core, { id, subject }: ChangedDraft): SubjectDocument {
  try {
    return withTags(core.cache.get(id)?.subject ?? null, subject)
  } catch (error) {
    core.logger.error({ err: error, subjectId: id }, 'tags were not made')
    return subject
  }
}

interface Reports {
  places: ObservationIdDocument[]
  pushed: PushedObservationDocument[]
  series: SeriesDocument[]
}

/**
 * The rows to write. A place that a sender's id has got stays: a partition whose lease is too old writes none, nor the rows that belong there,
 * because its successor may have stamped another instant.
 */
function rowsOf(drafts: Drafts, drafted: ReadonlySet<Draft>): Pick<Reports, 'places' | 'pushed'> {
  const isDrafted = (id: string) => drafted.has(drafts.subjects.get(subjectOf(id)) as Draft)
  const places = [...drafts.places.values()].filter(({ id }) => isDrafted(id))
  const pushed = [...drafts.pushed.values()].filter(({ id, sentId }) => sentId === null || isDrafted(id))
  return { places, pushed }
}

/** The ids of rows and of places begin with their subject's. */
const subjectOf = (id: string): string => id.slice(0, id.indexOf('.'))

/** The series to write, one revision on, which the drafts hold from now on. None of a partition whose lease is too old. */
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

/** Drafts of which somebody else has written the subject, or a series, meanwhile. */
function refusedOf(drafts: Drafts, series: readonly SeriesDocument[], changed: readonly Draft[], results: Results): Set<Draft> {
  const refused = new Set(changed.filter((_, i) => results.subjects[i] !== 'written'))
  for (const [i, { subjectId }] of series.entries())
    if (results.series[i] !== 'written') refused.add(drafts.subjects.get(subjectId) as Draft)
  return refused
}

async function write(
  core: Core,
  { drafts, reports: { places, pushed, series }, changed }: { drafts: Drafts; reports: Reports; changed: ChangedDraft[] },
  mayGoOn: () => boolean,
): Promise<Results> {
  const puts: Put[] = [
    { mode: 'upsert', collection: 'observationIds', documents: places },
    { mode: 'insert', collection: 'observations', documents: drafts.observations },
    { mode: 'upsert', collection: 'pushedObservations', documents: pushed },
    { mode: 'replace', collection: 'series', documents: series },
  ]
  const subjects = changed.map(draft => draft.subject)
  const put = async (all: readonly Put[]): Promise<Results> => {
    if (all.every(({ documents }) => documents.length === 0)) return { series: [], subjects: [] }
    const results = await persistWhile(core, mayGoOn, 'write a round', () => core.store.putInOrder(all))
    return { series: results[3] ?? [], subjects: results[4] ?? [] }
  }
  try {
    return await put([...puts, { mode: 'replace', collection: 'subjects', documents: subjects }])
  } catch (error) {
    if (!(error instanceof StoreError) || changed.length === 0) throw error
    return { ...(await put(puts)), subjects: await replaceOneByOne(core, changed, mayGoOn, drafts) }
  }
}

/** The store will never take at least one of them: that one is set aside, the others are written. */
async function replaceOneByOne(core: Core, changed: Draft[], mayGoOn: () => boolean, drafts: Drafts): Promise<PutResult[]> {
  const results: PutResult[] = []
  for (const draft of changed) {
    const subject = draft.subject as SubjectDocument
    try {
      const [result] = await persistWhile(core, mayGoOn, 'replace a subject', () => core.store.replace('subjects', [subject]))
      results.push(result ?? 'refused')
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      for (const waiting of draft.waiting) setAside(core, { ...draft }, waiting, error, drafts)
      draft.replies = draft.waiting.map(waiting => ({ waiting, reply: notTaken }))
      draft.subject = null
      draft.change = 'nothing'
      forgetRefused(core, draft)
      results.push('written')
    }
  }
  return results
}

const notTaken = refusal('internal', 'Internal error', 'The store does not take this; it was set aside.')

function stamped(subject: SubjectDocument, writer: string): SubjectDocument {
  return { ...subject, rev: subject.rev + 1, writer, hasPending: subject.pending.length > 0 ? 1 : 0 }
}

/** What somebody else wrote counts; reports that only this memory had are laid over it when it is read again. */
function forgetRefused(core: Core, { id, partition }: Draft): void {
  const held = core.cache.get(id)
  core.cache.drop(id)
  partition.dirty.delete(id)
  if (held?.dirty && held.subject !== null) partition.freshness.set(id, freshnessOf(held.subject))
}
