// Conversion between the inputs of a form and the answers to a list of fields. Pure.
import type { SentField } from '#shared/contracts/resources/sent-template.ts'

/** What a form needs to know of a field. */
export type FormField = Pick<SentField, 'key' | 'label' | 'help' | 'type' | 'required' | 'default' | 'options' | 'min' | 'max'>

/** Answers by the key of their field, as the API takes and returns them. */
export type FieldAnswers = Readonly<Record<string, unknown>>

interface Values {
  get(name: string): unknown
}

/**
 * Returns the answers that the inputs hold. An empty input is no answer, so its field has its default. A text that is no number is returned
 * as it was typed, and the API refuses it. `nameOf`: name of a field's input.
 */
export function answersIn(fields: readonly FormField[], values: Values, nameOf: (key: string) => string): FieldAnswers {
  const answers = fields.flatMap(field => {
    const value = values.get(nameOf(field.key))
    const text = typeof value === 'string' ? value.trim() : ''
    return text === '' ? [] : [[field.key, answerOf(field.type, text)] as const]
  })
  return Object.fromEntries(answers)
}

/** Returns the answers that differ from the stored ones. A stored answer that is empty now is null: the field gets its default again. */
export function changedAnswers(fields: readonly FormField[], answers: FieldAnswers, stored: FieldAnswers): FieldAnswers {
  const before = new Map(Object.entries(stored))
  const now = new Map(Object.entries(answers))
  const changed = fields.flatMap(({ key }) => {
    const [was, is] = [before.get(key) ?? null, now.get(key) ?? null]
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [[key, is] as const]
  })
  return Object.fromEntries(changed)
}

/** Returns the text of an answer in its input; empty: no answer. */
export function textOfAnswer({ type }: Pick<FormField, 'type'>, answer: unknown): string {
  if (answer === null || answer === undefined) return ''
  if (Array.isArray(answer)) return answer.join(type === 'string_list' ? '\n' : ', ')
  return String(answer)
}

function answerOf(type: FormField['type'], text: string): unknown {
  switch (type) {
    case 'integer':
    case 'number':
    case 'duration':
    case 'duration_seconds':
      return numberOr(text)
    case 'boolean':
      return text === 'true'
    case 'string_list':
      return partsOf(text, /\n/)
    case 'integer_list':
      return partsOf(text, /[\s,;]+/).map(numberOr)
    default:
      return text
  }
}

const partsOf = (text: string, between: RegExp): string[] =>
  text
    .split(between)
    .map(part => part.trim())
    .filter(part => part !== '')

const numberOr = (text: string): number | string => (Number.isNaN(Number(text)) ? text : Number(text))
