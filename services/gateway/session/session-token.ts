// Session tokens: how they look and how they are recognised. The browser has the token, the directory its hash, nobody else either.
import { hash } from 'node:crypto'
import { idLength, randomId } from '#shared/ids.ts'

/** 43 base 62 characters: 256 bits. */
const characters = 43
const form = /^[0-9A-Za-z]{43}$/

/** A session about to begin; every sign-in has a new one, whatever cookie the browser brought. */
export function newSession(): { token: string; session: { id: string; tokenHash: string } } {
  const token = randomId(characters)
  return { token, session: { id: randomId(idLength.session), tokenHash: hashSessionToken(token) } }
}

/** False where nobody here ever made such a token, so that the directory need not be asked. */
export const looksLikeSessionToken = (text: string): boolean => form.test(text)

/** Hex SHA-256: the token has enough randomness of its own. */
export const hashSessionToken = (token: string): string => hash('sha256', token, 'hex')
