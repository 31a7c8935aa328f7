// Checks of names and short texts: their length and their characters.
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { hasHiddenCharacters, plainText } from '#shared/text/plain-text.ts'

const usernameForm = /^[a-z0-9][a-z0-9._@+-]*$/

/** Returns a username in the form in which it is compared and stored. Does not check the username. */
export const usernameOf = (text: string): string => text.normalize('NFKC').trim().toLowerCase()

/** Returns the username in its stored form. Throws `validation`. */
export function checkUsername(text: string): string {
  const username = usernameOf(text)
  if (usernameForm.test(username) && username.length <= limits.people.usernameCharacters) return username
  throw invalid(
    'Invalid username',
    `A username has 1 to ${limits.people.usernameCharacters} letters a to z, digits and . _ @ + -, and begins with a letter or a digit`,
    'username',
  )
}

/** Returns a valid username made from a provider's proposal; `user` if no character is left. */
export function usernameFrom(proposal: string): string {
  const kept = usernameOf(proposal)
    .replace(/[^a-z0-9._@+-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
  // Four characters stay free for a suffix such as `-2` in `name-2`.
  return kept.slice(0, limits.people.usernameCharacters - 4) || 'user'
}

/**
 * Returns the trimmed text, which has 1 to `max` characters. Throws `validation` with `message` and `field` for another length or for
 * hidden characters.
 */
export function checkName(text: string, max: number, message: string, what: string, field: string): string {
  const name = checkText(text, max, message, what, field)
  if (name !== '') return name
  throw invalid(message, `${what} has 1 to ${max} characters and is not blank`, field)
}

/** Like `checkName`, but the text may be empty. */
export function checkText(text: string, max: number, message: string, what: string, field: string): string {
  const trimmed = plainText(text)
  if ([...trimmed].length <= max && !hasHiddenCharacters(trimmed)) return trimmed
  throw invalid(message, `${what} has at most ${max} characters, and no control or invisible characters`, field)
}

/** Returns a checked description of a key, an address or a credential. */
export const checkDescription = (text: string, max: number): string =>
  checkText(text, max, 'Invalid description', 'A description', 'description')

const invalid = (message: string, details: string, field: string) => refusal('validation', message, details, field)
