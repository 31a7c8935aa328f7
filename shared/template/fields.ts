// Fields that a payload template may contain (reference/messages 3.6). The value of a field is a text; a missing value is the empty text.
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
  'incident',
] as const

export type FieldName = (typeof fieldNames)[number]

/**
 * `kind`: opened, problem, no_data, recovery, acknowledged. `status`: opening, down, unknown, up, acknowledged. `url`: URL of the check.
 * `summary`: one line. `error`: error of the check. `locations`: names of the affected locations, comma separated. `lasted`: duration of
 * the incident so far, or in all if it has ended, for people. `link`: page of the subject. `at`: instant of the decision, RFC 3339.
 * `rule`: key of the rule. `action`: instruction of the rule. `resource`: key of the subject. `evidence`: evidence of the rule, one line. `incident`: id
 * of the incident, the same in every message about it.
 */
export type TemplateFields = Record<FieldName, string>

export const isFieldName = (name: string): name is FieldName => (fieldNames as readonly string[]).includes(name)
