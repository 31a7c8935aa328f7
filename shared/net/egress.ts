// Guard of outgoing connections: decides whether connections to an IP address are allowed (open) or refused (closed). Link-local and cloud
// metadata addresses are closed, because machines get credentials from them. Private networks are open, because people monitor machines in
// their own network. The guard resolves no names. The code that opens a connection checks the resolved address and connects to this
// address, so that a later change of the name's addresses has no effect.
import { BlockList, isIP } from 'node:net'
import { limits } from '#shared/limits/limits.ts'
import { embeddedAddresses } from '#shared/net/embedded-address.ts'
import type { OwnPorts } from '#shared/net/own-ports.ts'
import { isPublicAddress } from '#shared/net/public-address.ts'
import type { Setting } from '#shared/settings.ts'

export interface Egress {
  /**
   * Returns the reason why an address is closed, in words for people; null: the address is open. A text that is not an address is closed.
   * `port` null: what is sent there has no port.
   */
  refusal(address: string, port: number | null): string | null
  /** Whether what answers at an address may be quoted to people: only answers from the public internet may. */
  isPublic(address: string): boolean
}

/** Rules of an installation. Absent: none. */
interface EgressRules {
  deny?: readonly Cidr[]
  allow?: readonly Cidr[]
  own?: Pick<OwnPorts, 'has'>
}

/** A CIDR block such as `10.0.0.0/8` or `fd00::/8`, or a single address. */
export interface Cidr {
  address: string
  prefix: number
  family: 'ipv4' | 'ipv6'
}

/** Error for a closed address. Its message contains no address. */
export class EgressError extends Error {
  readonly code = 'EGRESS_REFUSED'

  constructor(reason: string) {
    super(reason)
    this.name = 'EgressError'
  }
}

const metadata = 'the address of a cloud metadata service'
/**
 * Blocks of addresses to which no connection may be opened, with reasons. The first block that contains an address gives the reason, so the
 * metadata addresses come first.
 */
const builtIn: readonly (readonly [reason: string, blocks: readonly string[]])[] = [
  [metadata, ['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.0.192']],
  [metadata, ['fd00:ec2::/32', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fd00:42::42', 'fe80::a9fe:a9fe']],
  ['a link-local address', ['169.254.0.0/16', 'fe80::/10']],
  ['an unspecified address', ['0.0.0.0/8', '::']],
  ['a broadcast address', ['255.255.255.255']],
  ['a multicast address', ['224.0.0.0/4', 'ff00::/8']],
]

const ownPort = 'a port of Watchkeeper itself'

/** `allow` has priority over `deny`, over the own ports and over the built-in list. */
export function createEgress({ deny = [], allow = [], own }: EgressRules = {}): Egress {
  const allowed = blockList(allow)
  const closed = [{ reason: 'closed by EGRESS_DENY', blocks: deny }, ...builtInBlocks].map(({ reason, blocks }) => ({
    reason,
    list: blockList(blocks),
  }))
  // One list of all closed blocks. Nearly all addresses are open, and one look-up in this list shows it.
  const anyClosed = blockList([...deny, ...builtInBlocks.flatMap(({ blocks }) => blocks)])
  const isAllowed = (address: string) => contains(allowed, address)
  return {
    refusal: (given, port) => {
      // A scope (`fe80::1%eth0`) names an interface, not a destination.
      const address = given.split('%')[0] as string
      if (isIP(address) === 0) return 'not an address'
      const embedded = embeddedAddresses(address)
      const forms = [...embedded, address]
      const isOwn = port !== null && forms.some(form => own?.has(form, port))
      if (isOwn && !forms.some(isAllowed)) return ownPort
      if (!forms.some(form => contains(anyClosed, form)) || isAllowed(address)) return null
      // Packets may be sent to any of the embedded addresses, so every one of them must be open.
      const wrong = embedded.filter(form => contains(anyClosed, form) && !isAllowed(form))
      if (wrong.length === 0 && embedded.some(isAllowed)) return null
      return closed.find(({ list }) => forms.some(form => contains(list, form)))?.reason ?? null
    },
    isPublic: isPublicAddress,
  }
}

/** Returns those addresses of a name that are open at a port, if there is one. Throws an EgressError if all are closed. */
export function permitted(egress: Egress, addresses: readonly string[], port: number | null): readonly string[] {
  const open = addresses.filter(address => egress.refusal(address, port) === null)
  if (open.length > 0 || addresses.length === 0) return open
  throw new EgressError(egress.refusal(addresses[0] as string, port) as string)
}

/** Settings of the two services that open connections: prober and notifier. */
export const egressSettings = {
  EGRESS_DENY: cidrs('Addresses that neither checks nor messages may reach, besides link-local and cloud metadata addresses.'),
  EGRESS_ALLOW: cidrs(
    'Addresses that checks and messages may reach whatever else closes them; also opens the own ports of Watchkeeper there.',
  ),
}

function cidrs(meaning: string): Setting<readonly Cidr[]> {
  return {
    default: '',
    unit: 'CIDR blocks, several with commas',
    meaning,
    parse: text => {
      const blocks = text
        .split(',')
        .map(block => block.trim())
        .filter(block => block !== '')
      if (blocks.length > limits.egress.blocks) throw new Error(`may list ${limits.egress.blocks} blocks`)
      return blocks.map(block => parseCidr(block) ?? refuse(block))
    },
  }
}

const refuse = (block: string): never => {
  throw new Error(
    `must list CIDR blocks such as 10.0.0.0/8 or fd00::/8, with commas between them; "${block.slice(0, 60)}" is none`,
  )
}

function parseCidr(text: string): Cidr | null {
  const [address = '', bits, more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more !== undefined || address.includes('%')) return null
  const most = family === 4 ? 32 : 128
  if (bits !== undefined && !/^\d{1,3}$/.test(bits)) return null
  const prefix = bits === undefined ? most : Number(bits)
  return prefix > most ? null : { address, prefix, family: family === 4 ? 'ipv4' : 'ipv6' }
}

function blockList(blocks: readonly Cidr[]): BlockList {
  const list = new BlockList()
  for (const { address, prefix, family } of blocks) list.addSubnet(address, prefix, family)
  return list
}

const builtInBlocks: readonly { reason: string; blocks: readonly Cidr[] }[] = builtIn.map(([reason, blocks]) => ({
  reason,
  blocks: blocks.map(block => parseCidr(block) ?? refuse(block)),
}))

const contains = (list: BlockList, address: string): boolean => list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
