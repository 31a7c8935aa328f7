// Page docs/checks.md, generated from the fields of the registered kinds of checks. Run as a program, this file writes the page. A test
// checks that the page is up to date.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CheckField } from '#shared/checks/check-field.ts'
import type { CheckKind } from '#shared/checks/check-kind.ts'
import { mustOf } from '#shared/checks/field-values.ts'
import { checkKinds } from '#shared/checks/registry.ts'
import { allWatchFields } from '#shared/checks/watch-fields.ts'

const head = `# Kinds of checks

A monitor that probers check is a Resource of a system Template. Its fields are the options of its kind of check, and those that every check
has. This page is generated from the declared fields (\`npm run docs\`); \`./watchkeeper check kinds\` and \`GET /api/v3/checks\` list the options,
too.

A secret is hidden from viewers and scoped keys, and stands in no message, log or exported file.
`

const watching = `## Every check

From where and how often it is made, and when it counts as down. A website check has \`interval_value\` and
\`interval_unit\`, and follows the delays of the installation unless it names its own. Every other Template has \`interval_seconds\`, with a
default of its own. A certificate check has no delays.
`

export function checksPage(kinds: readonly CheckKind[] = checkKinds()): string {
  const offered = kinds.filter(({ isSuperseded }) => !isSuperseded)
  const superseded = kinds.filter(kind => !offered.includes(kind)).map(supersededSection)
  return [head, ...offered.map(section), `${watching}\n${table(allWatchFields)}`, ...superseded].join('\n')
}

function section({ key, name, help, value, fields, templates }: CheckKind): string {
  return `## ${name}\n\nThe kind \`${key}\`, of the Template ${namesOf(templates)}. ${help} Its value is the ${value.name.toLowerCase()} in ${value.unit}.\n\n${table([...fields, ...(templates.at(-1)?.fields ?? [])])}`
}

const supersededSection = ({ name, templates }: CheckKind): string =>
  `## ${name}\n\nMonitors of the Template ${namesOf(templates)} go on as they are. The kinds above can do the same and more.\n`

const namesOf = (templates: CheckKind['templates']): string =>
  templates.map(({ key, version }) => `\`${key}@${version}\``).join(', ')

const table = (fields: readonly CheckField[]): string =>
  ['| field | an answer must | default | meaning |', '|---|---|---|---|', ...fields.map(row), ''].join('\n')

function row(field: CheckField): string {
  const { key, label, hint = '', help, required, secret, default: usual } = field
  const unset = required ? 'required' : 'none'
  const meaning = [`${label}.`, help || hint, secret ? 'A secret.' : ''].filter(Boolean).join(' ')
  return `| \`${key}\` | ${cell(mustOf(field))} | ${usual === null ? unset : `\`${cell(JSON.stringify(usual))}\``} | ${cell(meaning)} |`
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(import.meta.dirname, '..', '..', 'docs', 'checks.md'), checksPage())
}
