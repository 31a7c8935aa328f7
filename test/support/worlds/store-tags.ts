// Stores tags as a keeper does, for subjects that a test stores without a keeper.
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { Store } from '#shared/store/port.ts'
import { tagDocumentsOf, withTags } from '../../../services/keeper/round/outbox.ts'

/** Stores the tags of `after`. `before`: the subject as it was stored previously; null: it was not stored. */
export async function storeTags(store: Store, before: SubjectDocument | null, after: SubjectDocument, now = 0): Promise<void> {
  await store.advance('subjectTags', tagDocumentsOf(withTags(before, after), now))
}
