// Causes of incidents in responses: the texts, with the names of the locations.
import type { IncidentCause } from '#shared/contracts/incidents/incident.ts'
import { causeText, locationIn } from '#shared/incidents/cause-text.ts'
import type { LocationNames } from './location-names.ts'

/** Returns the text of a cause; null: nothing named a cause. */
export type SayCause = (cause: IncidentCause | null | undefined) => string | null

/** Reads the names of all locations in the causes, and returns the function that writes these causes. */
export async function sayCauses(
  { locationNames }: { locationNames: LocationNames },
  causes: readonly (IncidentCause | null | undefined)[],
  traceId: string,
): Promise<SayCause> {
  const ids = causes.flatMap(cause => (cause == null ? [] : (locationIn(cause) ?? [])))
  const namesOf = await locationNames.namer(new Set(ids), traceId)
  return saying(id => namesOf([id])[0] ?? null)
}

/** Returns the function that writes causes with the names that the cache has, at once. */
export const sayRemembered = (locationNames: Pick<LocationNames, 'remembered'>): SayCause => saying(locationNames.remembered)

const saying =
  (nameOf: (id: string) => string | null): SayCause =>
  cause =>
    cause == null ? null : causeText(cause, nameOf)
