// Where checks and messages may not go: a decision over one IP address. Link-local and cloud metadata addresses, from which
// machines hand out credentials, are closed; private networks are open, because people watch their own. It resolves nothing:
// whoever opens a connection asks about the very address it is about to use, so that no name can change in between.
import { BlockList, isIP } from 'node:net'
import { embeddedAddresses } from '#shared/embedded-address.ts'
import { limits } from '#shared/limits.ts'
import type { Setting } from '#shared/settings.ts'

export interface Egress {
  /** Why this address is closed, as "it is …" or "…"; null where it is open. What is no address is closed. */
  refusal(address: string): string | null
}

/** A CIDR block, `10.0.0.0/8`, `fd00::/8`; an address alone is a block of one. */
export interface Cidr {
  address: string
  prefix: number
  family: 'ipv4' | 'ipv6'
}

/** The address of what was to be reached is closed. Its message names no address. */
export class EgressError extends Error {
  readonly code = 'EGRESS_REFUSED'

  constructor(reason: string) {
    super(reason)
    this.name = 'EgressError'
  }
}

const metadata = 'the address of a cloud metadata service'
/** The first that fits gives its name. Addresses of metadata services that no range here contains stand alone. */
const builtIn: readonly (readonly [reason: string, blocks: readonly string[]])[] = [
  [metadata, ['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.0.192']],
  [metadata, ['fd00:ec2::/32', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fd00:42::42', 'fe80::a9fe:a9fe']],
  ['a link-local address', ['169.254.0.0/16', 'fe80::/10']],
  ['an unspecified address', ['0.0.0.0/8', '::']],
  ['a broadcast address', ['255.255.255.255']],
  ['a multicast address', ['224.0.0.0/4', 'ff00::/8']],
]

/** `allow` wins over `deny` and over the built-in list. */
export function createEgress({ deny = [], allow = [] }: { deny?: readonly Cidr[]; allow?: readonly Cidr[] } = {}): Egress {
  const allowed = blockList(allow)
  const closed = [{ reason: 'closed by EGRESS_DENY', blocks: deny }, ...builtInBlocks].map(({ reason, blocks }) => ({
    reason,
    list: blockList(blocks),
  }))
  // Asked for every connection, so that what is open (nearly all) costs one look.
  const anyClosed = blockList([...deny, ...builtInBlocks.flatMap(({ blocks }) => blocks)])
  const isAllowed = (address: string) => contains(allowed, address)
  return {
    refusal: given => {
      // A scope (`fe80::1%eth0`) says through which interface, not where to.
      const address = given.split('%')[0] as string
      if (isIP(address) === 0) return 'not an address'
      const embedded = embeddedAddresses(address)
      const forms = [...embedded, address]
      if (!forms.some(form => contains(anyClosed, form)) || isAllowed(address)) return null
      // Of several that it may stand for, packets go to one, and nobody knows to which: one that is allowed opens no other.
      const wrong = embedded.filter(form => contains(anyClosed, form) && !isAllowed(form))
      if (wrong.length === 0 && embedded.some(isAllowed)) return null
      return closed.find(({ list }) => forms.some(form => contains(list, form)))?.reason ?? null
    },
  }
}

/** Of what a name resolved to, what may be reached. Throws an EgressError where nothing of it may. */
export function permitted(egress: Egress, addresses: readonly string[]): readonly string[] {
  const open = addresses.filter(address => egress.refusal(address) === null)
  if (open.length > 0 || addresses.length === 0) return open
  throw new EgressError(egress.refusal(addresses[0] as string) as string)
}

/** Both services that open connections declare these. */
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
