// Conversion between the form of a website monitor and `meta`, the values for the fields of its Template. Pure.
import type { CheckField } from '#shared/checks/check-field.ts'
import { minuteWatchFields } from '#shared/checks/watch-fields.ts'
import { url, websiteFields } from '#shared/checks/website/fields.ts'
import { answersIn } from '../parts/form/field-values.ts'
import { hostOf, withScheme } from '../parts/form/with-scheme.ts'

export const allFields: readonly CheckField[] = [...websiteFields, ...minuteWatchFields]

export const formFields: readonly string[] = ['name', ...allFields.map(({ key }) => key)]

/** Returns `meta` from the values of the form, also from collapsed fields. An empty delay is no answer: it follows the installation's setting. */
export function answersOf(values: FormData): Record<string, unknown> {
  const answers = answersIn(allFields, values)
  return { ...answers, [url.key]: withScheme(String(answers[url.key] ?? '')) }
}

/** Returns the monitor's name. If the name is empty, returns the host of the URL. */
export const nameOf = (name: string, url: string): string => name || hostOf(withScheme(url))

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
