// Tags of subjects that a test stores by itself, as their keeper would store them.
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import type { Store } from '#shared/store/port.ts'
import { tagDocumentsOf, withTags } from '../../services/keeper/tags.ts'

/** `before`: the subject as it was stored; null: there was none. */
export async function storeTags(store: Store, before: SubjectDocument | null, after: SubjectDocument, now = 0): Promise<void> {
  await store.advance('subjectTags', tagDocumentsOf(withTags(before, after), now))
}
