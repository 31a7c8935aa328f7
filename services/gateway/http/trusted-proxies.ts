// TRUST_PROXY: proxies that are trusted to state the address of the client. The setting lists addresses or networks of proxies. The setting
// can express neither "all proxies" nor a number of proxies: with such a value, a client that connects directly could claim any address.
import { BlockList, isIP } from 'node:net'
import { limits } from '#shared/limits/limits.ts'

/** Parses the setting; null: no proxy. Throws an Error whose message completes the sentence "TRUST_PROXY …". */
export function parseProxies(value: string): string[] | null {
  if (value === '') return null
  const networks = value.split(',').map(network => network.trim())
  if (networks.length <= limits.sessionApi.proxies && networks.every(isNetwork)) return networks
  throw new Error('must hold addresses or networks of proxies such as 10.0.0.5 or 10.0.0.0/8, with commas')
}

function isNetwork(text: string): boolean {
  const [address = '', bits, more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || more !== undefined) return false
  if (bits === undefined) return true
  // A prefix of 0 bits is refused: such a network contains all addresses, and would trust every client.
  return /^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (version === 4 ? 32 : 128)
}

/** Returns a function that reports whether an address belongs to one of these proxies. */
export function proxyCheck(networks: readonly string[]): (address: string) => boolean {
  const proxies = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    proxies.addSubnet(address, bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits), family)
  }
  return address => isIP(address) !== 0 && proxies.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
}
