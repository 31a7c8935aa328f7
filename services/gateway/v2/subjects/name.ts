// Names of subjects, signals and rules. Each name becomes a slug, so it needs a letter or a digit (reference/custom-subjects 1.9).
import { Type } from 'typebox'
import { limits } from '#shared/limits/limits.ts'
import { hasHiddenCharacters } from '#shared/text/plain-text.ts'
import { slugOf } from '#shared/text/slug.ts'
import { marks } from '../../body/field-values.ts'

const most = limits.subject.nameCharacters
const invalidName = (details: string) => ({ message: 'Invalid name', details })

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
