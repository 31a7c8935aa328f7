// Options of a command that come from the fields of a kind of check: `--expected-text <value>` answers the field `expected_text`.
import { type Command, Option } from 'commander'
import type { CheckField } from '#shared/checks/check-field.ts'
import { mustOf } from '#shared/checks/field-values.ts'
import { valueOfSecret } from '../secret-value.ts'

const wordOf = ({ key }: CheckField): string => key.replaceAll('_', '-')

/** Adds an option for each field. */
export function withFieldOptions(command: Command, fields: readonly CheckField[]): Command {
  for (const field of fields) {
    const { label, secret } = field
    const form = secret ? 'env:variable' : 'value'
    const meaning = `${label[0]?.toLowerCase()}${label.slice(1)}; it must ${mustOf(field)}${secret ? '; from the environment' : ''}`
    command.addOption(new Option(`--${wordOf(field)} <${form}>`, meaning))
  }
  return command
}

/** Returns the given options of fields as pairs of `--meta`. Throws a StartError for a secret that is written out. */
export function pairsOfOptions(fields: readonly CheckField[], options: object): string[] {
  const given = new Map(Object.entries(options))
  return fields.flatMap(field => {
    const [word, text] = [wordOf(field), given.get(new Option(`--${wordOf(field)} <value>`).attributeName())]
    if (typeof text !== 'string') return []
    return [`${field.key}=${field.secret ? valueOfSecret(`--${word} `, field.key, text) : text}`]
  })
}
