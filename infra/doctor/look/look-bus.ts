// The bus: that of NATS_URL, or the embedded one that runs on the data folder.
import { examineBus } from '#shared/bus/nats/nats-examine.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { AllSettings } from '../../runtime/all-settings.ts'
import { type BusAddress, busCredentials } from '../../runtime/bus/bus-credentials.ts'
import { busTlsFiles } from '../../runtime/bus/bus-tls.ts'
import { readBusAddress } from '../../runtime/bus/embedded-bus.ts'
import type { BusFacts } from '../facts.ts'

export interface LookedBus {
  facts: BusFacts
  /** Null: nothing runs. */
  address: BusAddress | null
}

export async function lookAtBus(settings: AllSettings, dataFolder: string, clock: Clock): Promise<LookedBus> {
  try {
    const address = await addressOf(settings, dataFolder)
    if (address === null) return { facts: { state: 'stopped' }, address }
    const locationId = settings.LOCATION_ID
    const isForeign = settings.NATS_URL !== '' && locationId !== '' && settings.SERVICES.join() === 'prober'
    const examined = await examineBus({
      servers: address.url,
      name: 'watchkeeper doctor',
      ...busCredentials(address),
      ...(isForeign ? { locationId } : {}),
      clock,
    })
    return { facts: { state: 'looked', ...examined }, address }
  } catch (error) {
    return { facts: { state: 'unknown', why: (error as Error).message }, address: null }
  }
}

async function addressOf(settings: AllSettings, dataFolder: string): Promise<BusAddress | null> {
  if (settings.NATS_URL === '') return readBusAddress(dataFolder)
  return {
    url: settings.NATS_URL,
    token: settings.NATS_TOKEN,
    credentialsFile: settings.NATS_CREDENTIALS,
    ownMachine: false,
    ...(await busTlsFiles(settings)),
  }
}
