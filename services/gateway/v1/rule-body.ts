// A rule as clients of generation 1 send it: the shared settings and regions. It knows no agreement: one that is sent is an unknown
// field, and ignored.
import { Type } from 'typebox'
import { Maybe, shapeReader } from '../fields.ts'
import type { WebsiteInput } from '../website/family.ts'
import { PlacesBody, readPlaces, readSettings, SettingsBody } from '../website/settings.ts'

export const RuleBody = Type.Object({ ...SettingsBody.properties, regions: Maybe(PlacesBody) })

const readShape = shapeReader(RuleBody)

/** Throws malformed (2006) for a wrong JSON type anywhere, else validation (2001) for the first field that is missing or wrong. */
export function readRule(body: Record<string, unknown>): WebsiteInput {
  const sent = readShape(body)
  return { ...readSettings(sent), places: readPlaces(sent.regions, 'regions'), failureMode: null }
}
