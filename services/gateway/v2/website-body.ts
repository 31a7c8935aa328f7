// A website monitor as clients of generation 2 send it: the shared settings, locations and an agreement.
import { type Static, Type } from 'typebox'
import type { FailureMode } from '#shared/contracts/website.ts'
import { AppError } from '#shared/errors.ts'
import { Maybe, shapeReader } from '../fields.ts'
import type { WebsiteInput } from '../website/family.ts'
import { PlacesBody, readPlaces, readSettings, SettingsBody } from '../website/settings.ts'

export const WebsiteBody = Type.Object({
  ...SettingsBody.properties,
  locations: Maybe(PlacesBody),
  agreement: Maybe(Type.String({ enum: ['any', 'majority', 'all'] })),
})

export type Agreement = 'any' | 'majority' | 'all'

const failureModes: Record<Agreement, FailureMode> = { any: 'at_least_one', majority: 'majority', all: 'all' }
const readShape = shapeReader(WebsiteBody)

/** Throws malformed (2006) for a wrong JSON type anywhere, else validation (2001) for the first field that is missing or wrong. */
export function readWebsite(body: Record<string, unknown>): WebsiteInput {
  const sent = readShape(body)
  return { ...readSettings(sent), places: readPlaces(sent.locations, 'locations'), failureMode: readAgreement(sent) }
}

export const agreementOf = (mode: FailureMode): Agreement => (mode === 'at_least_one' ? 'any' : mode)

/** `""` is no agreement, not an absent one (spec D 1, Validation). */
function readAgreement({ agreement }: Static<typeof WebsiteBody>): FailureMode | null {
  if (agreement === null || agreement === undefined) return null
  if (Object.hasOwn(failureModes, agreement)) return failureModes[agreement as Agreement]
  throw new AppError('validation', 'invalid agreement', { details: 'agreement must be any, majority or all' })
}
