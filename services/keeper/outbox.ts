// The documents that a committed subject still has to write, one row for each collection. A new written collection is one row here, and its
// entry in `Pending`. Rules of order: those of a later step are written once all of the earlier ones are.
import type { Pending, SubjectDocument } from '#shared/contracts/subject.ts'
import type { Collections } from '#shared/store/collections.ts'
import { tagDocumentsOf } from './tags.ts'

/** insert: written once, by identity. advance: written only over a smaller stamp. Either may be repeated by a successor. */
interface Row<C extends keyof Collections> {
  mode: 'insert' | 'advance'
  step: number
  of(subject: SubjectDocument, now: number): Collections[C][]
}

export type WrittenCollection = 'history' | 'policies' | 'incidents' | 'windows' | 'subjectTags' | 'alerts'

const last = 1

export const outboxRows: { readonly [C in WrittenCollection]: Row<C> } = {
  history: { mode: 'insert', step: 0, of: subject => pendingOf(subject, 'history') },
  policies: { mode: 'insert', step: 0, of: subject => pendingOf(subject, 'policies') },
  incidents: { mode: 'advance', step: 0, of: subject => pendingOf(subject, 'incidents') },
  windows: { mode: 'advance', step: 0, of: subject => pendingOf(subject, 'windows') },
  subjectTags: { mode: 'advance', step: 0, of: tagDocumentsOf },
  // A notifier that finds an alert reads its incident, which must not be older than the alert.
  alerts: { mode: 'insert', step: last, of: subject => pendingOf(subject, 'alerts') },
}

type Entry = Extract<Pending, { collection: string }>
type DocumentOf<C extends Entry['collection']> = Extract<Entry, { collection: C }>['document']

function pendingOf<C extends Entry['collection']>({ pending }: SubjectDocument, collection: C): DocumentOf<C>[] {
  const isOfIt = (entry: Pending): entry is Extract<Entry, { collection: C }> =>
    'collection' in entry && entry.collection === collection
  return pending.filter(isOfIt).map(({ document }) => document as DocumentOf<C>)
}

/** In the order of their steps. */
export const outboxSteps: readonly (readonly WrittenCollection[])[] = [0, last].map(step =>
  (Object.keys(outboxRows) as WrittenCollection[]).filter(collection => outboxRows[collection].step === step),
)
