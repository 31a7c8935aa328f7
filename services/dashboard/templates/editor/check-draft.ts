// A signal of a draft that is checked: its type, its options, and the fields of the draft that they read. Pure.
import { failureMode } from '#shared/checks/watch-fields.ts'
import type { FormField } from '../../parts/form/field-values.ts'
import type { ListedOption } from '../../resource/check-kinds.ts'
import { type Draft, isObject, itemsAt, textAt, valueAt, withItem, withValue } from './draft.ts'
import { locationType } from './editor.ts'

type Field = Record<string, unknown>

const fieldsOf = (draft: Draft): Field[] => itemsAt(draft, 'fields').filter(isObject)

const keysOf = (fields: readonly Field[]): string[] => fields.map(field => textAt(field, 'key')).filter(key => key !== '')

const isOneOf = (options: readonly string[], field: Field): boolean =>
  itemsAt(field, 'options').every(one => options.includes(String(one)))

/** Returns the keys of the draft's fields that the option may read. */
export const fieldsTaken = (draft: Draft, { type, takes, options }: Pick<ListedOption, 'type' | 'takes' | 'options'>): string[] =>
  keysOf(
    fieldsOf(draft).filter(field => takes.some(taken => taken === field['type']) && (type !== 'enum' || isOneOf(options, field))),
  )

/** Returns the keys of the draft's fields from whose Locations a signal can be checked. */
export const locationFields = (draft: Draft): string[] =>
  keysOf(fieldsOf(draft).filter(field => field['type'] === locationType && field['required'] === true))

/** The first one also means `at_least_one`. */
const words = ['any', ...failureMode.options]

/** Returns the keys of the draft's fields that can state an agreement. */
export const agreementFields = (draft: Draft): string[] =>
  keysOf(fieldsOf(draft).filter(field => field['type'] === 'enum' && isOneOf(words, field)))

/** Returns the draft in which the place reads a new field. The field has the wanted key, or a key with a number if that one is taken. */
function withNewField(draft: Draft, place: string, { key: wanted, ...field }: Field & { key: string }): Draft {
  const taken = keysOf(fieldsOf(draft))
  let key = wanted
  for (let n = 2; taken.includes(key); n++) key = `${wanted}_${n}`
  return withValue(withItem(draft, 'fields', { key, ...field }), place, { meta: key })
}

export const withNewLocations = (draft: Draft, at: string): Draft =>
  withNewField(draft, `${at}.locations`, { key: 'locations', label: 'Locations', type: locationType, required: true })

/** Returns the draft in which the option of the signal at `at` reads a new field with the option's bounds. */
export function withNewAnswer(draft: Draft, at: string, option: ListedOption): Draft {
  const { key, label, takes, required, options, min, max } = option
  const [type = option.type] = takes
  const isNumeric = type === 'integer' || type === 'number'
  return withNewField(draft, `${at}.check.${key}`, {
    ...{ key, label, type },
    ...(required && { required }),
    ...(type === 'enum' && { options: [...options] }),
    ...(isNumeric && min !== null && { min }),
    ...(isNumeric && max !== null && { max }),
  })
}

/**
 * Returns the draft in which the signal makes checks of a type, from the Locations of a field. Each required option reads a field of the
 * option's key, which is added if the draft has none that fits.
 */
export function withCheckType(draft: Draft, at: string, type: string, options: readonly ListedOption[]): Draft {
  const [known] = locationFields(draft)
  const begun = withValue(draft, `${at}.check`, { type })
  const placed = isObject(valueAt(draft, `${at}.locations`))
    ? begun
    : known === undefined
      ? withNewLocations(begun, at)
      : withValue(begun, `${at}.locations`, { meta: known })
  return options
    .filter(({ required }) => required)
    .reduce(
      (whole, option) =>
        fieldsTaken(whole, option).includes(option.key)
          ? withValue(whole, `${at}.check.${option.key}`, { meta: option.key })
          : withNewAnswer(whole, at, option),
      placed,
    )
}

/** Returns examples of answers to the fields that the signal's options read, by the key of the field. A field with a default needs none. */
export const examplesFor = (draft: Draft, at: string, options: readonly ListedOption[]): [key: string, example: string][] =>
  options.flatMap(({ key, example }) => {
    const read = textAt(draft, `${at}.check.${key}.meta`)
    const isWithout = fieldsOf(draft).some(field => textAt(field, 'key') === read && field['default'] === undefined)
    return example !== null && isWithout ? [[read, example]] : []
  })

/** Whether the option reads nothing but secrets, so that a Template can state no value. */
export const isOnlySecret = ({ takes }: Pick<ListedOption, 'takes'>): boolean => takes.every(type => type === 'secret')

/** Returns the option as a field of a form, for a value that the Template states. */
export function valueFieldOf(option: ListedOption): FormField {
  const { key, label, help, type, required, default: usual, options, words: ofOptions, example, lines, min, max } = option
  return {
    ...{ key, label: `${label}: value`, help, required, default: usual, options, min, max },
    // A Template states no secret. An option that takes one may also have a plain text.
    type: type === 'secret' ? (lines ? 'text' : 'string') : type,
    ...(ofOptions && { words: ofOptions }),
    ...(example && { example }),
    ...(lines && { form: 'lines' }),
  }
}

/** Returns what the draft states for an answer in the form; undefined: nothing, because the option has this value by itself. */
export const statedOf = ({ default: usual }: Pick<ListedOption, 'default'>, answer: unknown): unknown =>
  JSON.stringify(answer) === JSON.stringify(usual) ? undefined : answer
