// Guard of outgoing connections: a decision about one IP address. Link-local and cloud metadata addresses are closed, because machines get
// credentials from them; private networks are open, because people monitor their own. The guard resolves no names. The code that opens a
// connection checks the address that it then uses, so that no name can change in between.
import { BlockList, isIP } from 'node:net'
import { limits } from '#shared/limits/limits.ts'
import { embeddedAddresses } from '#shared/net/embedded-address.ts'
import type { Setting } from '#shared/settings.ts'

export interface Egress {
  /** Returns why an address is closed, in words for people; null: it is open. A text that is not an address is closed. */
  refusal(address: string): string | null
}

/** A CIDR block such as `10.0.0.0/8` or `fd00::/8`; a single address is a block of one. */
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
 * The reason comes from the first block that contains the address. Addresses of metadata services outside of the other ranges are listed
 * one by one.
 */
const builtIn: readonly (readonly [reason: string, blocks: readonly string[]])[] = [
  [metadata, ['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.0.192']],
  [metadata, ['fd00:ec2::/32', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fd00:42::42', 'fe80::a9fe:a9fe']],
  ['a link-local address', ['169.254.0.0/16', 'fe80::/10']],
  ['an unspecified address', ['0.0.0.0/8', '::']],
  ['a broadcast address', ['255.255.255.255']],
  ['a multicast address', ['224.0.0.0/4', 'ff00::/8']],
]

/** `allow` has priority over `deny` and over the built-in list. */
export function createEgress({ deny = [], allow = [] }: { deny?: readonly Cidr[]; allow?: readonly Cidr[] } = {}): Egress {
  const allowed = blockList(allow)
  const closed = [{ reason: 'closed by EGRESS_DENY', blocks: deny }, ...builtInBlocks].map(({ reason, blocks }) => ({
    reason,
    list: blockList(blocks),
  }))
  // One list of all closed blocks: nearly all connections are open, and one look-up in it shows that.
  const anyClosed = blockList([...deny, ...builtInBlocks.flatMap(({ blocks }) => blocks)])
  const isAllowed = (address: string) => contains(allowed, address)
  return {
    refusal: given => {
      // A scope (`fe80::1%eth0`) names an interface, not a destination.
      const address = given.split('%')[0] as string
      if (isIP(address) === 0) return 'not an address'
      const embedded = embeddedAddresses(address)
      const forms = [...embedded, address]
      if (!forms.some(form => contains(anyClosed, form)) || isAllowed(address)) return null
      // It is unknown to which of the embedded addresses packets are sent. An open address therefore does not open the other addresses.
      const wrong = embedded.filter(form => contains(anyClosed, form) && !isAllowed(form))
      if (wrong.length === 0 && embedded.some(isAllowed)) return null
      return closed.find(({ list }) => forms.some(form => contains(list, form)))?.reason ?? null
    },
  }
}

/** Returns the open addresses among those of a name. Throws an EgressError if all are closed. */
export function permitted(egress: Egress, addresses: readonly string[]): readonly string[] {
  const open = addresses.filter(address => egress.refusal(address) === null)
  if (open.length > 0 || addresses.length === 0) return open
  throw new EgressError(egress.refusal(addresses[0] as string) as string)
}

/** Settings of both services that open connections. */
export const egressSettings = {
  EGRESS_DENY: cidrs('Addresses that neither checks nor messages may reach, besides link-local and cloud metadata addresses.'),
  EGRESS_ALLOW: cidrs('Addresses that checks and messages may reach whatever else closes them.'),
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
