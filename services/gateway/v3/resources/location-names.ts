// What is known of the Locations from which a Resource is checked, for its detail: their names, and the checks that nobody can make there.
import type { LocationView } from '#shared/contracts/ask/ask-people.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import type { GatewayContext } from '../../context.ts'
import type { ResourceReader } from './resource-object.ts'

/** Asks only if the Resource has checked signals. */
export async function locationNames(
  context: GatewayContext,
  { checks = [] }: ResourceView,
  traceId: string,
): Promise<Required<Pick<ResourceReader, 'nameOf' | 'lackOf'>>> {
  const ids = new Set(checks.flatMap(({ locations }) => locations.map(({ id }) => id)))
  if (ids.size === 0) return { nameOf: () => null, lackOf: () => null }
  const viewOf = await context.locationNames.viewer([...ids], traceId)
  return { nameOf: id => viewOf(id)?.name ?? null, lackOf: (id, kind) => lackAt(viewOf(id), kind) }
}

/** Returns why no prober of a Location makes checks of a kind, a sentence; null: one does. `kind`: its word. */
export function lackAt(location: LocationView | null, kind: string): string | null {
  if (location === null) return null
  return location.activeWorkers === 0 ? 'no prober runs there' : (location.unable?.[kind] ?? null)
}
