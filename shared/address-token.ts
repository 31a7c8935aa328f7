// Tokens of Observation addresses: 32 random bytes, URL-safe. A token is shown once; everywhere else there is only its hash.
import { randomBytes } from 'node:crypto'

const form = /^[0-9A-Za-z_-]{43}$/

/** 43 characters. */
export const makeAddressToken = (): string => randomBytes(32).toString('base64url')

/** False if no installation ever made such a token, so that the directory need not look for it. */
export const looksLikeAddressToken = (text: string): boolean => form.test(text)
