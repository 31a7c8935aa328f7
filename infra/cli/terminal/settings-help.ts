// Part of `--help` that lists every setting with default, unit and meaning, generated from the declarations.
import type { Setting } from '#shared/settings.ts'
import { shownSettings } from '../../runtime/all-settings.ts'

const indent = ' '.repeat(4)

export function settingsHelp(): string {
  const groups = shownSettings().flatMap(({ title, settings }) => [
    `  ${title}`,
    ...settings.flatMap(([name, setting]) => describe(name, setting)),
  ])
  return ['', 'Settings, from the environment:', ...groups].join('\n')
}

function describe(name: string, setting: Setting<unknown>): string[] {
  const value = setting.default === '' ? 'unset' : setting.default
  const unit = setting.unit === '' ? '' : ` (${setting.unit})`
  return [`${indent}${name}=${value}${unit}`, `${indent}${indent}${setting.meaning}`]
}
