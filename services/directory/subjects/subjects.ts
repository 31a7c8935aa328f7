// Reads of subjects. Only keepers write subjects.
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { checkedKind } from '#shared/contracts/subjects/subject-kind.ts'
import type { WebsiteView } from '#shared/contracts/subjects/subject-views.ts'
import { limits } from '#shared/limits/limits.ts'
import { isOfGenerations1And2 } from '#shared/subjects/classic-kind.ts'
import { customSubjectSummary, customSubjectView, subjectView } from '#shared/subjects/subject-view.ts'
import type { AskAnswerer } from '../context.ts'
import { readPage } from '../documents/page.ts'
import { isDeleted } from '../people/workspaces.ts'

/** Returns a subject for generations 1 and 2. Null: no subject has this id, or the subject is deleted or archived. */
export const getSubject: AskAnswerer<'get-subject'> = async ({ store }, { subjectId }) => {
  const [subject = null] = await store.get('subjects', [subjectId])
  return subject && subject.deletedAt === null && subject.archivedAt === null ? subjectView(subject) : null
}

/** Generations 1 and 2 show neither archived nor deleted subjects. */
const isShown = { archivedAt: null, deletedAt: null }

/** Returns a page of website monitors in the order of their creation, without monitors that became custom. */
export const listWebsites: AskAnswerer<'list-websites'> = async ({ store }, request) =>
  readPage(store, {
    collection: 'subjects',
    where: { workspaceId: request.workspaceId, kind: checkedKind, ...isShown },
    sort: ['createdAt', 'asc'],
    after: request.after,
    view: documents => documents.map(subject => (isOfGenerations1And2(subject) ? websiteView(subject) : null)),
  })

/** Returns a page of custom subjects in the order of their creation, including website monitors that became custom. */
export const listCustomSubjects: AskAnswerer<'list-custom-subjects'> = async ({ store }, request) =>
  readPage(store, {
    collection: 'subjects',
    where: { workspaceId: request.workspaceId, kind: 'custom', ...isShown },
    sort: ['createdAt', 'asc'],
    after: request.after,
    view: documents => documents.map(subject => (isOfGenerations1And2(subject) ? customSubjectSummary(subject) : null)),
  })

/**
 * Returns the workspaces, of those given, in which a subject has this slug, and the subject if there is only one. Searches the subjects,
 * not the reserved names, because a name may be reserved for a subject that was never created.
 */
export const findSubjects: AskAnswerer<'find-subjects'> = async ({ store, websiteHolds }, { slug, workspaceIds }) => {
  const where = { slug, workspaceId: { in: workspaceIds }, ...isShown }
  if (workspaceIds.length === 0) return { subject: null, workspaceIds: [] }
  // A slug is unique in a workspace, so this reads all of them. A smaller bound could leave only Resources of Templates, which do not count.
  const named = await store.find('subjects', { where, limit: workspaceIds.length, select: ['template', 'workspaceId'] })
  const found = named.filter(isOfGenerations1And2).slice(0, limits.subject.ambiguous + 1)
  const [only = null] = found.length === 1 ? await store.get('subjects', [found[0]?.id ?? '']) : []
  // A subject that is deleted between the two reads has no rules any more, and must not be found without them.
  if (only !== null && only.deletedAt !== null) return { subject: null, workspaceIds: [] }
  return { subject: only && customSubjectView(only, websiteHolds), workspaceIds: found.map(({ workspaceId }) => workspaceId) }
}

export const workspaceExists: AskAnswerer<'workspace-exists'> = async ({ store }, { workspaceId }) => {
  const [workspace = null] = await store.get('workspaces', [workspaceId])
  return workspace !== null && !isDeleted(workspace)
}

function websiteView(subject: SubjectDocument): WebsiteView | null {
  const { check, ...view } = subjectView(subject)
  return check === null ? null : { ...view, check }
}
