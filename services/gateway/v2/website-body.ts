// A website monitor as clients of generation 2 send it: the shared settings, locations and an agreement.
import { type Static, Type } from 'typebox'
import type { FailureMode } from '#shared/contracts/website.ts'
import { AppError } from '#shared/errors.ts'
import { Maybe } from '../fields.ts'
import type { WebsiteInput } from '../website/family.ts'
import { InWorkspace, PlacesBody, readPlaces, readSettings, SettingsBody } from '../website/settings.ts'

const fields = {
  ...SettingsBody.properties,
  locations: Maybe(PlacesBody),
  agreement: Maybe(Type.String({ enum: ['any', 'majority', 'all'] })),
}

export const CreateWebsiteBody = Type.Object({ ...fields, ...InWorkspace }, { $id: 'CreateWebsiteMonitor' })
export const UpdateWebsiteBody = Type.Object(fields, { $id: 'UpdateWebsiteMonitor' })

export type Agreement = 'any' | 'majority' | 'all'

const failureModes: Record<Agreement, FailureMode> = { any: 'at_least_one', majority: 'majority', all: 'all' }

/** Throws validation (2001) for the first field that is missing or wrong. */
export function readWebsite(sent: Static<typeof UpdateWebsiteBody>): WebsiteInput {
  return { ...readSettings(sent), places: readPlaces(sent.locations, 'locations'), failureMode: readAgreement(sent) }
}

export const agreementOf = (mode: FailureMode): Agreement => (mode === 'at_least_one' ? 'any' : mode)

/** `""` is no agreement, not an absent one (spec D 1, Validation). */
function readAgreement({ agreement }: Static<typeof UpdateWebsiteBody>): FailureMode | null {
  if (agreement === null || agreement === undefined) return null
  if (Object.hasOwn(failureModes, agreement)) return failureModes[agreement as Agreement]
  throw new AppError('validation', 'invalid agreement', { details: 'agreement must be any, majority or all' })
}
