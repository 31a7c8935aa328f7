// Table of the outbox: all writes to other documents, and all other work, that remain after the commit of a subject. The table has one row
// for each collection of documents, and one for each mode of work outside the rounds. An `OutboxEntry` without its row does not compile. A
// commit adds the changed tags of a subject to the outbox (v3 9.2 to 9.4).

import type { OutboxEntry, SubjectDocument, SubjectTagDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Collections } from '#shared/store/collections.ts'
import { isTaggedAlike, tagsOf } from '#shared/subjects/subject-tags.ts'
import { subjectTagId } from '#shared/text/ids.ts'
import type { KeeperContext } from '../context.ts'

/**
 * Documents that are written before the replies of their commit are sent. `insert`: written unless the id is stored already. `advance`:
 * written only if the stored document has a smaller revision. A successor may repeat either write. Documents of a later step wait for all
 * documents of earlier steps.
 */
interface WrittenRow<C extends keyof Collections> {
  mode: 'insert' | 'advance'
  step: number
  of(subject: SubjectDocument, now: number): Collections[C][]
}

/**
 * Work that runs outside the rounds. No reply waits for this work. Its entry stays in the outbox until the work is done; a successor begins
 * the work again.
 */
interface BegunRow<M extends BegunMode> {
  begin(context: KeeperContext, subjectId: string, entries: readonly Extract<OutboxEntry, { mode: M }>[]): void
}

export type WrittenCollection =
  | 'history'
  | 'policies'
  | 'incidents'
  | 'windows'
  | 'responses'
  | 'pingBodies'
  | 'subjectTags'
  | 'alerts'

const last = 1

type Document = Extract<OutboxEntry, { collection: string }>
type BegunMode = Exclude<OutboxEntry, Document | { mode: 'tags' }>['mode']

interface Outbox {
  written: { readonly [C in WrittenCollection]: WrittenRow<C> }
  begun: { readonly [M in BegunMode]: BegunRow<M> }
}

export const outboxRows: Outbox = {
  written: {
    history: { mode: 'insert', step: 0, of: subject => entriesOf(subject, 'history') },
    policies: { mode: 'insert', step: 0, of: subject => entriesOf(subject, 'policies') },
    incidents: { mode: 'advance', step: 0, of: subject => entriesOf(subject, 'incidents') },
    windows: { mode: 'advance', step: 0, of: subject => entriesOf(subject, 'windows') },
    responses: { mode: 'advance', step: 0, of: subject => entriesOf(subject, 'responses') },
    pingBodies: { mode: 'advance', step: 0, of: subject => entriesOf(subject, 'pingBodies') },
    subjectTags: { mode: 'advance', step: 0, of: tagDocumentsOf },
    // A notifier that finds an alert reads the alert's incident. So the incident must be written before the alert.
    alerts: { mode: 'insert', step: last, of: subject => entriesOf(subject, 'alerts') },
  },
  // A round does not wait for a long removal, or for a bucket without a leader.
  begun: {
    check: { begin: (context, subjectId, entries) => context.writeChecks(subjectId, entries) },
    'remove-children': { begin: (context, subjectId) => context.remove(subjectId, null) },
    'remove-signal': {
      begin: (context, subjectId, entries) => {
        for (const { signalKey } of entries) context.remove(subjectId, signalKey)
      },
    },
  },
}

const isDocument = (entry: OutboxEntry): entry is Document => 'collection' in entry

/** Returns whether the entry stays until work outside the rounds is done. */
export const isBegun = ({ mode }: OutboxEntry): boolean => Object.hasOwn(outboxRows.begun, mode)
/** Returns whether the entry is written before the replies of its commit are sent. */
export const isWritten = (entry: OutboxEntry): boolean => !isBegun(entry)

type DocumentOf<C extends Document['collection']> = Extract<Document, { collection: C }>['document']

