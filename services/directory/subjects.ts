// Reads of subjects. Their keeper alone writes them.
import type { AskRequest, Page } from '#shared/contracts/ask.ts'
import type { SubjectView } from '#shared/contracts/command.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import type { DirectoryContext } from './context.ts'
import { readPage } from './page.ts'

/** Null where there is none, or a tombstone. */
export async function getSubject(
  { store }: DirectoryContext,
  { subjectId }: AskRequest<'get-subject'>,
): Promise<SubjectView | null> {
  const [subject = null] = await store.get('subjects', [subjectId])
  return subject && subject.deletedAt === null ? subjectView(subject) : null
}

/** Website monitors of a workspace by creation; those whose subject became custom are not among them. */
export async function listWebsites(
  { store }: DirectoryContext,
  request: AskRequest<'list-websites'>,
): Promise<Page<SubjectView>> {
  return readPage(store, {
    collection: 'subjects',
    where: { workspaceId: request.workspaceId, kind: 'website', deletedAt: null },
    sort: ['createdAt', 'asc'],
    after: request.after,
    view: documents => documents.map(subjectView),
  })
}

const subjectView = (subject: SubjectDocument): SubjectView => ({
  id: subject.id,
  rev: subject.rev,
  workspaceId: subject.workspaceId,
  slug: subject.slug,
  name: subject.name,
  kind: subject.kind,
  template: subject.template,
  meta: subject.meta,
  createdAt: subject.createdAt,
  updatedAt: subject.updatedAt,
})
