// The fields that a payload template may name (spec D 2, Language), each a text; a value that is missing is the empty text.
export const fieldNames = [
  'kind',
  'status',
  'subject',
  'url',
  'summary',
  'error',
  'locations',
  'lasted',
  'link',
  'workspace',
  'at',
  'rule',
  'action',
  'resource',
  'evidence',
] as const

export type FieldName = (typeof fieldNames)[number]

/**
 * kind: opened, problem, no_data, recovery, acknowledged; status: opening, down, unknown, up, acknowledged; url: what is checked; summary:
 * one line; error: the check's own; locations: comma separated names of those the message is about; lasted: how long so far or in all, for
 * people; link: the subject's page; at: when the message was decided, RFC 3339; rule: its key; action: what it tells a person to do;
 * resource: the subject's key; evidence: what the rule was decided from, one line.
 */
export type TemplateFields = Record<FieldName, string>

export const isFieldName = (name: string): name is FieldName => (fieldNames as readonly string[]).includes(name)
