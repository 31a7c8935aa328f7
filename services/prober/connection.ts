// Opens the connection of one check: name, TCP, TLS, each timed. The one place where a check's socket is made, and so the
// place of the guard on addresses: between what a name resolved to and the first packet. Never reuses a connection or session.
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import { type Egress, permitted } from '#shared/egress.ts'
import type { Resolve } from '#shared/resolve.ts'
import type { Target } from './target.ts'

/** What the owner of a connection hears, in this order, all but `onBytes` at most once; after `onFailed` nothing more. */
export interface ConnectionListener {
  onResolved(): void
  onConnected(): void
  onSecured(): void
  onFailed(error: Error): void
  /** What arrives once the connection stands. The bytes are overwritten when this returns; false: no more until `resume`. */
  onBytes(bytes: Buffer): boolean
  /** The far end closed its side. */
  onEnd(): void
  /** The check is over: no socket must be made any more. */
  readonly settled: boolean
}

export interface Trust {
  /** Made at the first check over TLS, and once: a context parses all root certificates and holds megabytes. */
  readonly context: SecureContext
}

/** Trusts the built-in authorities (and NODE_EXTRA_CA_CERTS), or only the given PEM certificates. */
export function createTrust(authorities?: string): Trust {
  let made: SecureContext | null = null
  return {
    get context() {
      made ??= createSecureContext(authorities === undefined ? {} : { ca: authorities })
      return made
    },
  }
}

/** A certificate that was not accepted, with what a sentence about it needs. */
export class CertificateError extends Error {
  readonly code: string
  readonly validFrom: number
  readonly validTo: number

  constructor(code: string, validFrom: number, validTo: number) {
    super('certificate refused')
    this.code = code
    this.validFrom = validFrom
    this.validTo = validTo
  }
}

/** Opens the connection; `onSocket` gets the socket as soon as it exists, so that its owner can end it at any time. */
export function openConnection(
  target: Target,
  { resolve, trust, egress }: { resolve: Resolve; trust: Trust; egress: Egress },
  listener: ConnectionListener,
  onSocket: (socket: Socket) => void,
): void {
  const open = (found: readonly string[]) => {
    listener.onResolved()
    let addresses: readonly string[]
    try {
      addresses = permitted(egress, found)
    } catch (error) {
      listener.onFailed(error as Error)
      return
    }
    const socket = target.secure ? openTls(target, addresses, trust, listener) : openTcp(target, addresses, listener)
    socket.on('connect', () => listener.onConnected())
    socket.on('error', error => listener.onFailed(error))
    socket.on('end', () => listener.onEnd())
    onSocket(socket)
  }
  if (target.literal) {
    open([target.hostname])
    return
  }
  resolve(target.hostname, (error, addresses) => {
    if (listener.settled) return
    if (error === null && addresses.length > 0) open(addresses)
    else listener.onFailed(error ?? Object.assign(new Error('no address'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }))
  })
}

/** All connections of a thread read into one place, one after another: what arrives goes straight on, past Node's streams. */
const arrivals = Buffer.allocUnsafeSlow(65_536)

const readingTo = (listener: ConnectionListener) => ({
  buffer: arrivals,
  callback: (length: number) => listener.onBytes(arrivals.subarray(0, length)),
})

function openTcp(target: Target, addresses: readonly string[], listener: ConnectionListener): Socket {
  return connectTcp({ port: target.port, noDelay: true, onread: readingTo(listener), ...wayTo(target, addresses) })
}

/**
 * The certificate is verified by the handshake, but judged here, before anything is sent: a socket that refuses it by
 * itself is gone before its certificate can be read, and the sentence needs its dates.
 */
function openTls(target: Target, addresses: readonly string[], trust: Trust, listener: ConnectionListener): TLSSocket {
  // `onread` is missing in the types of `tls.connect`, which hands it to the socket as `net.connect` does.
  const reading: object = { onread: readingTo(listener) }
  const socket = connectTls({
    ...reading,
    port: target.port,
    ...wayTo(target, addresses),
    servername: target.literal ? '' : target.hostname,
    ALPNProtocols: ['http/1.1'],
    secureContext: trust.context,
    rejectUnauthorized: false,
  })
  socket.setNoDelay(true)
  socket.once('secureConnect', () => {
    if (socket.authorized) return listener.onSecured()
    const certificate = socket.getPeerCertificate()
    const code = String((socket.authorizationError as unknown as NodeJS.ErrnoException | string) ?? 'UNVERIFIED')
    listener.onFailed(new CertificateError(code, Date.parse(certificate.valid_from), Date.parse(certificate.valid_to)))
  })
  return socket
}

/** One address goes straight to the kernel; several are tried one after another by Node's own happy eyeballs. */
function wayTo(target: Target, addresses: readonly string[]) {
  if (addresses.length === 1) return { host: addresses[0] as string, autoSelectFamily: false }
  const all = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
  return {
    host: target.hostname,
    autoSelectFamily: true,
    lookup: (_name: string, _options: unknown, done: (error: null, found: typeof all) => void) => done(null, all),
  }
}