function entriesOf<C extends Document['collection']>({ outbox }: SubjectDocument, collection: C): DocumentOf<C>[] {
  const isOfIt = (entry: OutboxEntry): entry is Extract<Document, { collection: C }> =>
    isDocument(entry) && entry.collection === collection
  return outbox.filter(isOfIt).map(({ document }) => document as DocumentOf<C>)
}

export type Written = { [C in WrittenCollection]: Collections[C][] }

/** Returns the documents that these committed subjects still have to write. */
export function documentsOf(committed: readonly SubjectDocument[], now: number): Written {
  const of = <C extends WrittenCollection>(collection: C): Collections[C][] =>
    committed.flatMap(subject => outboxRows.written[collection].of(subject, now))
  return {
    history: of('history'),
    policies: of('policies'),
    incidents: of('incidents'),
    windows: of('windows'),
    responses: of('responses'),
    pingBodies: of('pingBodies'),
    subjectTags: of('subjectTags'),
    alerts: of('alerts'),
  }
}

/** Collections in the order of their steps. */
export const outboxSteps: readonly (readonly WrittenCollection[])[] = [0, last].map(step =>
  (Object.keys(outboxRows.written) as WrittenCollection[]).filter(collection => outboxRows.written[collection].step === step),
)

/** Begins all work of a committed subject that runs outside the rounds. */
export function beginWork(context: KeeperContext, { id, outbox }: SubjectDocument): void {
  if (!outbox.some(isBegun)) return
  for (const mode of Object.keys(outboxRows.begun) as BegunMode[]) beginMode(context, id, outbox, mode)
}

function beginMode<M extends BegunMode>(context: KeeperContext, id: string, outbox: readonly OutboxEntry[], mode: M): void {
  const isOfIt = (entry: OutboxEntry): entry is Extract<OutboxEntry, { mode: M }> => entry.mode === mode
  const entries = outbox.filter(isOfIt)
  if (entries.length > 0) outboxRows.begun[mode].begin(context, id, entries)
}

type OutboxTags = Extract<OutboxEntry, { mode: 'tags' }>

/**
 * Adds the tags that the subject has gained and lost to the subject's outbox. `before`: the subject as last committed; null: the subject is
 * new. Pure.
 */
export function withTags(before: SubjectDocument | null, subject: SubjectDocument): SubjectDocument {
  if (before !== null && isTaggedAlike(before, subject)) return subject
  const had = new Set(before === null ? [] : tagsOf(before))
  const has = new Set(tagsOf(subject))
  const put = [...has].filter(tag => !had.has(tag))
  const gone = [...had].filter(tag => !has.has(tag))
  if (put.length + gone.length === 0) return subject
  const earlier = subject.outbox.find(isTags) ?? { put: [], gone: [] }
  const tags: OutboxTags = {
    mode: 'tags',
    put: [...earlier.put.filter(tag => has.has(tag)), ...put],
    gone: [...earlier.gone.filter(tag => !has.has(tag)), ...gone],
  }
  return { ...subject, outbox: [...subject.outbox.filter(entry => !isTags(entry)), tags] }
}

const isTags = (entry: OutboxEntry): entry is OutboxTags => entry.mode === 'tags'

/**
 * Returns the tag documents in a committed subject's outbox. Each tag document has the subject's `rev`, by which the store refuses a late
 * write of an earlier revision.
 */
export function tagDocumentsOf({ id, rev, workspaceId, outbox }: SubjectDocument, now: number): SubjectTagDocument[] {
  const document = (tag: string, gone: 0 | 1): SubjectTagDocument => ({
    id: subjectTagId(workspaceId, tag, id),
    rev,
    gone,
    expireAt: gone === 1 ? now + limits.keeper.goneTagMs : null,
  })
  return outbox
    .filter(isTags)
    .flatMap(({ put, gone }) => [...put.map(tag => document(tag, 0)), ...gone.map(tag => document(tag, 1))])
}
