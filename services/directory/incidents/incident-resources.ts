// Resources that match the filters of a list of Incidents. Reference: docs/reference/v3.md, 9.5.
import type { IncidentFilters } from '#shared/contracts/ask/ask-incidents.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import type { DirectoryContext } from '../context.ts'
import { filteredSubjects, subjectIdsBehind } from '../resources/resource-filters.ts'
import { resolveResources } from '../resources/resources.ts'

type IncidentResource = Pick<SubjectDocument, 'id' | 'slug' | 'name'>

export interface ResourcesBehind {
  /**
   * Ids of the Resources that match the filters; null: all Resources of the workspace match. For a moment after a change of a Resource, its
   * id may wrongly be included or missing.
   */
  ids: ReadonlySet<string> | null
  /** Reads Resources and returns, by id, the Resources whose Incidents are shown. */
  shown(ids: readonly string[]): Promise<Map<string, IncidentResource>>
}

/** Returns the Resources that match the filters. Throws `validation`, with the name of the invalid query parameter. */
export async function resourcesBehind(
  context: DirectoryContext,
  workspaceId: string,
  filters: IncidentFilters,
): Promise<ResourcesBehind> {
  const { store } = context
  const named = await resourceNamed(context, workspaceId, filters)
  const first = firstOf(filters)
  if (first === null) return { ids: named && new Set(named), shown: ids => namesOf(store, ids, filters.state) }
  const behind = await subjectIdsBehind(store, workspaceId, filters)
  if (behind.length > limits.v3.filteredSubjects) throw tooMany(first)
  const { isOne } = await filteredSubjects(store, workspaceId, filters)
  return {
    ids: new Set(named === null ? behind : behind.filter(id => named.includes(id))),
    shown: async ids => {
      const shown = new Map<string, IncidentResource>()
      for (const subject of await store.get('subjects', [...new Set(ids)]))
        if (subject !== null && isOne(subject)) shown.set(subject.id, subject)
      return shown
    },
  }
}

/**
 * Returns the query parameter of the first filter by Template, field or label; null: the request has no such filter.
 */
function firstOf({ template, meta: [field], labels: [label] }: IncidentFilters): string | null {
  if (template !== null) return 'template'
  if (field !== undefined) return `meta.${field.key}`
  return label === undefined ? null : `label.${label.key}`
}

const tooMany = (field: string) =>
  new AppError('validation', `The filter matches more than ${limits.v3.filteredSubjects} Resources`, { facts: { field } })

/**
 * Returns a list with the id of the Resource that all references in the request name. The list is empty if a reference is unknown, or if
 * the references name different Resources. Null: the request has no reference.
 */
async function resourceNamed(context: DirectoryContext, workspaceId: string, { resources: references }: IncidentFilters) {
  if (references.length === 0) return null
  const [first, ...others] = await resolveResources(context, { workspaceId, references })
  return first != null && others.every(other => other?.id === first.id) ? [first.id] : []
}

/** Returns names by id. Reads only columns, which is cheaper than whole documents. Deleted subjects are omitted. */
export async function namesOf(
  store: Store,
  asked: readonly string[],
  state: IncidentFilters['state'] = 'all',
): Promise<Map<string, IncidentResource>> {
  const ids = [...new Set(asked)]
  const where = { id: { in: ids }, deletedAt: null }
  const found = await store.find('subjects', { where, limit: ids.length, select: ['slug', 'name', 'archivedAt'] })
  const fitting = found.filter(({ archivedAt }) => state === 'all' || (archivedAt !== null) === (state === 'archived'))
  return new Map(fitting.map(({ id, slug, name }) => [id, { id, slug, name }]))
}
