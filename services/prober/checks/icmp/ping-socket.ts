// Sockets for pings, which need no privilege: datagram sockets of the protocol ICMP, where the kernel permits them to the group of the
// process. Node opens none, so the system's own function does, and Node takes them over. The library that calls it is loaded at the first
// ping, because it takes 10 MB.
import { createSocket } from 'node:dgram'
import { getSystemErrorName } from 'node:util'
import { withoutPing } from '#shared/checks/icmp/judge.ts'

/** Socket for the pings of one check. The caller must close it. */
export interface PingSocket {
  /** Resolves when an echo request to an IP address is sent. Rejects if it cannot be sent. */
  ping(address: string, sequence: number, payload: Buffer): Promise<void>
  close(): void
}

export type Family = 4 | 6

/**
 * Opens a socket. `onReply` gets the payload of each echo reply, which may be one to another socket. Rejects with CannotPing, or with the
 * system's error.
 */
export type OpenPingSocket = (family: Family, onReply: (payload: Buffer) => void) => Promise<PingSocket>

/** Error if this process can ping nobody. The message is a sentence for people. */
export class CannotPing extends Error {}

/** Of Linux (bits/socket.h, netinet/in.h), and the types of messages of RFC 792 and RFC 4443. */
const families = {
  4: { domain: 2, protocol: 1, request: 8, reply: 0, type: 'udp4' },
  6: { domain: 10, protocol: 58, request: 128, reply: 129, type: 'udp6' },
} as const
/** A datagram socket that ends with the program, and never blocks. */
const socketType = 2 | 0o2_000_000 | 0o4_000
const headerBytes = 8
/** Node refuses the port 0, and the kernel takes no notice of the port of a ping. */
const anyPort = 1

export const openPingSocket: OpenPingSocket = async (family, onReply) => {
  const { domain, protocol, request, reply, type } = families[family]
  const fd = (await openOfSystem())(domain, socketType, protocol)
  const socket = createSocket(type)
  socket.on('error', () => undefined)
  socket.on('message', message => {
    if (message[0] === reply) onReply(message.subarray(headerBytes))
  })
  socket.bind({ fd })
  return {
    ping: (address, sequence, payload) => {
      // The kernel fills in the checksum and the identifier.
      const header = Buffer.from([request, 0, 0, 0, 0, 0, sequence >> 8, sequence & 0xff])
      return new Promise((resolve, reject) => {
        socket.send([header, payload], anyPort, address, error => (error ? reject(error) : resolve()))
      })
    },
    close: () => socket.close(),
  }
}

/** Returns a descriptor. Throws CannotPing, or an error with the code of the system. */
type Open = (domain: number, type: number, protocol: number) => number

let loading: Promise<Open> | null = null

function openOfSystem(): Promise<Open> {
  loading ??= load()
  return loading
}

async function load(): Promise<Open> {
  const koffi =
    process.platform === 'linux'
      ? await import('koffi').then(
          module => module.default,
          () => null,
        )
      : null
  if (koffi === null) throw new CannotPing(withoutPing.notSupported)
  const socket = koffi.load(null).func('int socket(int, int, int)')
  return (...given) => {
    const fd: number = socket(...given)
    if (fd >= 0) return fd
    const code = getSystemErrorName(-koffi.errno())
    if (code === 'EACCES' || code === 'EPERM') throw new CannotPing(withoutPing.notPermitted)
    throw Object.assign(new Error(code), { code })
  }
}
