// Names of subjects, signals and rules: their slugs come from them, so that they need a letter or a digit (spec D 1, Slugs).
import { Type } from 'typebox'
import { limits } from '#shared/limits.ts'
import { hasHiddenCharacters } from '#shared/plain-text.ts'
import { slugOf } from '#shared/slug.ts'
import { marks } from '../../field-values.ts'

const most = limits.subject.nameCharacters
const invalidName = (details: string) => ({ message: 'Invalid name', details })

/** The source of a slug. */
export const NameField = Type.String({
  minLength: 1,
  maxLength: most,
  description: 'With a letter or digit; without control and invisible characters.',
  ...marks({
    faultOf: (name: string) => {
      if (slugOf(name) === '') return invalidName('A name needs at least one letter or digit')
      return hasHiddenCharacters(name) ? invalidName('A name has no control or invisible characters') : null
    },
    refusal: invalidName(`A name has at most ${most} characters`),
  }),
})
