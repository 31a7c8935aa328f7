// Arguments and results that several tools share. Arguments have the names of the API's fields (v3 of docs/reference).
import type { ApiRequest } from '#shared/api-v3/exchange.ts'

export const workspace = {
  type: 'string',
  minLength: 1,
  description: 'Id of the workspace. May be left out if the key reaches one alone.',
} as const
export const resource = { type: 'string', minLength: 1, description: 'Id or key of the Resource.' } as const
export const incident = { type: 'string', minLength: 1, description: 'Id of the Incident.' } as const
export const destination = { type: 'string', minLength: 1, description: 'Id of the destination.' } as const
export const limit = { type: 'integer', minimum: 1, maximum: 50, description: 'Items at most; 50 unless sent.' } as const
export const cursor = { type: 'string', description: 'The next_cursor of the page before.' } as const
export const page = { limit, cursor } as const

export const templateReference = {
  type: 'string',
  minLength: 1,
  description: 'A key, which means its highest version, or key@version.',
} as const
const values = { type: 'object', additionalProperties: true } as const
export const meta = { ...values, description: "Answers to the Template's fields, by the field's key." } as const
export const labels = { ...values, description: 'Texts by key.' } as const
export const manifest = {
  ...values,
  description: 'The Template: key, version, name, signals, rules; summary and fields are optional.',
} as const
const instant = { type: 'string', description: 'RFC 3339 with a zone.' } as const

/** Filters of lists by properties of Resources. */
export const filters = {
  template: { type: 'string', minLength: 1, description: 'Key of a Template, or key@version.' },
  meta: { ...values, description: 'Answers that must be equal, by field; needs template. At most 5.' },
  labels: { ...values, description: 'Labels that must be equal. At most 5.' },
} as const

export const observation = {
  signal: { type: 'string', minLength: 1, description: 'Key of the signal.' },
  state: { type: 'string', enum: ['ok', 'problem', 'no_data'], description: 'no_data: no evidence this time, never health.' },
  value: { type: 'number' },
  reason: { type: 'string', description: 'One line, 200 characters at most.' },
  labels,
  at: { ...instant, description: 'RFC 3339 with a zone; the time of arrival unless sent.' },
  id: { type: 'string', minLength: 1, maxLength: 128, description: 'Of the sender: the same id again stores nothing.' },
  kind: {
    type: 'string',
    enum: ['heartbeat', 'periodic', 'event'],
    description: 'Declares a signal that the Resource does not have.',
  },
  body: { ...values, description: 'Context as JSON, 16 KiB at most.' },
} as const
export const at = instant

const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const
const object = (properties: Record<string, object>) => ({ type: 'object', properties, required: Object.keys(properties) })

/** Schemas of results name only the fields that every client needs. The API may return more. */
export const results = {
  list: (item: object) => ({ type: 'array', items: item }),
  workspace: object({ id: text, name: text, role: text }),
  resource: object({ id: text, key: text, name: text, template: textOrNull }),
  template: object({ id: text, key: text, version: { type: 'integer' }, rules: { type: 'array' } }),
  incident: object({ id: text, rule: text, lifecycle: text, confirmation: text, condition: text, explanation: text }),
  logged: object({ id: text, signal: text, state: text, at: text }),
  delivery: object({ at: text, event: text, status: text, reason: textOrNull }),
  accepted: object({ resource: text, signal: text, observation: text, created_signal: { type: 'boolean' } }),
  destination: object({ id: text, name: text, type: text, enabled: { type: 'boolean' } }),
  object,
  text,
  textOrNull,
}

type Query = NonNullable<ApiRequest['query']>
type Values = Readonly<Record<string, unknown>> | undefined

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
