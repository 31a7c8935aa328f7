// Rights of a prober with credentials: it may send requests to the door of its location, and receive the responses in its own inbox. Each
// location has an account without JetStream, which imports only the subjects of the location's door. Therefore a prober's other messages
// stay in this account. Responses stay in it too, whatever reply subject the prober names.
import { subjects } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'

/** Tag that marks credentials of probers. */
export const proberTag = 'prober'

/** Inbox of one credential; no other client can receive messages to it. */
export const proberInboxPrefix = (publicKey: string): string => `_INBOX_${publicKey}`

const doors = subjects.doorOf('*')

/** Subjects that the installation exports to the accounts of locations. An account imports only the subjects of its location. */
export const houseExports = (): object[] => [{ name: doors, subject: doors, type: 'service', response_type: 'Singleton' }]

export const locationImports = (houseAccount: string, locationId: string): object[] => {
  const door = subjects.doorOf(locationId)
  return [{ name: door, subject: door, account: houseAccount, local_subject: door, type: 'service' }]
}

/** Limits of the account of one location. They name no storage, so the account has no JetStream. */
export const locationLimits = (): object => ({
  subs: limits.prober.subscriptions,
  data: -1,
  payload: limits.prober.payloadBytes,
  imports: 1,
  exports: 0,
  wildcards: false,
  conn: limits.prober.connectionsPerLocation,
  leaf: 0,
})

/** Rights of all credentials of a location. The server replaces `{{subject()}}` by the credential's public key. */
export const proberTemplate = (locationId: string): object => ({
  pub: { allow: [subjects.doorOf(locationId)] },
  sub: { allow: [`${proberInboxPrefix('{{subject()}}')}.>`] },
  subs: limits.prober.subscriptions,
  data: -1,
  payload: limits.prober.payloadBytes,
  allowed_connection_types: ['STANDARD'],
})
