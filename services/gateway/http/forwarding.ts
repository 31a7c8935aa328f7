// Clients behind a proxy that TRUST_PROXY does not name. All of them seem to have the proxy's address, so that the wrong tries of one would
// delay all of them. While such a proxy is seen, the operator is notified.
import { BlockList, isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { proxyCheck } from './trusted-proxies.ts'

export interface Forwarding {
  /**
   * Returns the address by which the wrong tries of a client are counted: `request.ip`, or if a proxy of an own network is not trusted, the
   * address that this proxy states. A client on the internet cannot state an address, because its own address belongs to no own network.
   */
  clientOf(request: FastifyRequest): string
  /** Notes a request that a signed-in person sent. */
  noteVisitor(request: FastifyRequest): void
  /** Returns the address of a proxy through which people come, and that is not trusted; null: none was seen since the start. */
  untrusted(): string | null
}

/** `trusted`: addresses or networks of TRUST_PROXY. */
export function createForwarding(trusted: readonly string[]): Forwarding {
  const isTrusted = proxyCheck(trusted)
  let seen: string | null = null
  /** Returns the peer's address if the request has X-Forwarded-For and the peer is not trusted. */
  const untrustedPeer = ({ headers, raw }: FastifyRequest): string | null => {
    const peer = raw.socket.remoteAddress ?? ''
    return headers['x-forwarded-for'] === undefined || isTrusted(peer) ? null : peer
  }
  return {
    clientOf: request => {
      const peer = untrustedPeer(request)
      if (peer === null || !isOwnNetwork(peer)) return request.ip
      seen ??= peer
      return lastAddress(request.headers['x-forwarded-for']) ?? request.ip
    },
    noteVisitor: request => {
      seen ??= untrustedPeer(request)
    },
    untrusted: () => seen,
  }
}

/** Returns the address that the nearest proxy has appended; null: the last part is no address. */
function lastAddress(header: string | string[] | undefined): string | null {
  const last = String(header).split(',').at(-1)?.trim() ?? ''
  return isIP(last) === 0 ? null : last
}

/** Whether an address is of this machine or of a private network, from which a proxy usually connects. */
const isOwnNetwork = (address: string): boolean =>
  isIP(address) !== 0 && ownNetworks.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')

const ownNetworks = new BlockList()
for (const [address, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
] as const) {
  ownNetworks.addSubnet(address, bits, 'ipv4')
}
ownNetworks.addAddress('::1', 'ipv6')
ownNetworks.addSubnet('fc00::', 7, 'ipv6')
