// Reads of Resources of generation 3. Rules: docs/reference/v3.md, sections 6 and 9.
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import type { ResolvedResource } from '#shared/contracts/ask/ask-resources.ts'
import type { Page } from '#shared/contracts/ask/reply.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { resourceView } from '#shared/subjects/resource-view.ts'
import { readRevisions } from '#shared/subjects/stored-revisions.ts'
import type { DirectoryContext } from '../context.ts'
import { type FilteredSubjects, filteredSubjects } from './resource-filters.ts'

export async function getResource(
  { store }: DirectoryContext,
  { workspaceId, reference }: AskRequest<'get-resource'>,
): Promise<ResourceView | null> {
  const subject = (await findById(store, workspaceId, reference)) ?? (await findByKey(store, workspaceId, reference))
  if (subject === null) return null
  const [view = null] = await viewsOf(store, [subject])
  return view
}

/** Two reads for all of them: by id, and by key. */
export async function resolveResources(
  { store }: DirectoryContext,
  { workspaceId, references }: AskRequest<'resolve-resources'>,
): Promise<(ResolvedResource | null)[]> {
  const ids = references.filter(reference => isId.test(reference))
  const byId =
    ids.length === 0
      ? []
      : await store.find('subjects', { where: { id: { in: ids }, workspaceId, deletedAt: null }, limit: ids.length, select })
  const keys = references.filter(reference => !byId.some(({ id }) => id === reference))
  const byKey =
    keys.length === 0
      ? []
      : await store.find('subjects', { where: { slug: { in: keys }, workspaceId, deletedAt: null }, limit: keys.length, select })
  return references.map(reference => {
    const found = byId.find(({ id }) => id === reference) ?? byKey.find(({ slug }) => slug === reference)
    return found === undefined ? null : { id: found.id, key: found.slug, archivedAt: found.archivedAt, template: found.template }
  })
}

const select = ['slug', 'archivedAt', 'template'] as const

async function findById(store: Store, workspaceId: string, id: string): Promise<SubjectDocument | null> {
  if (!isId.test(id)) return null
  const [found = null] = await store.get('subjects', [id])
  return found !== null && found.workspaceId === workspaceId && found.deletedAt === null ? found : null
}

async function findByKey(store: Store, workspaceId: string, slug: string): Promise<SubjectDocument | null> {
  const [found = null] = await store.find('subjects', { where: { slug, workspaceId, deletedAt: null }, limit: 1 })
  return found
}

const isId = /^[0-9A-Za-z]{10}$/

/** A page by id, bounded in bytes. What no longer fits the filters is left out; `next` is null once nothing is behind. */
export async function listResources(
  { store }: DirectoryContext,
  { workspaceId, after, limit, ...filters }: AskRequest<'list-resources'>,
): Promise<Page<ResourceView>> {
  const items: ResourceView[] = []
  let bytes = 0
  let last = after
  const filtered = await filteredSubjects(store, workspaceId, filters)
  for await (const ids of filtered.ids(after ?? '')) {
    for (let left = ids; left.length > 0; ) {
      if (items.length === limit) return { items, next: last }
      const read = left.slice(0, Math.min(perRead, limit - items.length))
      left = left.slice(read.length)
      const views = await viewsOfIds(store, read, filtered)
      for (const id of read) {
        const view = views.get(id)
        const size = view === undefined ? 0 : Buffer.byteLength(JSON.stringify(view)) + 1
        if (items.length > 0 && bytes + size > limits.request.pageBytes) return { items, next: last }
        if (view !== undefined) items.push(view)
        bytes += size
        last = id
      }
    }
  }
  return { items, next: null }
}

const perRead = limits.request.pageReads

async function viewsOfIds(store: Store, ids: readonly string[], { isOne }: FilteredSubjects): Promise<Map<string, ResourceView>> {
  const found = await store.get('subjects', ids)
  const views = await viewsOf(store, found.filter(subject => subject !== null && isOne(subject)) as SubjectDocument[])
  return new Map(views.map(view => [view.id, view]))
}

/** With the words of their Templates. */
async function viewsOf(store: Store, subjects: readonly SubjectDocument[]): Promise<ResourceView[]> {
  const revisionId = ({ workspaceId, template }: SubjectDocument) => `${workspaceId}/${template}`
  const bound = subjects.filter(({ kind }) => kind === 'template')
  const revisions = await readRevisions(store, [...new Set(bound.map(revisionId))])
  return subjects.map(subject => resourceView(subject, revisions.get(revisionId(subject)) ?? null))
}
