// The commit of a round: observations first, then the changed subjects, each guarded by its revision. What is refused was
// written by somebody else meanwhile: it is dropped from memory, read again and stepped again.
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { type PutResult, StoreError } from '#shared/store/port.ts'
import { type Core, persistWhile } from './core.ts'
import type { Draft, Drafts } from './draft.ts'
import { setAside } from './draft.ts'
import { freshnessOf, layOver } from './freshness.ts'
import type { Partition, Waiting } from './partition.ts'
import { noReports } from './stored-reports.ts'

/** What a round does to one partition. */
export interface Work {
  partition: Partition
  inputs: readonly Waiting[]
  /** Subjects to be written though no input asks for it. */
  flush: string[]
}

/** Reads into the cache what it lacks of the subjects of a round. What must be written because of it joins what is to be flushed. */
export async function loadSubjects(core: Core, work: readonly Work[], mayGoOn: () => boolean): Promise<void> {
  const missing = new Map<string, Work>()
  for (const one of work) {
    for (const { input } of one.inputs) if (core.cache.get(input.subjectId) === undefined) missing.set(input.subjectId, one)
    for (const id of one.flush) if (core.cache.get(id) === undefined) missing.set(id, one)
  }
  if (missing.size === 0) return
  const ids = [...missing.keys()]
  const found = await persistWhile(core, mayGoOn, 'read subjects', () => core.store.get('subjects', ids))
  ids.forEach((id, i) => {
    remind(core, missing.get(id) as Work, id, found[i] ?? null)
  })
}

/** Takes a document into the cache, with what was fresher than it. */
function remind(core: Core, { partition, flush }: Work, id: string, document: SubjectDocument | null): void {
  const freshness = partition.freshness.get(id)
  partition.freshness.delete(id)
  if (document === null || freshness === undefined) {
    core.cache.set(id, { subject: document, dirty: false, heapAt: null })
    return
  }
  const { confirmAfterMs, closeAfterMs } = core
  const { silenceHeldAt } = partition
  const surrounding = { now: core.clock.now(), silenceHeldAt, confirmAfterMs, closeAfterMs, stored: noReports }
  const { subject, change } = layOver(document, freshness, surrounding)
  core.cache.set(id, { subject, dirty: change !== 'nothing', heapAt: null })
  if (change !== 'nothing') partition.dirty.add(id)
  if (change === 'commit') flush.push(id)
}

export interface Committed {
  /** Committed, or had nothing to commit. */
  done: Draft[]
  /** Written by somebody else meanwhile. */
  refused: Draft[]
  /** Partitions whose lease was too old at the moment of the commit: nothing of them was written. */
  lapsed: Partition[]
}

/** Writes observations and subjects of the drafts. */
export async function commitDrafts(core: Core, drafts: Drafts, writer: string): Promise<Committed> {
  const mine = () => [...drafts.subjects.values()].some(draft => core.mayCommit(draft.partition.number))
  const { observations } = drafts
  if (observations.length > 0)
    await persistWhile(core, mine, 'write observations', () => core.store.insert('observations', observations))
  // Sent again, a report replaces itself: of several in one round the last counts.
  const pushed = [...new Map(drafts.pushed.map(row => [row.id, row])).values()]
  if (pushed.length > 0)
    await persistWhile(core, mine, 'write pushed observations', () => core.store.upsert('pushedObservations', pushed))

  const all = [...drafts.subjects.values()]
  const lapsed = [...new Set(all.map(draft => draft.partition))].filter(({ number }) => !core.mayCommit(number))
  const drafted = all.filter(draft => !lapsed.includes(draft.partition))
  const changed = drafted.filter(draft => draft.change === 'commit' && draft.subject !== null)
  const results = await replaceSubjects(core, changed, writer, drafts)
  const refused = changed.filter((_, i) => results[i] !== 'written')
  for (const draft of refused) forgetRefused(core, draft)
  core.metrics.commits.inc(changed.length - refused.length)
  core.metrics.refusals.inc(refused.length)

  const lost = new Set(refused)
  const done = drafted.filter(draft => !lost.has(draft))
  if (drafts.setAside.length > 0)
    await persistWhile(core, mine, 'keep inputs set aside', () => core.store.insert('setAside', drafts.setAside))
  return { done, refused, lapsed }
}

async function replaceSubjects(core: Core, changed: Draft[], writer: string, drafts: Drafts): Promise<PutResult[]> {
  if (changed.length === 0) return []
  for (const draft of changed) draft.subject = stamped(draft.subject as SubjectDocument, writer)
  const mayGoOn = () => changed.some(draft => core.mayCommit(draft.partition.number))
  try {
    return await persistWhile(core, mayGoOn, 'replace subjects', () =>
      core.store.replace(
        'subjects',
        changed.map(draft => draft.subject as SubjectDocument),
      ),
    )
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    return replaceOneByOne(core, changed, mayGoOn, drafts)
  }
}

/** The store will never take one of them: the others are written, that one is set aside. */
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
      draft.replies = draft.waiting.map(waiting => ({ waiting, reply: { ok: false, error: internal } }))
      draft.subject = null
      draft.change = 'nothing'
      forgetRefused(core, draft)
      results.push('written')
    }
  }
  return results
}

const internal = { code: 'internal', message: 'Internal error', details: 'The store does not take this; it was set aside.' }

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
