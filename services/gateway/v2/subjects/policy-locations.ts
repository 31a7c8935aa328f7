// Locations in rule inputs that read the signal of the website check. The API uses names of locations, the stored policy uses ids
// (reference/custom-subjects 3.10).
import type { Policy, PolicyInput } from '#shared/contracts/subjects/policy.ts'
import type { CustomSubjectView } from '#shared/contracts/subjects/subject-views.ts'
import { refusal } from '#shared/errors.ts'
import { locationLabel } from '#shared/judging/policy-input.ts'
import type { GatewayContext } from '../../context.ts'

const any = '*'

type Subject = Pick<CustomSubjectView, 'signals'>

/** Replaces names by ids. Throws validation `Invalid rule document` for an unknown name. */
export async function withLocationIds(context: GatewayContext, subject: Subject, policy: Policy, traceId: string) {
  const names = selectedLocations(subject, policy)
  if (names.length === 0) return policy
  const found = await context.locationNames.toIds(names, traceId)
  if ('unknown' in found) {
    const at = policy.inputs.findIndex(input => locationOf(subject, input) === found.unknown)
    const field = `inputs[${at}].match.${locationLabel}`
    throw refusal('validation', 'Invalid rule document', `${field} names no location`, field)
  }
  return withLocations(subject, policy, name => found.ids.get(name) ?? name)
}

/** Replaces ids by names. The id of a deleted location is not replaced. */
export async function withLocationNames(context: GatewayContext, subject: Subject, policy: Policy, traceId: string) {
  const ids = selectedLocations(subject, policy)
  if (ids.length === 0) return policy
  const namesOf = await context.locationNames.namer(ids, traceId)
  return withLocations(subject, policy, id => namesOf([id])[0] ?? id)
}

function selectedLocations(subject: Subject, { inputs }: Policy): string[] {
  return [...new Set(inputs.flatMap(input => locationOf(subject, input) ?? []))]
}

function locationOf({ signals }: Subject, { signal, match }: PolicyInput): string | null {
  const location = match !== null && Object.hasOwn(match, locationLabel) ? match[locationLabel] : undefined
  if (location === undefined || location === any) return null
  const isPlatform = signals.some(candidate => candidate.kind === 'platform_http' && candidate.slug === signal)
  return isPlatform ? location : null
}

function withLocations(subject: Subject, policy: Policy, translate: (location: string) => string): Policy {
  const inputs = policy.inputs.map(input => {
    const location = locationOf(subject, input)
    return location === null ? input : { ...input, match: { ...input.match, [locationLabel]: translate(location) } }
  })
  return { ...policy, inputs }
}
