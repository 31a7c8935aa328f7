// Reads of subjects. Their keeper alone writes them.
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { FoundSubjects } from '#shared/contracts/ask/ask-subjects.ts'
import type { Page } from '#shared/contracts/ask/reply.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { CustomSubjectSummary, SubjectView, WebsiteView } from '#shared/contracts/subjects/subject-views.ts'
import { limits } from '#shared/limits/limits.ts'
import { customSubjectSummary, customSubjectView, isOfGenerations1And2, subjectView } from '#shared/subjects/subject-view.ts'
import type { DirectoryContext } from '../context.ts'
import { readPage } from '../documents/page.ts'
import { isDeleted } from '../people/workspaces.ts'

/** Null where there is none, a tombstone, or an archived one: generations 1 and 2 do not know it any more. */
export async function getSubject(
  { store }: DirectoryContext,
  { subjectId }: AskRequest<'get-subject'>,
): Promise<SubjectView | null> {
  const [subject = null] = await store.get('subjects', [subjectId])
  return subject && subject.deletedAt === null && subject.archivedAt === null ? subjectView(subject) : null
}

/** Generations 1 and 2 show neither archived nor deleted subjects. */
const isShown = { archivedAt: null, deletedAt: null }

/** Website monitors of a workspace by creation; those whose subject became custom are not among them. */
export async function listWebsites(
  { store }: DirectoryContext,
  request: AskRequest<'list-websites'>,
): Promise<Page<WebsiteView>> {
  return readPage(store, {
    collection: 'subjects',
    where: { workspaceId: request.workspaceId, kind: 'website', ...isShown },
    sort: ['createdAt', 'asc'],
    after: request.after,
    view: documents => documents.map(websiteView),
  })
}

/** Custom subjects of a workspace by creation, website monitors that became custom among them. */
export async function listCustomSubjects(
  { store }: DirectoryContext,
  request: AskRequest<'list-custom-subjects'>,
): Promise<Page<CustomSubjectSummary>> {
  return readPage(store, {
    collection: 'subjects',
    where: { workspaceId: request.workspaceId, kind: 'custom', ...isShown },
    sort: ['createdAt', 'asc'],
    after: request.after,
    view: documents => documents.map(subject => (isOfGenerations1And2(subject) ? customSubjectSummary(subject) : null)),
  })
}

/** Whose slug is it, among these workspaces? Read from the subjects themselves: a name may be reserved for one that never came to be. */
export async function findSubjects(
  { store, websiteHolds }: DirectoryContext,
  { slug, workspaceIds }: AskRequest<'find-subjects'>,
): Promise<FoundSubjects> {
  const where = { slug, workspaceId: { in: workspaceIds }, ...isShown }
  if (workspaceIds.length === 0) return { subject: null, workspaceIds: [] }
  const found = (await store.find('subjects', { where, limit: limits.subject.ambiguous + 1 })).filter(isOfGenerations1And2)
  const only = found.length === 1 ? (found[0] as SubjectDocument) : null
  return { subject: only && customSubjectView(only, websiteHolds), workspaceIds: found.map(subject => subject.workspaceId) }
}

export async function workspaceExists(
  { store }: DirectoryContext,
  { workspaceId }: AskRequest<'workspace-exists'>,
): Promise<boolean> {
  const [workspace = null] = await store.get('workspaces', [workspaceId])
  return workspace !== null && !isDeleted(workspace)
}

function websiteView(subject: SubjectDocument): WebsiteView | null {
  const { check, ...view } = subjectView(subject)
  return check === null ? null : { ...view, check }
}
