// Form and hash of session tokens. Only the browser stores a token, and only the directory stores its hash.
import { hash } from 'node:crypto'
import { idLength, randomId } from '#shared/text/ids.ts'

/** Length of a token, in characters of base 62. This length gives 256 bits. */
const characters = 43
const form = /^[0-9A-Za-z]{43}$/

/** Creates the id and token of a new session. Every sign-in creates a new session, even if the browser sent a valid cookie. */
export function newSession(): { token: string; session: { id: string; tokenHash: string } } {
  const token = randomId(characters)
  return { token, session: { id: randomId(idLength.session), tokenHash: hashSessionToken(token) } }
}

/** Whether a text has the form of a session token. For a text of another form, the directory is not asked. */
export const looksLikeSessionToken = (text: string): boolean => form.test(text)

/** Returns the hex SHA-256 under which the directory stores a session. No salt is needed, because the token is random. */
export const hashSessionToken = (token: string): string => hash('sha256', token, 'hex')
