// Conversion between the form of a website monitor and `meta`, the values for the fields of its Template. Pure.
import { usualInterval } from '#shared/manifest/usual-interval.ts'

/** `meta` of a Resource of `website-check@1`, as generation 3 names its fields. */
export interface WebsiteAnswers {
  url: string
  method: string
  content_type: string
  data: string
  statuses: readonly number[]
  expected_text: string
  locations: readonly string[]
  interval_value: number
  interval_unit: 'MINUTE' | 'HOUR'
  failure_mode: string
  /** Confirmation delay, s; absent for a new monitor, which gets the installation's default. */
  confirm_after?: number
  recover_after?: number
}

export const usualAnswers: Omit<WebsiteAnswers, 'url' | 'locations'> = {
  method: 'GET',
  content_type: '',
  data: '',
  statuses: [200],
  expected_text: '',
  ...usualInterval,
  failure_mode: 'at_least_one',
}

const delays = ['confirm_after', 'recover_after'] as const

export const websiteFields: readonly string[] = ['name', ...Object.keys(usualAnswers), ...delays, 'url', 'locations']

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
export function answersOf(values: Values): Record<string, unknown> {
  return {
    url: withScheme(textIn(values, 'url')),
    method: textIn(values, 'method'),
    content_type: textIn(values, 'content_type'),
    data: values.get('data') ?? '',
    statuses: textIn(values, 'statuses')
      .split(/[\s,;]+/)
      .filter(one => one !== '')
      .map(numberOr),
    expected_text: values.get('expected_text') ?? '',
    locations: values.getAll('locations'),
    interval_value: numberOr(textIn(values, 'interval_value')),
    interval_unit: textIn(values, 'interval_unit'),
    failure_mode: textIn(values, 'failure_mode'),
    ...Object.fromEntries(delays.flatMap(name => (textIn(values, name) === '' ? [] : [[name, numberOr(textIn(values, name))]]))),
  }
}

/**
 * Returns the values in `answers` that differ from the stored values. Unchanged values are not sent. A stored delay that is empty now is
 * sent as null: it follows the installation's setting again.
 */
export function changedAnswers(answers: Readonly<Record<string, unknown>>, stored: object): Record<string, unknown> {
  const before = new Map(Object.entries(stored))
  const emptied = delays.filter(name => before.has(name) && !Object.hasOwn(answers, name)).map(name => [name, null] as const)
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
