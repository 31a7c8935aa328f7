// Body of a website monitor in generation 2: the settings that generations 1 and 2 share, and `locations` and `agreement`.
import { type Static, Type } from 'typebox'
import type { FailureMode } from '#shared/contracts/subjects/check.ts'
import { Maybe, marks } from '../body/field-values.ts'
import type { WebsiteInput } from '../website/family.ts'
import { InWorkspace, PlacesBody, SettingsBody, settingsOf } from '../website/settings.ts'

/** An empty text as `agreement` is a wrong value and does not count as absent (reference/website-monitors 4.1). */
const refusal = { message: 'invalid agreement', details: 'agreement must be any, majority or all' }

const fields = {
  ...SettingsBody.properties,
  locations: Maybe(PlacesBody),
  agreement: Maybe(Type.Enum(['any', 'majority', 'all'], { type: 'string', ...marks({ refusal }) })),
}

export const CreateWebsiteBody = Type.Object({ ...fields, ...InWorkspace }, { $id: 'CreateWebsiteMonitor' })
export const UpdateWebsiteBody = Type.Object(fields, { $id: 'UpdateWebsiteMonitor' })

export type Agreement = 'any' | 'majority' | 'all'

const failureModes: Record<Agreement, FailureMode> = { any: 'at_least_one', majority: 'majority', all: 'all' }

export const readWebsite = ({ locations, agreement, ...sent }: Static<typeof UpdateWebsiteBody>): WebsiteInput => ({
  ...settingsOf(sent),
  places: locations ?? [],
  failureMode: agreement ? failureModes[agreement] : null,
})

export const agreementOf = (mode: FailureMode): Agreement => (mode === 'at_least_one' ? 'any' : mode)
