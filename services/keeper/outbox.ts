// Outbox: one table of all that a committed subject still has to do elsewhere. Documents have a row for each collection, work that goes on
// beside the rounds has one for each mode of `Pending`. An entry of `Pending` without its row does not compile.
import type { Pending, SubjectDocument } from '#shared/contracts/subject.ts'
import type { Collections } from '#shared/store/collections.ts'
import type { Core } from './core.ts'
import { tagDocumentsOf } from './tags.ts'

/**
 * Documents, written before the replies of their commit leave. insert: written once, by identity. advance: written only over a smaller stamp. Either
 * may be repeated by a successor. Documents of a later step are written once all of the earlier ones are.
 */
interface WrittenRow<C extends keyof Collections> {
  mode: 'insert' | 'advance'
  step: number
  of(subject: SubjectDocument, now: number): Collections[C][]
}

/** Work that neither a round nor a reply waits for: its entry stays in the outbox until the work is done. A successor begins it again. */
interface BegunRow<M extends BegunMode> {
  begin(core: Core, subjectId: string, entries: readonly Extract<Pending, { mode: M }>[]): void
}

export type WrittenCollection = 'history' | 'policies' | 'incidents' | 'windows' | 'subjectTags' | 'alerts'

const last = 1

type Document = Extract<Pending, { collection: string }>
type BegunMode = Exclude<Pending, Document | { mode: 'tags' }>['mode']

interface Outbox {
  written: { readonly [C in WrittenCollection]: WrittenRow<C> }
  begun: { readonly [M in BegunMode]: BegunRow<M> }
}

export const outbox: Outbox = {
  written: {
    history: { mode: 'insert', step: 0, of: subject => pendingOf(subject, 'history') },
    policies: { mode: 'insert', step: 0, of: subject => pendingOf(subject, 'policies') },
    incidents: { mode: 'advance', step: 0, of: subject => pendingOf(subject, 'incidents') },
    windows: { mode: 'advance', step: 0, of: subject => pendingOf(subject, 'windows') },
    subjectTags: { mode: 'advance', step: 0, of: tagDocumentsOf },
    // A notifier that finds an alert reads its incident, which must not be older than the alert.
    alerts: { mode: 'insert', step: last, of: subject => pendingOf(subject, 'alerts') },
  },
  // A long removal, or a bucket without a leader, keeps no round waiting.
  begun: {
    check: { begin: (core, subjectId, entries) => core.writeChecks(subjectId, entries) },
    'remove-children': { begin: (core, subjectId) => core.remove(subjectId, null) },
    'remove-signal': {
      begin: (core, subjectId, entries) => {
        for (const { signalKey } of entries) core.remove(subjectId, signalKey)
      },
    },
  },
}

const isDocument = (entry: Pending): entry is Document => 'collection' in entry

/** Whether the entry stays until work beside the rounds is done. */
export const isBegun = ({ mode }: Pending): boolean => Object.hasOwn(outbox.begun, mode)
/** Whether the entry is written before the replies of its commit leave. */
export const isWritten = (entry: Pending): boolean => !isBegun(entry)

type DocumentOf<C extends Document['collection']> = Extract<Document, { collection: C }>['document']

function pendingOf<C extends Document['collection']>({ pending }: SubjectDocument, collection: C): DocumentOf<C>[] {
  const isOfIt = (entry: Pending): entry is Extract<Document, { collection: C }> =>
    isDocument(entry) && entry.collection === collection
  return pending.filter(isOfIt).map(({ document }) => document as DocumentOf<C>)
}

/** Documents by collection. */
export type Written = { [C in WrittenCollection]: Collections[C][] }

/** The documents that these committed subjects still have to write. */
export function documentsOf(committed: readonly SubjectDocument[], now: number): Written {
  const of = <C extends WrittenCollection>(collection: C): Collections[C][] =>
    committed.flatMap(subject => outbox.written[collection].of(subject, now))
  return {
    history: of('history'),
    policies: of('policies'),
    incidents: of('incidents'),
    windows: of('windows'),
    subjectTags: of('subjectTags'),
    alerts: of('alerts'),
  }
}

/** In the order of their steps. */
export const outboxSteps: readonly (readonly WrittenCollection[])[] = [0, last].map(step =>
  (Object.keys(outbox.written) as WrittenCollection[]).filter(collection => outbox.written[collection].step === step),
)

/** Begins all work of a committed subject that goes on beside the rounds. */
export function beginWork(core: Core, { id, pending }: SubjectDocument): void {
  if (!pending.some(isBegun)) return
  for (const mode of Object.keys(outbox.begun) as BegunMode[]) beginMode(core, id, pending, mode)
}

function beginMode<M extends BegunMode>(core: Core, id: string, pending: readonly Pending[], mode: M): void {
  const isOfIt = (entry: Pending): entry is Extract<Pending, { mode: M }> => entry.mode === mode
  const entries = pending.filter(isOfIt)
  if (entries.length > 0) outbox.begun[mode].begin(core, id, entries)
}
