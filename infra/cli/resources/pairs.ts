// `key=value` pairs on the command line: labels, values for a Template's fields, and filters by labels and by these values.
import type { Static } from 'typebox'
import { apiPath } from '#shared/api-v3/api-path.ts'
import type { TemplateObject } from '../../../services/gateway/v3/templates/template-object.ts'
import { usageError } from '../../runtime/start-error.ts'
import { orNull } from '../api/look-up-api.ts'
import type { Api } from '../api/with-api.ts'

export type TemplateView = Static<typeof TemplateObject>
type Field = TemplateView['fields'][number]

/** Returns values by key. An empty value becomes null if `mayRemove` is true. Throws a StartError. */
export function readPairs(option: string, pairs: readonly string[], mayRemove: false): Record<string, string>
export function readPairs(option: string, pairs: readonly string[], mayRemove: boolean): Record<string, string | null>
export function readPairs(option: string, pairs: readonly string[], mayRemove: boolean): Record<string, string | null> {
  return Object.fromEntries(
    pairs.map(pair => {
      const [, key, value] = /^([^=]+)=([\s\S]*)$/.exec(pair) ?? []
      if (key === undefined || value === undefined) throw usageError(`${option} must be key=value, not "${pair}".`)
      return [key, value === '' && mayRemove ? null : value]
    }),
  )
}

/** Returns query parameters such as `label.env`. */
export const filterOf = (option: '--meta' | '--label', pairs: readonly string[] = []): Record<string, string> =>
  Object.fromEntries(Object.entries(readPairs(option, pairs, false)).map(([key, value]) => [`${option.slice(2)}.${key}`, value]))

/**
 * Returns values with the JSON types that the Template's fields require. A value that does not fit its field stays a text, which the API
 * refuses.
 */
export async function readAnswers(
  place: { api: Api; root: string },
  reference: string,
  pairs: readonly string[] | undefined,
): Promise<Record<string, unknown> | undefined> {
  if (pairs === undefined) return undefined
  const read = readPairs('--meta', pairs, true)
  const template = await templateOf(place, reference)
  const fields = new Map(template?.fields.map(field => [field.key, field]))
  return Object.fromEntries(
    Object.entries(read).map(([key, text]) => [key, text === null ? null : answerOf(fields.get(key), text)]),
  )
}

/** Returns a Template by `key@version`, or the highest version of `key`; null: there is none. */
export const templateOf = ({ api, root }: { api: Api; root: string }, reference: string): Promise<TemplateView | null> =>
  orNull(reference, named => api.read<TemplateView>(`${root}${apiPath`/templates/${named}`}`))

function answerOf(field: Field | undefined, text: string): unknown {
  if (field === undefined) return looseValue(text)
  if (/_list$/.test(field.type))
    return text.startsWith('[') ? looseValue(text) : text.split(',').map(item => listItem(field, item))
  if (/^(integer|number|duration)/.test(field.type)) return numberOr(text)
  if (field.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}

const listItem = ({ type }: Field, item: string): unknown => (type.startsWith('integer') ? numberOr(item.trim()) : item.trim())

const numberOr = (text: string): number | string => (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text)

/** Returns the parsed value if the text is JSON, else the text. */
export function looseValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const resourcePath = (root: string, id: string) => `${root}${apiPath`/resources/${id}`}`
