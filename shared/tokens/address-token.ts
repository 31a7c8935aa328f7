// Tokens of Observation addresses: 32 random bytes, URL-safe. A token is shown once; only its hash is stored.
import { randomBytes } from 'node:crypto'

const form = /^[0-9A-Za-z_-]{43}$/

/** Returns a token of 43 characters. */
export const makeAddressToken = (): string => randomBytes(32).toString('base64url')

/** Returns false if the text does not have the form of a token. The directory then need not search for it. */
export const looksLikeAddressToken = (text: string): boolean => form.test(text)
