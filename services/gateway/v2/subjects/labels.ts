// Labels of an observation, and the keys by which a rule selects them (spec D 1, Observation intake).
import { AppError } from '#shared/errors.ts'
import { locationLabel } from '#shared/judging/policy-input.ts'
import { limits } from '#shared/limits.ts'
import { characters } from '../../fields.ts'

const bounds = limits.pushed
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
const controlCharacters = /[\u0000-\u001f\u007f-\u009f]/

/** As sent; absent and null are none. Throws validation `invalid label`. */
export function readLabels(labels: Record<string, string> | null | undefined): Record<string, string> {
  const entries = Object.entries(labels ?? {})
  if (entries.length > bounds.labels) throw invalidLabel(`An observation has at most ${bounds.labels} labels`)
  for (const [key, value] of entries) {
    if (key === locationLabel) throw invalidLabel(`The label "${locationLabel}" is reserved to probers`)
    if (!isLabelKey(key)) {
      throw invalidLabel(`A label key has 1 to ${bounds.labelKeyCharacters} characters and no control characters`)
    }
    if (characters(value) <= bounds.labelValueCharacters) continue
    throw invalidLabel(`The value of the label "${key}" has more than ${bounds.labelValueCharacters} characters`)
  }
  return labels ?? {}
}

export const isLabelKey = (key: string): boolean =>
  key !== '' && characters(key) <= bounds.labelKeyCharacters && !controlCharacters.test(key) && key.isWellFormed()

const invalidLabel = (details: string): AppError => new AppError('validation', 'invalid label', { details })
