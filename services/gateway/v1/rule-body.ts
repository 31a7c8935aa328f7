// A rule as clients of generation 1 send it: the shared settings and regions. Generation 1 has no agreement: a sent agreement is an unknown
// field and ignored.
import { type Static, Type } from 'typebox'
import { Maybe } from '../body/fields.ts'
import type { WebsiteInput } from '../website/family.ts'
import { InWorkspace, PlacesBody, SettingsBody, settingsOf } from '../website/settings.ts'

const fields = { ...SettingsBody.properties, regions: Maybe(PlacesBody) }

export const CreateRuleBody = Type.Object({ ...fields, ...InWorkspace }, { $id: 'CreateRule' })
export const UpdateRuleBody = Type.Object(fields, { $id: 'UpdateRule' })

export const readRule = (sent: Static<typeof UpdateRuleBody>): WebsiteInput => ({
  ...settingsOf(sent),
  places: sent.regions ?? [],
  failureMode: null,
})
