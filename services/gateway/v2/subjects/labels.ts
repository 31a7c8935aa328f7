// Labels of an observation, and labels by which a rule selects observations. The same limits apply to labels of observations and of rules
// (reference/custom-subjects 4.4), but the refusals differ.
import { Type } from 'typebox'
import { locationLabel } from '#shared/judging/policy-input.ts'
import { limits } from '#shared/limits/limits.ts'
import { marks, type Words } from '../../body/field-values.ts'

const { labels: most, labelKeyCharacters, labelValueCharacters } = limits.pushed
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
const controlCharacters = /[\u0000-\u001f\u007f-\u009f]/

interface LabelWords {
  tooMany: Words
  key: Words
  value: Words
  /** Returns the refusal of a reserved key; null: the key is not reserved. */
  reserved?(key: string): Words | null
}

/** Checks the number of labels first, then each key and its value. */
const Labels = (words: LabelWords) => {
  const plain = (key: string) => (controlCharacters.test(key) || !key.isWellFormed() ? words.key : null)
  const Value = Type.String({ maxLength: labelValueCharacters, ...marks({ refusal: words.value }) })
  return Type.Record(Type.String(), Value, {
    maxProperties: most,
    propertyNames: {
      minLength: 1,
      maxLength: labelKeyCharacters,
      ...marks({ refusal: words.key, faultOf: (key: string) => words.reserved?.(key) ?? plain(key) }),
    },
    ...marks({ refusal: words.tooMany }),
  })
}

const invalidLabel = (details: string) => ({ message: 'invalid label', details })

export const SentLabels = Labels({
  tooMany: invalidLabel(`An observation has at most ${most} labels`),
  reserved: key => (key === locationLabel ? invalidLabel(`The label "${locationLabel}" is reserved to probers`) : null),
  key: invalidLabel(`A label key has 1 to ${labelKeyCharacters} characters and no control characters`),
  value: (_place, key) => invalidLabel(`The value of the label "${key}" has more than ${labelValueCharacters} characters`),
})

const inMatch = (sentence: string) => (place: string) => ({ message: 'Invalid rule document', details: `${place} ${sentence}` })

export const MatchedLabels = Labels({
  tooMany: inMatch(`holds at most ${most} labels`),
  key: inMatch(`has keys of 1 to ${labelKeyCharacters} characters without control characters`),
  value: inMatch(`has values of at most ${labelValueCharacters} characters`),
})
