// The Resources behind the filters of a list of Incidents. Rule: docs/reference/v3.md, 9.5.
import type { IncidentFilters } from '#shared/contracts/ask/ask-incidents.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import type { DirectoryContext } from '../context.ts'
import { filteredSubjects, subjectIdsBehind } from '../resources/resource-filters.ts'
import { resolveResources } from '../resources/resources.ts'

type Named = Pick<SubjectDocument, 'id' | 'slug' | 'name'>

export interface ResourcesBehind {
  /** Null: all of the workspace. One that changed a moment ago may be among them, or missing. */
  ids: ReadonlySet<string> | null
  /** By id, those of the given ones whose Incidents are shown, as they are stored now. */
  shown(ids: readonly string[]): Promise<Map<string, Named>>
}

/** Throws `validation` with the query parameter at fault. */
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
      const shown = new Map<string, Named>()
      for (const subject of await store.get('subjects', [...new Set(ids)]))
        if (subject !== null && isOne(subject)) shown.set(subject.id, subject)
      return shown
    },
  }
}

/** The first sent filter by what Resources are, as the query names it; their state alone counts none. Null: none was sent. */
function firstOf({ template, meta: [field], labels: [label] }: IncidentFilters): string | null {
  if (template !== null) return 'template'
  if (field !== undefined) return `meta.${field.key}`
  return label === undefined ? null : `label.${label.key}`
}

const tooMany = (field: string) =>
  new AppError('validation', `The filter matches more than ${limits.v3.filteredSubjects} Resources`, { facts: { field } })

/** None if a reference is unknown, or if two name different ones; null: nothing was named. */
async function resourceNamed(
  context: DirectoryContext,
  workspaceId: string,
  { resources: references }: IncidentFilters,
): Promise<string[] | null> {
  if (references.length === 0) return null
  const [first, ...others] = await resolveResources(context, { workspaceId, references })
  return first != null && others.every(other => other?.id === first.id) ? [first.id] : []
}

/** Read from columns, without the subjects' documents; deleted ones are left out. */
export async function namesOf(
  store: Store,
  asked: readonly string[],
  state: IncidentFilters['state'] = 'all',
): Promise<Map<string, Named>> {
  const ids = [...new Set(asked)]
  const where = { id: { in: ids }, deletedAt: null }
  const found = await store.find('subjects', { where, limit: ids.length, select: ['slug', 'name', 'archivedAt'] })
  const fitting = found.filter(({ archivedAt }) => state === 'all' || (archivedAt !== null) === (state === 'archived'))
  return new Map(fitting.map(({ id, slug, name }) => [id, { id, slug, name }]))
}
