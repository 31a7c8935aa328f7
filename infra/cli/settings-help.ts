// The part of `--help` that lists every setting with its default, unit and meaning, from where each is declared.
import type { Setting } from '#shared/settings.ts'
import { settingGroups } from '../embedded/all-settings.ts'

const indent = ' '.repeat(4)

export function settingsHelp(): string {
  const listed = new Set<string>()
  const groups = settingGroups.flatMap(({ title, declared }) => {
    const fresh = Object.entries(declared).filter(([name]) => !listed.has(name))
    for (const [name] of fresh) listed.add(name)
    return fresh.length === 0 ? [] : [`  ${title}`, ...fresh.flatMap(([name, setting]) => describe(name, setting))]
  })
  return ['', 'Settings, from the environment:', ...groups].join('\n')
}

function describe(name: string, setting: Setting<unknown>): string[] {
  const value = setting.default === '' ? 'unset' : setting.default
  const unit = setting.unit === '' ? '' : ` (${setting.unit})`
  return [`${indent}${name}=${value}${unit}`, `${indent}${indent}${setting.meaning}`]
}
