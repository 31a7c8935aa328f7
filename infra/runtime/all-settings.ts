// Every setting of the program and of all its services, as declared in their own files.
import { readSettings, type Setting, SettingError, type Settings } from '#shared/settings.ts'
import { directorySettings } from '../../services/directory/settings.ts'
import { gatewaySettings } from '../../services/gateway/settings.ts'
import { settings as keeperSettings } from '../../services/keeper/settings.ts'
import { mcpSettings } from '../../services/mcp/settings.ts'
import { notifierSettings } from '../../services/notifier/settings.ts'
import { proberSettings } from '../../services/prober/settings.ts'
import { programSettings } from './settings.ts'
import { usageError } from './start-error.ts'

/** Settings in the order of `--help`. A setting that two services share appears in the first group that has it. */
export const settingGroups: { title: string; declared: Record<string, Setting<unknown>> }[] = [
  { title: 'Program', declared: programSettings },
  { title: 'Gateway', declared: gatewaySettings },
  { title: 'Directory', declared: directorySettings },
  { title: 'Keeper', declared: keeperSettings },
  { title: 'Notifier', declared: notifierSettings },
  { title: 'Prober', declared: proberSettings },
  { title: 'MCP server', declared: mcpSettings },
]

/** Returns `settingGroups`, but a setting that is in several groups appears only in the first group. */
export function shownSettings(): { title: string; settings: [name: string, setting: Setting<unknown>][] }[] {
  const shown = new Set<string>()
  return settingGroups.map(({ title, declared }) => {
    const settings = Object.entries(declared).filter(([name]) => !shown.has(name))
    for (const [name] of settings) shown.add(name)
    return { title, settings }
  })
}

/** Merges the groups in reverse order, so that a setting in several groups is parsed by its first declaration, which `--help` shows. */
const allSettings = {
  ...proberSettings,
  ...notifierSettings,
  ...keeperSettings,
  ...directorySettings,
  ...gatewaySettings,
  ...programSettings,
}

export type AllSettings = Settings<typeof allSettings>

/** Reads all settings, whichever services run, so that an invalid value is reported at once. Throws a StartError. */
export function readAllSettings(environment: Record<string, string | undefined>): AllSettings {
  try {
    return readSettings(allSettings, environment)
  } catch (error) {
    if (error instanceof SettingError) throw usageError(error.message)
    throw error
  }
}
