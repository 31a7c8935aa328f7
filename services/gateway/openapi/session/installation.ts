// Routes of administrators: locations and the credentials of probers (docs/session-api.md).
import { Type } from 'typebox'
import { Answered, Instant, OrNull } from '../../result-schema.ts'
import { LocationChange, NewLocation } from '../../session/locations.ts'
import { NewCredential } from '../../session/prober-credentials.ts'
import type { SessionDescriptions } from './description.ts'

const Place = Answered('Place', {
  id: Type.String(),
  name: Type.String(),
  display_name: OrNull(Type.String()),
  active_workers_count: Type.Integer({ minimum: 0, description: 'Probers that serve it now.' }),
})

const credentialFields = {
  id: Type.String(),
  location_id: Type.String(),
  location: Type.String({ description: 'Its name.' }),
  description: Type.String(),
  created_at: Instant,
  revoked_at: OrNull(Instant),
}
const Credential = Answered('ProberCredential', credentialFields)
const MadeCredential = Answered('MadeProberCredential', {
  ...credentialFields,
  credentials: Type.String({ description: "The file's text, shown here alone." }),
})

export const installation: SessionDescriptions = {
  'GET /session/locations': {
    summary: 'The locations that probers check from.',
    who: 'signed in',
    status: 200,
    result: Answered('Places', { locations: Type.Array(Place) }),
  },
  'POST /session/locations': {
    summary: 'Makes a location.',
    who: 'admin',
    body: NewLocation,
    example: { name: 'frankfurt', display_name: 'Frankfurt' },
    status: 201,
    result: Place,
    refusals: ['conflict'],
  },
  'PATCH /session/locations/{locationId}': {
    summary: 'Renames a location; `display_name: null` removes that.',
    who: 'admin',
    body: LocationChange,
    example: { display_name: 'Frankfurt am Main' },
    status: 200,
    result: Place,
    refusals: ['not_found'],
  },
  'DELETE /session/locations/{locationId}': {
    summary: 'Deletes a location that no monitor uses.',
    who: 'admin',
    status: 204,
    refusals: ['not_found', 'conflict'],
  },
  'GET /session/prober-credentials': {
    summary: 'The credentials of probers on other machines.',
    who: 'admin',
    status: 200,
    result: Type.Object({ prober_credentials: Type.Array(Credential) }, { additionalProperties: false }),
  },
  'POST /session/prober-credentials': {
    summary: 'Makes a credential for a prober of a location.',
    who: 'admin',
    body: NewCredential,
    example: { location: 'frankfurt', description: 'rack 4' },
    status: 201,
    result: MadeCredential,
    refusals: ['conflict', 'not_found'],
  },
  'DELETE /session/prober-credentials/{credentialId}': {
    summary: 'Revokes a credential; its prober is cut off.',
    who: 'admin',
    status: 204,
    refusals: ['not_found'],
  },
}
