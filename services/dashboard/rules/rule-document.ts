// Conversion between the document of a rule and the fields of its form. Pure. The form does not check limits, because the server checks
// them.
import { Refusal } from '../data/api.ts'

export interface RuleInput {
  signal?: string
  from?: string
  mode?: 'status' | 'latest_value'
  compare?: '<' | '>'
  threshold?: number
  match?: Readonly<Record<string, string>>
  no_data_after?: string
}

export interface RuleDocument {
  inputs: readonly RuleInput[]
  decision: { need: string; at_least?: number }
  wait: { confirm_after: string; close_after: string }
}

/** Values of the fields of one input. `of`: `signal:<slug>` or `rule:<slug>`. `mode`: `status`, `>` or `<`. */
export interface InputFields {
  of: string
  mode: string
  threshold: string
  match: string
  no_data_after: string
}

export const fieldsOf = ({ signal, from, compare, threshold, match, no_data_after: after }: RuleInput): InputFields => ({
  of: from === undefined ? `signal:${signal ?? ''}` : `rule:${from}`,
  mode: compare ?? 'status',
  threshold: threshold === undefined ? '' : String(threshold),
  match: Object.entries(match ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join('\n'),
  no_data_after: after ?? '',
})

/** Returns `2m` for `2m0s`, as a person writes this duration. */
export const shortDuration = (text: string): string => text.replaceAll(/(?<=[hm])0[ms]/g, '')

const inputParts = ['of', 'mode', 'threshold', 'match', 'no_data_after'] as const

/** Returns the name of a field of the form, such as `inputs.0.mode`. */
export const inputField = (i: number, part: (typeof inputParts)[number]): string => `inputs.${i}.${part}`

export const ruleFields = (inputs: number): string[] => [
  ...['name', 'decision.need', 'decision.at_least', 'wait.confirm_after', 'wait.close_after', 'inputs'],
  ...Array.from({ length: inputs }, (_, i) => inputParts.map(part => inputField(i, part))).flat(),
]

interface Values {
  get(name: string): unknown
}

/**
 * Returns the rule's document from the fields of a form. `inputs`: number of inputs in the form. Throws a Refusal for labels or a number
 * that cannot be parsed.
 */
export function documentOf(values: Values, inputs: number): object {
  const need = textIn(values, 'decision.need')
  const waits = ['confirm_after', 'close_after'] as const
  return {
    inputs: Array.from({ length: inputs }, (_, i) => inputOf(values, i)),
    decision: { need, ...(need === 'at_least' ? { at_least: numberOr(textIn(values, 'decision.at_least')) } : {}) },
    wait: Object.fromEntries(waits.flatMap(name => set(name, durationIn(values, `wait.${name}`)))),
  }
}

function inputOf(values: Values, i: number): object {
  const [kind, ...slug] = textIn(values, inputField(i, 'of')).split(':')
  if (kind === 'rule') return { from: slug.join(':') }
  const mode = textIn(values, inputField(i, 'mode'))
  const compared = mode === '<' || mode === '>'
  return {
    signal: slug.join(':'),
    ...(compared
      ? { mode: 'latest_value', compare: mode, threshold: thresholdIn(values, inputField(i, 'threshold')) }
      : { mode: 'status' }),
    match: labelsOf(textIn(values, inputField(i, 'match')), inputField(i, 'match')),
    ...Object.fromEntries(set('no_data_after', durationIn(values, inputField(i, 'no_data_after')))),
  }
}

function thresholdIn(values: Values, field: string): number {
  const number = numberOr(textIn(values, field))
  if (typeof number === 'number') return number
  throw new Refusal(422, '', noNumber, field)
}

const noNumber = 'Give a number to compare with.'

const set = (name: string, value: string): [string, string][] => (value === '' ? [] : [[name, value]])

/** Reads one label from each line. */
function labelsOf(text: string, field: string): Record<string, string> {
  const lines = text.split('\n').flatMap(line => (line.trim() === '' ? [] : [line.trim()]))
  return Object.fromEntries(
    lines.map(line => {
      const at = line.indexOf('=')
      if (at < 1) throw new Refusal(422, '', 'Write one label a line, as in host=db1.', field)
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
    }),
  )
}

const textIn = (values: Values, name: string): string => {
  const value = values.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

/** Returns the typed duration without blanks: `1h30m` for `1 h 30 m`. */
const durationIn = (values: Values, name: string): string => textIn(values, name).replaceAll(/\s+/g, '')

/** Returns the typed text as a number. Returns a text that is no number unchanged, and the server refuses it. */
const numberOr = (text: string): number | string => (text === '' || Number.isNaN(Number(text)) ? text : Number(text))

const movedParts: Readonly<Record<string, string>> = { signal: 'of', from: 'of', compare: 'mode' }

/**
 * Converts a refusal of the document: the field of the document becomes the field of the form, and the sentence omits the path. Other
 * refusals stay unchanged.
 */
export function placed(refusal: Refusal): Refusal {
  const place = (refusal.field ?? '').replace(/^document\./, '')
  const [first = '', second, third] = place.split(/[.[\]]+/)
  if (first !== 'inputs' && first !== 'decision' && first !== 'wait') return refusal
  const part = third === undefined || third === '' ? 'of' : (movedParts[third] ?? third)
  const field = first === 'inputs' && second ? `inputs.${second}.${part}` : [first, second].filter(Boolean).join('.')
  const words = third === 'threshold' ? noNumber : wordsBeside(refusal.message, place)
  return new Refusal(refusal.status, refusal.code, words, field)
}

/** Returns the sentence without the path at its beginning. */
function wordsBeside(sentence: string, place: string): string {
  const at = sentence.toLowerCase().indexOf(place.toLowerCase())
  if (at < 0) return sentence
  const rest = sentence.slice(at + place.length).replace(/^'?:? /, '')
  return /^the /.test(rest) ? `T${rest.slice(1)}` : `This ${rest}`
}
