// Arguments that several tools share; agents read them many times, so their words are few. Arguments have the names of the API's fields (v3 of docs/reference).
import type { ApiRequest } from '#shared/api-v3/exchange.ts'

export const workspace = {
  type: 'string',
  minLength: 1,
  description: 'Id; the only one unless sent.',
} as const
export const resource = { type: 'string', minLength: 1, description: 'Id or key.' } as const
export const incident = { type: 'string', minLength: 1, description: 'Id.' } as const
export const destination = { type: 'string', minLength: 1, description: 'Id.' } as const
export const limit = { type: 'integer', minimum: 1, maximum: 50 } as const
export const cursor = { type: 'string', description: 'The next_cursor before.' } as const
export const page = { limit, cursor } as const

export const templateReference = {
  type: 'string',
  minLength: 1,
  description: 'key or key@version.',
} as const
const values = { type: 'object' } as const
export const meta = { ...values, description: "Answers to the Template's fields." } as const
export const labels = { ...values, description: 'Texts by key.' } as const
export const manifest = {
  ...values,
  description: 'key, version, name, signals, rules; summary and fields if needed.',
} as const
const instant = { type: 'string', description: 'RFC 3339 with a zone.' } as const

/** Filters of lists by properties of Resources. */
export const filters = {
  template: { type: 'string', minLength: 1, description: 'key or key@version.' },
  meta: { ...values, description: 'Equal answers, 5 at most; needs template.' },
  labels: { ...values, description: 'Equal labels, 5 at most.' },
} as const

export const observation = {
  signal: { type: 'string', minLength: 1, description: 'Its key.' },
  state: { type: 'string', enum: ['ok', 'problem', 'no_data'], description: 'no_data: no evidence, never health.' },
  value: { type: 'number' },
  reason: { type: 'string', description: 'One line of 200 characters.' },
  labels,
  at: { ...instant, description: 'RFC 3339 with a zone; now unless sent.' },
  id: { type: 'string', minLength: 1, maxLength: 128, description: 'The same id again stores nothing.' },
  kind: {
    type: 'string',
    enum: ['heartbeat', 'periodic', 'event'],
    description: 'Declares a new signal.',
  },
  body: { ...values, description: '16 KiB at most.' },
} as const
export const at = instant

type Query = NonNullable<ApiRequest['query']>
type Values = object | undefined

/** Returns the filters as query parameters: `meta.<field>` and `label.<key>`. */
export function filterQuery({ meta, labels }: { meta?: Values; labels?: Values }): Query {
  return Object.fromEntries([
    ...Object.entries(meta ?? {}).map(([field, value]) => [`meta.${field}`, shown(value)]),
    ...Object.entries(labels ?? {}).map(([key, value]) => [`label.${key}`, shown(value)]),
  ])
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Returns the query parameters of a list. */
export const pageQuery = ({ limit = 50, cursor }: { limit?: number; cursor?: string | undefined }): Query => ({ limit, cursor })
