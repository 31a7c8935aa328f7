// Tags of committed subjects: a commit adds the changed tags to the outbox (v3 9.2 to 9.4).
import type { OutboxEntry, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { SubjectTagDocument } from '#shared/contracts/subjects/subject-tag.ts'
import { limits } from '#shared/limits/limits.ts'
import { isTaggedAlike, tagsOf } from '#shared/subjects/subject-tags.ts'
import { subjectTagId } from '#shared/text/ids.ts'

type OutboxTags = Extract<OutboxEntry, { mode: 'tags' }>

/** Returns the subject with an outbox of the tags gained and lost since `before`, the committed subject; null: there was none. Pure. */
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

/** Returns the tag documents in a committed subject's outbox. Their `rev` makes the store refuse a late write of an earlier revision. */
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
