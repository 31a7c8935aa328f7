// Page docs/settings.md, generated from the declared settings. Run as a program, this file writes the page. A test checks that the page is
// up to date.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Setting } from '#shared/settings.ts'
import { shownSettings } from '../runtime/all-settings.ts'

const head = `# Settings

Every setting is an environment variable, read once at the start. An invalid value ends the start with a sentence that names the setting. This
page is generated from the declared settings (\`npm run docs\`); \`npm start -- --help\` prints the same.

An empty value counts as unset. The settings of a cluster are in \`infra/compose/compose.yaml\` and \`infra/kubernetes/watchkeeper.yaml\`.
`

export function settingsPage(): string {
  const groups = shownSettings().map(({ title, settings }) => {
    const rows = settings.map(([name, setting]) => row(name, setting))
    return [`## ${title}`, '', '| setting | default | meaning |', '|---|---|---|', ...rows, ''].join('\n')
  })
  return [head, ...groups].join('\n')
}

function row(name: string, setting: Setting<unknown>): string {
  const value = setting.default === '' ? 'unset' : `\`${setting.default}\``
  const unit = setting.unit === '' ? '' : ` (${setting.unit})`
  const secret = setting.secret ? ' A secret: never shown.' : ''
  return `| \`${name}\` | ${value} | ${cell(`${setting.meaning}${unit === '' ? '' : unit}${secret}`)} |`
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

if (process.argv[1] === import.meta.filename) {
  writeFileSync(join(import.meta.dirname, '..', '..', 'docs', 'settings.md'), settingsPage())
}
