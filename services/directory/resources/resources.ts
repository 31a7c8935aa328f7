// Reads of Resources of generation 3. Reference: docs/reference/v3.md, sections 6 and 9.
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { resourceView } from '#shared/subjects/resource-view.ts'
import { readRevisions } from '#shared/subjects/stored-revisions.ts'
import type { AskAnswerer, DirectoryContext } from '../context.ts'
import { PageItems } from '../documents/page.ts'
import { type FilteredSubjects, filteredSubjects } from './resource-filters.ts'

export const getResource: AskAnswerer<'get-resource'> = async (context, { workspaceId, reference }) => {
  const { store } = context
  const subject = (await findById(store, workspaceId, reference)) ?? (await findByKey(store, workspaceId, reference))
  if (subject === null) return null
  const [view = null] = await viewsOf(context, [subject])
  return view
}

/** Resolves references to Resources with at most two reads of the store: one by id, one by key. */
export const resolveResources: AskAnswerer<'resolve-resources'> = async ({ store }, { workspaceId, references }) => {
  const find = async (column: 'id' | 'slug', texts: string[]) => {
    const where = { [column]: { in: texts }, workspaceId, deletedAt: null }
    return texts.length === 0 ? [] : await store.find('subjects', { where, limit: texts.length, select })
  }
  const byId = await find(
    'id',
    references.filter(reference => isId.test(reference)),
  )
  const byKey = await find(
    'slug',
    references.filter(reference => !byId.some(({ id }) => id === reference)),
  )
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

/**
 * Returns a page in the order of ids, bounded in bytes. Omits Resources that no longer match the filters. `next` is null on the last page.
 */
export const listResources: AskAnswerer<'list-resources'> = async (context, { workspaceId, after, limit, ...filters }) => {
  const page = new PageItems<ResourceView>()
  const { items } = page
  let last = after
  const filtered = await filteredSubjects(context.store, workspaceId, filters)
  for await (const ids of filtered.ids(after ?? '')) {
    for (let left = ids; left.length > 0; ) {
      if (items.length === limit) return { items, next: last }
      const read = left.slice(0, Math.min(perRead, limit - items.length))
      left = left.slice(read.length)
      const views = await viewsOfIds(context, read, filtered)
      for (const id of read) {
        if (!page.add(views.get(id) ?? null)) return { items, next: last }
        last = id
      }
    }
  }
  return { items, next: null }
}

const perRead = limits.request.pageReads

async function viewsOfIds(
  context: Viewing,
  ids: readonly string[],
  { isOne }: FilteredSubjects,
): Promise<Map<string, ResourceView>> {
  const found = await context.store.get('subjects', ids)
  const views = await viewsOf(context, found.filter(subject => subject !== null && isOne(subject)) as SubjectDocument[])
  return new Map(views.map(view => [view.id, view]))
}

/** Returns the views of Resources, with texts from their Templates. */
type Viewing = Pick<DirectoryContext, 'store' | 'websiteHolds' | 'clock'>

async function viewsOf({ store, websiteHolds, clock }: Viewing, subjects: readonly SubjectDocument[]): Promise<ResourceView[]> {
  const revisionId = ({ workspaceId, template }: SubjectDocument) => `${workspaceId}/${template}`
  const bound = subjects.filter(({ kind }) => kind === 'template')
  const revisions = await readRevisions(store, [...new Set(bound.map(revisionId))])
  const at = clock.now()
  return subjects.map(subject => resourceView(subject, revisions.get(revisionId(subject)) ?? null, websiteHolds, at))
}
