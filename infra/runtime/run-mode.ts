// Run mode: which services and embedded parts run. Combinations of settings that cannot work are refused before anything starts.
import { SettingError } from '#shared/settings.ts'
import { demandFittingSettings } from '../../services/gateway/settings.ts'
import type { AllSettings } from './all-settings.ts'
import { type ServiceName, serviceNames } from './settings.ts'
import { usageError } from './start-error.ts'

export interface RunMode {
  /** Services in the order of their start. They stop in the reverse order, the gateway first. */
  services: readonly ServiceName[]
  /** True if this process runs its own nats-server. */
  embeddedBus: boolean
  /** True if the store is the SQLite file, which only this process uses. */
  embeddedStore: boolean
  needsStore: boolean
}

const storeServices: readonly ServiceName[] = ['directory', 'keeper', 'notifier']

/** Throws a StartError if the settings contradict each other. */
export function decideRunMode(settings: AllSettings): RunMode {
  const services = serviceNames.filter(name => settings.SERVICES.includes(name))
  const stored = storeServices.filter(name => services.includes(name))
  const split = stored.length > 0 && stored.length < storeServices.length
  const needsStore = stored.length > 0
  if (split && settings.MONGODB_URL === '') {
    throw usageError(
      `SERVICES has ${stored.join(' and ')} here and ${storeServices.filter(name => !stored.includes(name)).join(' and ')} elsewhere, but ` +
        'the embedded store serves one process alone: set MONGODB_URL to the store that they share.',
    )
  }
  if (stored.length < storeServices.length && settings.NATS_URL === '') {
    throw usageError(
      `SERVICES has only ${services.join(' and ')} here, so the others must be reached: set NATS_URL to the bus that they share.`,
    )
  }
  demandBusNamed(settings)
  if (services.includes('gateway')) demandFitting(settings)
  if (services.includes('gateway') && !needsStore && settings.SQIDS_SALT === '') {
    throw usageError(
      'SQIDS_SALT must be set where the gateway runs without the store: to one text at all gateways and notifiers.',
    )
  }
  return { services, embeddedBus: settings.NATS_URL === '', embeddedStore: needsStore && settings.MONGODB_URL === '', needsStore }
}

const busSettings = ['NATS_TOKEN', 'NATS_CREDENTIALS', 'NATS_KEYS', 'NATS_CA_FILE', 'NATS_CERT_FILE', 'NATS_KEY_FILE'] as const

/** Throws a StartError if a setting for an external bus is set, but NATS_URL is not. */
function demandBusNamed(settings: AllSettings): void {
  if (settings.NATS_URL !== '') return
  for (const name of busSettings) {
    if (settings[name] === '') continue
    throw usageError(`${name} is for the bus that NATS_URL names: set NATS_URL or unset ${name}.`)
  }
}

function demandFitting(settings: AllSettings): void {
  try {
    demandFittingSettings(settings)
  } catch (error) {
    if (error instanceof SettingError) throw usageError(error.message)
    throw error
  }
}
