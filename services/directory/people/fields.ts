// Names of people: their bounds and forms, each refusal a sentence.
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { hasHiddenCharacters, plainText } from '#shared/text/plain-text.ts'

const usernameForm = /^[a-z0-9][a-z0-9._@+-]*$/

/** How a username is compared and stored. It need not be a valid one. */
export const usernameOf = (text: string): string => text.normalize('NFKC').trim().toLowerCase()

/** The username as it is stored. Throws `validation`. */
export function checkUsername(text: string): string {
  const username = usernameOf(text)
  if (usernameForm.test(username) && username.length <= limits.people.usernameCharacters) return username
  throw invalid(
    'Invalid username',
    `A username has 1 to ${limits.people.usernameCharacters} letters a to z, digits and . _ @ + -, and begins with a letter or a digit`,
    'username',
  )
}

/** Returns a provider's proposal as a valid username; `user` if nothing of it is left. */
export function usernameFrom(proposal: string): string {
  const kept = usernameOf(proposal)
    .replace(/[^a-z0-9._@+-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
  // Room for a number behind it.
  return kept.slice(0, limits.people.usernameCharacters - 4) || 'user'
}

/** A text of 1 to `max` characters without hidden ones, trimmed. Throws `validation` with this message, naming the field. */
export function checkName(text: string, max: number, message: string, what: string, field: string): string {
  const name = checkText(text, max, message, what, field)
  if (name !== '') return name
  throw invalid(message, `${what} has 1 to ${max} characters and is not blank`, field)
}

/** As `checkName`, but may be empty. */
export function checkText(text: string, max: number, message: string, what: string, field: string): string {
  const trimmed = plainText(text)
  if ([...trimmed].length <= max && !hasHiddenCharacters(trimmed)) return trimmed
  throw invalid(message, `${what} has at most ${max} characters, and no control or invisible characters`, field)
}

const invalid = (message: string, details: string, field: string): AppError =>
  new AppError('validation', message, { details, facts: { field } })
