// The commit of a round: observations first, then the changed subjects, each guarded by its revision. What is refused was
// written by somebody else meanwhile: it is dropped from memory, read again and stepped again.
import type { Reading, SubjectDocument } from '#shared/contracts/subject.ts'
import { type PutResult, StoreError } from '#shared/store/port.ts'
import { type Core, persistWhile } from './core.ts'
import type { Draft, Drafts } from './draft.ts'
import { setAside } from './draft.ts'
import type { Partition } from './partition.ts'
import { judgeSubject } from './step/judge-subject.ts'
import { noReports } from './stored-reports.ts'

/** Reads into the cache what it lacks of these subjects. */
export async function loadSubjects(core: Core, ids: Iterable<string>, mayGoOn: () => boolean): Promise<void> {
  const missing = [...new Set(ids)].filter(id => core.cache.get(id) === undefined)
  if (missing.length === 0) return
  const found = await persistWhile(core, mayGoOn, 'read subjects', () => core.store.get('subjects', missing))
  missing.forEach((id, i) => {
    core.cache.set(id, { subject: found[i] ?? null, dirty: false, heapAt: null })
  })
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
      core.cache.drop(draft.id)
      results.push('written')
    }
  }
  return results
}

const internal = { code: 'internal', message: 'Internal error', details: 'The store does not take this; it was set aside.' }

function stamped(subject: SubjectDocument, writer: string): SubjectDocument {
  return { ...subject, rev: subject.rev + 1, writer, hasPending: subject.pending.length > 0 ? 1 : 0 }
}

/** What somebody else wrote counts; reports that only this memory had are carried over when it is read again. */
function forgetRefused(core: Core, draft: Draft): void {
  const held = core.cache.get(draft.id)
  core.cache.drop(draft.id)
  if (held?.dirty && held.subject !== null) rescued.set(draft, held.subject.readings)
}

const rescued = new WeakMap<Draft, Record<string, Reading>>()

/** After a refusal: lays the newer reports of the dropped memory over what was read again. */
export function carryOverReadings(core: Core, draft: Draft): void {
  const readings = rescued.get(draft)
  const entry = core.cache.get(draft.id)
  if (readings === undefined || entry?.subject === null || entry === undefined || entry.subject.deletedAt !== null) return
  const merged = { ...entry.subject.readings }
  for (const [key, reading] of Object.entries(readings)) {
    const stored = merged[key]
    if (stored !== undefined && (reading.slotAt ?? 0) > (stored.slotAt ?? 0)) merged[key] = reading
  }
  const { confirmAfterMs, closeAfterMs } = core
  const { silenceHeldAt } = draft.partition
  const surrounding = { now: core.clock.now(), silenceHeldAt, confirmAfterMs, closeAfterMs, stored: noReports }
  const subject = judgeSubject({ ...entry.subject, readings: merged }, entry.subject.judgedAt, surrounding)
  core.cache.set(draft.id, { subject, dirty: true, heapAt: null })
}
