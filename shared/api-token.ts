// API tokens: how they look and how they are recognised. A token is shown once to a person; everywhere else there is only its hash.
import { hash } from 'node:crypto'
import { randomId } from '#shared/ids.ts'

/** `wk_` and 32 base 62 characters: 190 bits that nobody guesses. */
const form = /^wk_[0-9A-Za-z]{32}$/
const formWithin = /wk_[0-9A-Za-z]{32}/
const shownCharacters = 7

export const makeToken = (): string => `wk_${randomId(32)}`

/** False where no installation ever made such a token, so that nobody needs to be asked about it. */
export const looksLikeToken = (text: string): boolean => form.test(text)

/** Whether a text has such a token in it, which nobody is to read. */
export const holdsToken = (text: string): boolean => formWithin.test(text)

/** Hex SHA-256. The token has enough randomness of its own: no salt, no stretching. */
export const hashToken = (token: string): string => hash('sha256', token, 'hex')

/** The first characters, by which a person recognises a key in a list. */
export const tokenPrefix = (token: string): string => token.slice(0, shownCharacters)
