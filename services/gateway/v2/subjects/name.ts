// Names of subjects, signals and rules: their slugs come from them, so that they need a letter or a digit (spec D 1, Slugs).
import { Type } from 'typebox'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits.ts'
import { hasHiddenCharacters } from '#shared/plain-text.ts'
import { slugOf } from '#shared/slug.ts'
import { characters, invalidField, Needed } from '../../fields.ts'

/** What a slug is made from. */
export const NameField = Needed(
  Type.String({
    minLength: 1,
    maxLength: limits.subject.nameCharacters,
    description: 'With a letter or digit; without control and invisible characters.',
  }),
)

/** Throws validation: `Validation failed` where it is missing, else `Invalid name`. */
export function readName(name: string | null | undefined): string {
  if (name === null || name === undefined) throw invalidField("Field 'name' is required")
  if (slugOf(name) === '') throw invalidName('A name needs at least one letter or digit')
  if (hasHiddenCharacters(name)) throw invalidName('A name has no control or invisible characters')
  if (characters(name) <= limits.subject.nameCharacters) return name
  throw invalidName(`A name has at most ${limits.subject.nameCharacters} characters`)
}

const invalidName = (details: string): AppError => new AppError('validation', 'Invalid name', { details })
