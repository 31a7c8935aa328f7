// Settings of this process, by the validation of a start.
import { readAllSettings } from '../../runtime/all-settings.ts'
import { demandFittingBus } from '../../runtime/bus/open-bus.ts'
import { decideRunMode } from '../../runtime/run-mode.ts'
import { StartError } from '../../runtime/start-error.ts'
import type { SettingsFacts } from '../facts.ts'

export async function lookAtSettings(environment: Record<string, string | undefined>): Promise<SettingsFacts> {
  const facts: SettingsFacts = { fault: null, values: null, mode: null }
  try {
    facts.values = readAllSettings(environment)
    facts.mode = decideRunMode(facts.values)
    await demandFittingBus(facts.values, facts.mode)
    return facts
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return { ...facts, fault: error.message }
  }
}
