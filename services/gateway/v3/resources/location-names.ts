// Names of the Locations from which a Resource is checked, for its detail.
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import type { GatewayContext } from '../../context.ts'

/** Asks only if the Resource has checked signals. */
export async function locationNames(
  context: GatewayContext,
  { checks = [] }: ResourceView,
  traceId: string,
): Promise<(locationId: string) => string | null> {
  const ids = new Set(checks.flatMap(({ locations }) => locations.map(({ id }) => id)))
  if (ids.size === 0) return () => null
  const namesOf = await context.locationNames.namer([...ids], traceId)
  return id => namesOf([id])[0] ?? null
}
