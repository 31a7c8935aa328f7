// API tokens: their form and their recognition. A token is shown once to a person; only its hash is stored.
import { hash } from 'node:crypto'
import { randomId } from '#shared/text/ids.ts'

/** `wk_` and 32 base 62 characters: 190 random bits. */
const form = /^wk_[0-9A-Za-z]{32}$/
const formWithin = /wk_[0-9A-Za-z]{32}/
const shownCharacters = 7

export const makeToken = (): string => `wk_${randomId(32)}`

/** Returns false if the text cannot be a token, so that no request is needed. */
export const looksLikeToken = (text: string): boolean => form.test(text)

/** Returns true if a text contains an API token, and so must not be shown. */
export const holdsToken = (text: string): boolean => formWithin.test(text)

/** Returns the hex SHA-256. A token is random enough to need no salt and no stretching. */
export const hashToken = (token: string): string => hash('sha256', token, 'hex')

/** Returns the first characters, by which a person recognises a key in a list. */
export const tokenPrefix = (token: string): string => token.slice(0, shownCharacters)
