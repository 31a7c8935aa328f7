// Uses of a destination: other destinations that pass messages on to it, and rules that name it, in Templates and in Resources bound to older
// revisions of Templates. Reference: docs/reference/v3.md, 10.2.
import { findChannel } from '#shared/channels/registry.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import type { Template, TemplateRule } from '#shared/contracts/resources/template.ts'
import { limits } from '#shared/limits/limits.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query, Store } from '#shared/store/port.ts'
import { findRevisions, isFault } from '#shared/subjects/stored-revisions.ts'

const { usesListed } = limits.destination

/** Rules that name the destination, by Template revision (`key@version`). */
type Naming = ReadonlyMap<string, readonly string[]>

/** The first uses in the order of Resource keys, and the number of all uses. */
interface Uses {
  listed: string[]
  count: number
}

/** Returns the destinations that pass messages on to the destination, as uses: `Destination On call`. */
export const destinationsNaming = (all: readonly DestinationDocument[], destinationId: string): string[] =>
  all
    .filter(one =>
      findChannel(one.type)
        ?.stepsOf?.(one.settings ?? {})
        .some(({ destination }) => destination === destinationId),
    )
    .map(({ name }) => `Destination ${name}`)
    .toSorted()

/** Returns uses as text, of so many in all; null: there are none. */
export function listed(uses: readonly string[], count: number): string | null {
  const shown = uses.slice(0, usesListed)
  if (shown.length === 0) return null
  return count > shown.length ? `${shown.join('; ')} and ${count - shown.length} more` : shown.join('; ')
}

/**
 * Returns the uses as text: `Template paged@2 Rule host_down; Resource srv-0042 Rule host_down`, and those of other destinations (`naming`).
 * Null: the destination is not used.
 */
export async function usesOf(
  store: Store,
  workspaceId: string,
  destinationId: string,
  naming: readonly string[],
): Promise<string | null> {
  const { naming: revisions, newest } = await namingRevisions(store, workspaceId, destinationId)
  const ofTemplates = [...revisions]
    .filter(([revision]) => newest.has(revision))
    .flatMap(([revision, rules]) => rules.map(rule => `Template ${revision} Rule ${rule}`))
  const ofResources = await resourcesBy(store, workspaceId, revisions)
  const count = naming.length + ofTemplates.length + ofResources.count
  return listed([...naming, ...ofTemplates, ...ofResources.listed], count)
}

/**
 * Returns the Template revisions that name the destination, and the highest revision of each Template. Damaged revisions are skipped (v3
 * 4.13).
 */
async function namingRevisions(store: Store, workspaceId: string, destinationId: string) {
  const naming = new Map<string, string[]>()
  const newestOf = new Map<string, string>()
  const sort: Query['sort'] = [
    ['key', 'asc'],
    ['version', 'asc'],
  ]
  const query: Query = { where: { workspaceId }, sort, limit: limits.templateRevision.perRead }
  for await (const page of pagesOf(query, next => findRevisions(store, next))) {
    for (const { key, version, template } of page) {
      if (isFault(template)) continue
      const revision = `${key}@${version}`
      const rules = rulesNaming(template, destinationId)
      newestOf.set(key, revision)
      if (rules.length > 0) naming.set(revision, rules)
    }
  }
  return { naming, newest: new Set(newestOf.values()) }
}

const rulesNaming = ({ rules }: Template, id: string): string[] => rules.filter(rule => isNamedBy(rule, id)).map(({ key }) => key)

const isNamedBy = ({ destination, routes }: TemplateRule, id: string): boolean =>
  destination === id || (routes ?? []).some(route => route.destination === id)

/**
 * Returns the uses of the destination by unarchived Resources. A Resource has one use for each rule that names the destination in its
 * Template revision.
 */
async function resourcesBy(store: Store, workspaceId: string, naming: Naming): Promise<Uses> {
  const revisions = [...naming.keys()]
  if (revisions.length === 0) return { listed: [], count: 0 }
  const where = (template: string[]) => ({ workspaceId, template: { in: template }, archivedAt: null, deletedAt: null })
  const found = await store.find('subjects', {
    where: where(revisions),
    sort: [['slug', 'asc']],
    limit: usesListed,
    select: ['slug', 'template'],
  })
  const listed = found.flatMap(({ slug, template }) =>
    (naming.get(template ?? '') ?? []).map(rule => `Resource ${slug} Rule ${rule}`),
  )
  let count = 0
  for (const [rules, group] of Map.groupBy(revisions, revision => naming.get(revision)?.length ?? 0)) {
    count += rules * (await store.count('subjects', where(group)))
  }
  return { listed, count: Math.max(count, listed.length) }
}
