// Conversion between the form of a website monitor and `meta`, the values for the fields of its Template. Pure.
import type { CheckField } from '#shared/checks/check-field.ts'
import { httpFields } from '#shared/checks/http/fields.ts'
import { isDelay, usualInterval, watchFields } from '#shared/checks/watch-fields.ts'

/** `meta` of a Resource of a website. A delay is absent if the monitor follows the installation's setting. */
export type WebsiteAnswers = Readonly<Record<string, unknown>>

const allFields: readonly CheckField[] = [...httpFields, ...watchFields]

export const usualAnswers: WebsiteAnswers = {
  ...Object.fromEntries(
    allFields.filter(({ key, required }) => !required && !isDelay(key)).map(field => [field.key, field.default]),
  ),
  ...usualInterval,
}

export const websiteFields: readonly string[] = ['name', ...allFields.map(({ key }) => key)]

interface Values {
  get(name: string): unknown
  getAll(name: string): unknown[]
}

const textIn = (values: Values, name: string): string => {
  const value = values.get(name)
  return typeof value === 'string' ? value.trim() : ''
}

/**
 * Returns `meta` from the values of the form, also from collapsed fields. Omits an empty delay. Returns a text that is no number as typed.
 */
export const answersOf = (values: Values): Record<string, unknown> =>
  Object.fromEntries(
    allFields.filter(({ key }) => !isDelay(key) || textIn(values, key) !== '').map(field => [field.key, answerOf(field, values)]),
  )

function answerOf({ key, type, form }: CheckField, values: Values): unknown {
  const text = textIn(values, key)
  if (type === 'location_list') return values.getAll(key)
  if (type === 'integer_list') return parts(text, /[\s,;]+/).map(numberOr)
  if (type === 'string_list') return parts(text, /[\r\n]+/)
  if (type === 'boolean') return values.get(key) !== null
  if (type === 'string') return form === 'media type' ? text : (values.get(key) ?? '')
  if (type === 'enum') return text
  return type === 'url' ? withScheme(text) : numberOr(text)
}

const parts = (text: string, between: RegExp): string[] =>
  text
    .split(between)
    .map(one => one.trim())
    .filter(one => one !== '')

/**
 * Returns the values in `answers` that differ from the stored values. Unchanged values are not sent. A stored delay that is empty now is
 * sent as null: it follows the installation's setting again.
 */
export function changedAnswers(answers: Readonly<Record<string, unknown>>, stored: object): Record<string, unknown> {
  const before = new Map(Object.entries(stored))
  const emptied = [...before.keys()]
    .filter(name => isDelay(name) && !Object.hasOwn(answers, name))
    .map(name => [name, null] as const)
  const changed = Object.entries(answers).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before.get(name)))
  return Object.fromEntries([...changed, ...emptied])
}

/** Adds the scheme to a URL without a scheme: `shop.example` becomes `https://shop.example`. */
export const withScheme = (url: string): string => (url === '' || /^[a-z][a-z\d+.-]*:/i.test(url) ? url : `https://${url}`)

/** Returns the monitor's name. If the name is empty, returns the host of the URL. */
export const nameOf = (name: string, url: string): string => {
  if (name !== '') return name
  const whole = withScheme(url)
  return URL.canParse(whole) ? new URL(whole).hostname : ''
}

const numberOr = (text: string): number | string => (text === '' || Number.isNaN(Number(text)) ? text : Number(text))

/** Statuses whose responses have no body (RFC 9110, 15.3.5, 15.3.6 and 15.4.5). */
const bodiless = new Set([204, 205, 304])

/**
 * Returns a sentence for each setting by which no check can ever pass, or which no response can ever have. The API accepts these settings,
 * because generations 1 and 2 do.
 */
export function warningsOf({ method, statuses, expected_text: text }: Record<string, unknown>): string[] {
  const wanted = (Array.isArray(statuses) ? statuses : []).filter(status => typeof status === 'number')
  const never = wanted.filter(status => status < 200 || status > 599)
  const isBodiless = wanted.length > 0 && wanted.every(status => bodiless.has(status))
  return [
    ...(never.length > 0 ? [`No response ends with the status ${never.join(' or ')}: a final status is 200 to 599.`] : []),
    ...(text && method === 'HEAD'
      ? ['A response to HEAD has no body, so the text is never found: choose GET, or look for no text.']
      : []),
    ...(text && method !== 'HEAD' && isBodiless
      ? [`A response with the status ${wanted.join(' or ')} has no body, so the text is never found.`]
      : []),
  ]
}
