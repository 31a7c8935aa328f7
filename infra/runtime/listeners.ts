// Ports at which the parts of this installation listen, as far as this process knows them.
import { parseServerAddresses } from '#shared/bus/nats/server-addresses.ts'
import { type OwnPort, portsOfServers } from '#shared/net/own-ports.ts'
import type { AllSettings } from './all-settings.ts'

interface Known {
  settings: Pick<AllSettings, 'HOST' | 'MONGODB_URL'>
  opsPort: number
  busUrl: string
}

/**
 * Returns the ports of the operations listener and of all servers of bus and store. Servers that only DNS names (`mongodb+srv://`) are not
 * among them. The gateway's port is known only once the gateway listens.
 */
export function ownPorts({ settings, opsPort, busUrl }: Known): readonly OwnPort[] {
  const [, storeServers = ''] = /^mongodb:\/\/(?:[^@/?]*@)?([^@/?]+)/.exec(settings.MONGODB_URL) ?? []
  const busServers = (parseServerAddresses(busUrl) ?? []).map(({ server }) => server).join(',')
  return [{ host: settings.HOST, port: opsPort }, ...portsOfServers(busServers, 4_222), ...portsOfServers(storeServers, 27_017)]
}
