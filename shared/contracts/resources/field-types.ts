// Types of the fields of a Template. Reference: docs/reference/v3.md, 3.4.

/** Types of fields. `text`: may have several lines. `secret`: a text that is stored sealed and shown to nobody. */
export const fieldTypes = [
  'string',
  'integer',
  'number',
  'boolean',
  'enum',
  'duration',
  'duration_seconds',
  'string_list',
  'integer_list',
  'url',
  'location_list',
  'text',
  'secret',
] as const
export type FieldType = (typeof fieldTypes)[number]

/** Maximum of a delay, and of an answer that is a duration: one year, in seconds. */
export const maxSeconds = 31_536_000
