// Opens the connection of one check: name, TCP, TLS, each timed. The one place where a check's socket is made, and so the
// place of the guard on addresses: between what a name resolved to and the first packet. Never reuses a connection or session.
import { Socket } from 'node:net'
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import { limits } from '#shared/limits/limits.ts'
import { type Egress, permitted } from '#shared/net/egress.ts'
import type { Resolve } from '#shared/net/resolve.ts'
import type { Target } from './target.ts'

/** Listener to a connection, called in this order, each but `onBytes` at most once; after `onFailed` nothing more. */
export interface ConnectionListener {
  onResolved(): void
  onConnected(): void
  onSecured(): void
  onFailed(error: Error): void
  /** Bytes that arrive once the connection stands. They are overwritten when this returns; false: no more until `resume`. */
  onBytes(bytes: Buffer): boolean
  /** The far end closed its side. */
  onEnd(): void
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

/** All connections of a thread read into one place, one after another: what arrives goes straight on, past Node's streams. */
const arrivals = Buffer.allocUnsafeSlow(65_536)

/** The connection of one check. Its opener closes it in every case. */
export class Connection {
  #listener: ConnectionListener | null
  #line: Line | null = null

  constructor(listener: ConnectionListener) {
    this.#listener = listener
  }

  open(target: Target, { resolve, trust, egress }: { resolve: Resolve; trust: Trust; egress: Egress }): void {
    const connect = (found: readonly string[]) => {
      this.#listener?.onResolved()
      let addresses: readonly string[]
      try {
        addresses = permitted(egress, found)
      } catch (error) {
        this.#listener?.onFailed(error as Error)
        return
      }
      if (target.secure) this.#openTls(target, addresses, trust)
      else this.#openTcp(target, addresses)
    }
    if (target.literal) {
      connect([target.hostname])
      return
    }
    resolve(target.hostname, (error, addresses) => {
      if (this.#listener === null) return
      if (error === null && addresses.length > 0) connect(addresses)
      else this.#listener.onFailed(error ?? Object.assign(new Error('no address'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }))
    })
  }

  write(bytes: Buffer): void {
    this.#line?.socket.write(bytes)
  }

  /** Reads on, after `onBytes` wanted no more. */
  resume(): void {
    this.#line?.resume()
  }

  /** From here on nothing is heard of it. */
  close(): void {
    this.#listener = null
    this.#line?.close()
    this.#line = null
  }

  #openTcp(target: Target, addresses: readonly string[]): void {
    // Of several addresses the ones not needed may still be tried for a moment after the end: such a socket is not used again.
    const isPlain = addresses.length === 1
    const line = (isPlain ? idle.pop() : undefined) ?? new Line(reading => new Socket(reading))
    line.isReusable = isPlain
    line.listener = this.#listener
    this.#line = line
    line.socket.connect({ port: target.port, ...wayTo(target, addresses) })
  }

  /**
   * The certificate is verified by the handshake, but judged here, before anything is sent: a socket that refuses it by
   * itself is gone before its certificate can be read, and the sentence needs its dates.
   */
  #openTls(target: Target, addresses: readonly string[], trust: Trust): void {
    // `onread` is missing in the types of `tls.connect`, which hands it to the socket as `net.connect` does.
    const open = (reading: object) =>
      connectTls({
        ...reading,
        port: target.port,
        ...wayTo(target, addresses),
        // A server name has no dot at its end (RFC 6066, 3), though a host may be written with one.
        servername: target.literal ? '' : target.hostname.replace(/\.$/, ''),
        ALPNProtocols: ['http/1.1'],
        secureContext: trust.context,
        rejectUnauthorized: false,
      })
    const line = new Line(open)
    const { socket } = line
    line.listener = this.#listener
    this.#line = line
    socket.setNoDelay(true)
    socket.once('secureConnect', () => this.#judge(socket))
  }

  #judge(socket: TLSSocket): void {
    if (socket.authorized) this.#listener?.onSecured()
    else this.#listener?.onFailed(refusalOf(socket))
  }
}

function refusalOf(socket: TLSSocket): CertificateError {
  const certificate = socket.getPeerCertificate()
  const code = String((socket.authorizationError as unknown as NodeJS.ErrnoException | string) ?? 'UNVERIFIED')
  return new CertificateError(code, Date.parse(certificate.valid_from), Date.parse(certificate.valid_to))
}

/**
 * A socket and whom it reports to. Node's sockets are dear to make, and each outlives its end in memory until the next full collection, with
 * all it can reach (ADR 15): so a plain one is connected again for another check, as Node allows once it was closed.
 */
class Line<S extends Socket = Socket> {
  listener: ConnectionListener | null = null
  isReusable = false
  readonly socket: S

  constructor(open: (options: object) => S) {
    const callback = (length: number) => this.listener?.onBytes(arrivals.subarray(0, length)) ?? false
    this.socket = open({ noDelay: true, onread: { buffer: arrivals, callback } })
    this.socket.on('connect', () => this.listener?.onConnected())
    this.socket.on('error', error => this.listener?.onFailed(error))
    this.socket.on('end', () => this.listener?.onEnd())
    this.socket.on('close', hadError => {
      if (this.isReusable && !hadError && idle.length < limits.check.idleSockets) idle.push(this)
    })
  }

  resume(): void {
    this.isReusable = false
    this.socket.resume()
  }

  close(): void {
    this.listener = null
    this.socket.destroy()
  }
}

/** Closed ones that wait for a check. */
const idle: Line[] = []

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
