// Conversion between the inputs of a form and the answers to a list of fields. Pure.
import { isSteps } from '#shared/channels/steps.ts'
import type { TextForm } from '#shared/checks/check-field.ts'
import type { Section } from '#shared/checks/sections.ts'
import type { SettingStep } from '#shared/contracts/notifications/destination.ts'
import type { TemplateField } from '#shared/contracts/resources/template.ts'

/** A field that a form draws: of a Template, of a kind of check, or of a type of destination. */
export interface FormField extends Pick<TemplateField, 'key' | 'label' | 'help' | 'required' | 'min' | 'max'> {
  type: TemplateField['type'] | 'steps'
  default: unknown
  options: readonly string[]
  /** For people who fill in a form, in the place of what follows from help, bounds and default. */
  hint?: string
  /** An answer, for people who have given none. */
  example?: string
  /** Section in which it stands, folded; absent: it is shown first. */
  section?: Section
  /** For people, of each option; absent: the options are shown as they are. */
  words?: Readonly<Record<string, string>>
  /** `lines`: a text that may have several lines. `media type`: one without blanks around it. */
  form?: TextForm
  /** True: the present answer is never shown, and stays unless another one is given. */
  isWriteOnly?: boolean
}

/** Answers by the key of their field, as the API takes and returns them. */
export type FieldAnswers = Readonly<Record<string, unknown>>

/** Returns the name of a field's input. */
export type NameOf = (key: string) => string

interface Values {
  get(name: string): unknown
  getAll(name: string): unknown[]
}

/** Whether a field is a box to tick. Without a default, a choice can also say that nothing is set. */
export const isBox = ({ type, default: usual }: FormField): boolean => type === 'boolean' && usual !== null

/**
 * Returns the answers that the inputs hold. An empty input is no answer, so its field has its default. A text that is no number is returned
 * as it was typed, and the API refuses it.
 */
export function answersIn(fields: readonly FormField[], values: Values, nameOf: NameOf = key => key): Record<string, unknown> {
  const answers = fields.flatMap(field => {
    const answer = answerOf(field, values, nameOf(field.key))
    return answer === '' ? [] : [[field.key, answer] as const]
  })
  return Object.fromEntries(answers)
}

/**
 * Returns the answers that differ from the stored ones. A stored answer that is empty now is null: the field gets its default again. A stored
 * empty text or list is the same as no answer.
 */
export function changedAnswers(fields: readonly FormField[], answers: FieldAnswers, stored: FieldAnswers): FieldAnswers {
  const [before, now] = [stored, answers].map(given => new Map(Object.entries(given).filter(([, answer]) => !isNothing(answer))))
  const changed = fields.flatMap(({ key }) => {
    const [was = null, is = null] = [before?.get(key), now?.get(key)]
    return JSON.stringify(was) === JSON.stringify(is) ? [] : [[key, is] as const]
  })
  return Object.fromEntries(changed)
}

const isNothing = (answer: unknown): boolean => answer === '' || (Array.isArray(answer) && answer.length === 0)

/** Returns the text of an answer in its input; empty: no answer. */
export function textOfAnswer({ type }: Pick<FormField, 'type'>, answer: unknown): string {
  if (isSteps(answer)) return answer.map(textOfStep).join('\n')
  if (Array.isArray(answer)) return answer.join(type === 'string_list' ? '\n' : ', ')
  return String(answer ?? '')
}

/** Returns an empty text if the input is empty. */
function answerOf(field: FormField, values: Values, name: string): unknown {
  const { type, form } = field
  if (type === 'location_list') return values.getAll(name)
  if (isBox(field)) return values.get(name) !== null
  const typed = String(values.get(name) ?? '')
  // Blanks around a text may be part of it, such as of a text that a page must contain.
  if ((type === 'string' && form !== 'media type') || type === 'text' || type === 'secret') return typed
  const text = typed.trim()
  if (text === '') return ''
  if (type === 'boolean') return text === 'true'
  if (type === 'string_list') return partsOf(text, /[\r\n]+/)
  if (type === 'steps') return partsOf(text, /[\r\n]+/).map(stepOf)
  if (type === 'integer_list') return partsOf(text, /[\s,;]+/).map(numberOr)
  return isNumber(type) ? numberOr(text) : text
}

export const isNumber = (type: FormField['type']): boolean =>
  type === 'integer' || type === 'number' || type === 'duration' || type === 'duration_seconds'

/** Steps are typed as `On call`, or `On call: 10` with minutes. */
const textOfStep = ({ destination, after_minutes: after }: SettingStep): string =>
  after === 0 ? destination : `${destination}: ${after}`

function stepOf(line: string): SettingStep {
  const [, destination = line, minutes = '0'] = /^(.*\S)\s*:\s*(\d+)$/.exec(line) ?? []
  return { destination, after_minutes: Number(minutes) }
}

const partsOf = (text: string, between: RegExp): string[] =>
  text
    .split(between)
    .map(part => part.trim())
    .filter(part => part !== '')

const numberOr = (text: string): number | string => (Number.isNaN(Number(text)) ? text : Number(text))
