// Session tokens: their form and their hash. Only the browser holds the token, and only the directory stores its hash.
import { hash } from 'node:crypto'
import { idLength, randomId } from '#shared/text/ids.ts'

/** Length of a token in base 62 characters: 256 bits. */
const characters = 43
const form = /^[0-9A-Za-z]{43}$/

/** Creates the id and token of a new session. Every sign-in creates a new session, even if the browser sent a valid cookie. */
export function newSession(): { token: string; session: { id: string; tokenHash: string } } {
  const token = randomId(characters)
  return { token, session: { id: randomId(idLength.session), tokenHash: hashSessionToken(token) } }
}

/** Whether a text has the form of a session token. For any other text the directory is not asked. */
export const looksLikeSessionToken = (text: string): boolean => form.test(text)

/** Hex SHA-256. No salt is needed, because the token is random enough. */
export const hashSessionToken = (token: string): string => hash('sha256', token, 'hex')
