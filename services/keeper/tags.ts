// Tags of committed subjects: the difference that a commit makes joins its outbox, and is stored behind it. Rules: docs/reference/v3.md, 9.2 to 9.4.
import type { Pending, SubjectDocument } from '#shared/contracts/subject.ts'
import type { SubjectTagDocument } from '#shared/contracts/subject-tag.ts'
import { subjectTagId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import { isTaggedAlike, tagsOf } from '#shared/subject-tags.ts'

type PendingTags = Extract<Pending, { mode: 'tags' }>

/** The subject with the tags pending that it has got and lost since `before`, the committed one; null: there was none. Pure. */
export function withTags(before: SubjectDocument | null, subject: SubjectDocument): SubjectDocument {
  if (before !== null && isTaggedAlike(before, subject)) return subject
  const had = new Set(before === null ? [] : tagsOf(before))
  const has = new Set(tagsOf(subject))
  const put = [...has].filter(tag => !had.has(tag))
  const gone = [...had].filter(tag => !has.has(tag))
  if (put.length + gone.length === 0) return subject
  const earlier = subject.pending.find(isTags) ?? { put: [], gone: [] }
  const tags: PendingTags = {
    mode: 'tags',
    put: [...earlier.put.filter(tag => has.has(tag)), ...put],
    gone: [...earlier.gone.filter(tag => !has.has(tag)), ...gone],
  }
  return { ...subject, pending: [...subject.pending.filter(entry => !isTags(entry)), tags] }
}

const isTags = (entry: Pending): entry is PendingTags => entry.mode === 'tags'

/** The documents that a committed subject has pending. A late write of an earlier revision is refused by their `rev`. */
export function tagDocumentsOf({ id, rev, workspaceId, pending }: SubjectDocument, now: number): SubjectTagDocument[] {
  const document = (tag: string, gone: 0 | 1): SubjectTagDocument => ({
    id: subjectTagId(workspaceId, tag, id),
    rev,
    gone,
    expireAt: gone === 1 ? now + limits.keeper.goneTagMs : null,
  })
  return pending
    .filter(isTags)
    .flatMap(({ put, gone }) => [...put.map(tag => document(tag, 0)), ...gone.map(tag => document(tag, 1))])
}
