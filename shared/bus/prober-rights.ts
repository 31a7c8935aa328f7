// What a prober with credentials may do on the bus: ask at the door of its location, and hear the answers in an inbox of its own.
// Each location has an account of its own. Nothing of JetStream is in it, and of the house's subjects one filter: whatever a prober
// sends, and wherever it lets answers go, stays there.
import { subjects } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits.ts'

/** The tag that tells a prober's credentials from all others. */
export const proberTag = 'prober'

/** The inbox of one credential: what is sent to it nobody else can hear. */
export const proberInboxPrefix = (publicKey: string): string => `_INBOX_${publicKey}`

const doors = subjects.doorOf('*')

/** What the house shows to the accounts of locations; each imports its own part of it. */
export const houseExports = (): object[] => [{ name: doors, subject: doors, type: 'service', response_type: 'Singleton' }]

export const locationImports = (houseAccount: string, locationId: string): object[] => {
  const door = subjects.doorOf(locationId)
  return [{ name: door, subject: door, account: houseAccount, local_subject: door, type: 'service' }]
}

/** Of the account of one location. Where a kind of storage is not named, the account has no JetStream. */
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

/** The rights of every credential of a location; the server puts in its public key. */
export const proberTemplate = (locationId: string): object => ({
  pub: { allow: [subjects.doorOf(locationId)] },
  sub: { allow: [`${proberInboxPrefix('{{subject()}}')}.>`] },
  subs: limits.prober.subscriptions,
  data: -1,
  payload: limits.prober.payloadBytes,
  allowed_connection_types: ['STANDARD'],
})
