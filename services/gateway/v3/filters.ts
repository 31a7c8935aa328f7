// Filters of lists by properties of Resources: `template`, `meta.<field>` and `label.<key>`. The directory parses the value of a `meta`
// filter by the field's declaration in the Template. What a reader sees redacted is compared in display form, so that a filter tells nothing
// about a secret. Reference: docs/reference/v3.md, 9.3 and 9.4.
import { Type } from 'typebox'
import { limits } from '#shared/limits/limits.ts'
import { isCredentialName } from '#shared/secrecy/credential-name.ts'
import { invalidParameter } from './read-query.ts'
import { isLabelKey, isLabelValue } from './resources/labels.ts'

const { metaFilters, labelFilters } = limits.v3

export const filterQuery = {
  template: { schema: Type.String({ minLength: 1, maxLength: 100 }), meaning: 'A key, or key@version for one revision.' },
  'meta.': {
    schema: Type.String(),
    most: metaFilters,
    meaning: `\`meta.<field>=<value>\`: Resources that answer so. Needs \`template\`; at most ${metaFilters} of them.`,
  },
  'label.': {
    schema: Type.String(),
    most: labelFilters,
    meaning: `\`label.<key>=<value>\`: Resources with this label; at most ${labelFilters} of them.`,
  },
}

export const filterRefusals = ['422 template', '422 meta.<field>', '422 label.<key>'] as const

type Filter = { key: string; value: string }

/**
 * Returns the filters. `isRedacted`: the reader sees values in display form. Throws `validation` for the first filter above the maximum
 * number, for a label out of bounds, or for a label whose values the reader does not see.
 */
export function readFilters(
  query: Readonly<Record<string, string | number | boolean>>,
  isRedacted: boolean,
): {
  template: string | null
  meta: Filter[]
  labels: Filter[]
  isRedacted: boolean
} {
  const meta = startingWith('meta.', query, metaFilters)
  const labels = startingWith('label.', query, labelFilters)
  for (const { key, value } of labels) {
    if (!isLabelKey(key)) throw invalidParameter(`label.${key}`, `No label has the key '${key}'`)
    if (isRedacted && isCredentialName(key))
      throw invalidParameter(`label.${key}`, `Values of the label '${key}' are hidden from this key`)
    if (!isLabelValue(value)) throw invalidParameter(`label.${key}`, 'The value of a label is a text of 1 to 128 characters')
  }
  const { template } = query
  return { template: typeof template === 'string' ? template : null, meta, labels, isRedacted }
}

function startingWith(prefix: string, query: Readonly<Record<string, string | number | boolean>>, most: number): Filter[] {
  const found = Object.keys(query).filter(name => name.startsWith(prefix))
  const tooMany = found[most]
  if (tooMany !== undefined) throw invalidParameter(tooMany, `A list has at most ${most} filters ${prefix}`)
  return found.map(name => ({ key: name.slice(prefix.length), value: String(query[name]) }))
}
