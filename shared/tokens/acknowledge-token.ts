// Tokens of acknowledge links: who has one may take one incident on, by the message in which it stands, until it expires. No token is stored:
// its signature proves it. Pure.
import { createHmac } from 'node:crypto'
import { randomId } from '#shared/text/ids.ts'
import { day, second } from '#shared/time/time-units.ts'
import { hashToken } from './api-token.ts'

/** What a token says. */
export interface AcknowledgeClaims {
  /** Internal id of the incident. */
  incidentId: string
  /** Internal id of the destination whose message has the link. */
  destinationId: string
  /** Instant from which the token is worth nothing, whole seconds in ms since the epoch. */
  expiresAt: number
}

/** A key that signs tokens. `id`: part of each token; `secret`: base64. */
export interface AcknowledgeKey {
  id: string
  secret: string
}

/** What a token says, and the id of the key that must have signed it. */
export type UnprovenClaims = AcknowledgeClaims & { keyId: string }

const lifeMs = 7 * day
const version = '1'
const macBytes = 32
export const keyIdCharacters = 6
const form = /^1[0-9A-Za-z_-]{60,199}$/
/** No id has this character. */
const separator = '~'

/** Returns the instant at which a token expires whose message was made at this instant, ms. */
export const acknowledgeExpiry = (madeAt: number): number => Math.floor((madeAt + lifeMs) / second) * second

/** Returns a token of at most 200 characters, which needs no escape in an address, a form, JSON or HTML. */
export function makeAcknowledgeToken({ incidentId, destinationId, expiresAt }: AcknowledgeClaims, key: AcknowledgeKey): string {
  const said = [key.id, incidentId, destinationId, (expiresAt / second).toString(36)].join(separator)
  const mac = createHmac('sha256', Buffer.from(key.secret, 'base64')).update(version + separator + said)
  // The signature comes first, so that the last character is a letter or a digit: programs leave others out of a link in a text.
  return version + Buffer.concat([mac.digest(), Buffer.from(said)]).toString('base64url')
}

/** Returns a text as long as the token, for a message whose token is not made yet. Nobody can guess it, so no text from outside has it. */
export const acknowledgeStandIn = (claims: AcknowledgeClaims): string =>
  randomId(makeAcknowledgeToken(claims, { id: '0'.repeat(keyIdCharacters), secret: '' }).length)

/** Returns what a text says if it is a token, which `isProven` checks; null: it does not have the form of a token. */
export function readAcknowledgeToken(token: string): UnprovenClaims | null {
  if (!form.test(token)) return null
  const said = Buffer.from(token.slice(version.length), 'base64url').subarray(macBytes).toString('utf8')
  const [, keyId = '', incidentId = '', destinationId = '', expires = ''] = saidForm.exec(said) ?? []
  return keyId === '' ? null : { keyId, incidentId, destinationId, expiresAt: Number.parseInt(expires, 36) * second }
}

const saidForm = /^([0-9A-Za-z]{6})~([0-9A-Za-z_.-]{1,64})~([0-9A-Za-z_.-]{1,64})~([0-9a-z]{1,8})$/

/**
 * Returns whether one of the keys signed the token with this hash (`hashToken`), and the token has not expired. So the token itself need
 * not be sent to who has the keys. `now`: ms since the epoch.
 */
export function isProven(
  { keyId, ...claims }: UnprovenClaims,
  tokenHash: string,
  keys: readonly AcknowledgeKey[],
  now: number,
): boolean {
  const key = keys.find(({ id }) => id === keyId)
  return key !== undefined && claims.expiresAt > now && hashToken(makeAcknowledgeToken(claims, key)) === tokenHash
}
