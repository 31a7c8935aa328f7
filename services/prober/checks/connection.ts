// Connection of one check: resolves the name, checks the addresses against the guard, then connects by TCP or TLS. Owns the sockets of all
// checks. Never reuses a connection or a TLS session.
import { Socket } from 'node:net'
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import { limits } from '#shared/limits/limits.ts'
import { type Egress, permitted } from '#shared/net/egress.ts'
import type { Resolve } from '#shared/net/resolve.ts'

/**
 * Listener to a connection. Its methods are called in this order. Only `onBytes` is called several times. After `onFailed` no method is
 * called.
 */
export interface ConnectionListener {
  onResolved(): void
  onConnected(): void
  onSecured(): void
  onFailed(error: Error): void
  /** Returns false to receive no more bytes until `resume`. The bytes are overwritten after the call. */
  onBytes(bytes: Buffer): boolean
  /** The server closed its side. */
  onEnd(): void
}

/** Where a connection goes. */
export interface Address {
  secure: boolean
  /** Without brackets. */
  hostname: string
  /** True if the hostname is an IP address. No name is then resolved, and the TLS handshake contains no server name. */
  literal: boolean
  port: number
}

export interface Trust {
  /**
   * The context is created once, at the first check over TLS, because a context parses all root certificates and takes megabytes of memory.
   */
  readonly context: SecureContext
}

/**
 * Returns a trust in the given PEM certificates only. Without `authorities`, returns a trust in the built-in authorities and
 * NODE_EXTRA_CA_CERTS.
 */
export function createTrust(authorities?: string): Trust {
  let made: SecureContext | null = null
  return {
    get context() {
      made ??= createSecureContext(authorities === undefined ? {} : { ca: authorities })
      return made
    },
  }
}

/** Error for a refused certificate, with the data that its error message needs. Instants in ms since the epoch. */
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

/**
 * Buffer of received bytes, shared by all connections of a thread. Received bytes do not pass through Node's streams. The listener handles
 * them before the next bytes overwrite them.
 */
const arrivals = Buffer.allocUnsafeSlow(65_536)

/** The connection of one check. The caller must close it in every case. */
export class Connection {
  #listener: ConnectionListener | null
  #line: Line | null = null

  constructor(listener: ConnectionListener) {
    this.#listener = listener
  }

  open(target: Address, { resolve, trust, egress }: { resolve: Resolve; trust: Trust; egress: Egress }): void {
    const connect = (found: readonly string[]) => {
      this.#listener?.onResolved()
      let addresses: readonly string[]
      try {
        addresses = permitted(egress, found, target.port)
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

  /** Continues to read after `onBytes` has returned false. */
  resume(): void {
    this.#line?.resume()
  }

  /** Closes the connection. The listener is not called any more. */
  close(): void {
    this.#listener = null
    this.#line?.close()
    this.#line = null
  }

  #openTcp(target: Address, addresses: readonly string[]): void {
    // If there are several addresses, Node may try another address shortly after the socket was closed. Such a socket is not reused.
    const isPlain = addresses.length === 1
    const line = (isPlain ? idle.pop() : undefined) ?? new Line(reading => new Socket(reading))
    line.isReusable = isPlain
    line.listener = this.#listener
    this.#line = line
    line.socket.connect({ port: target.port, ...wayTo(target, addresses) })
  }

  /**
   * The handshake verifies the certificate but does not refuse it; `#judge` refuses an invalid certificate before anything is sent. A
   * socket that refuses a certificate itself is destroyed before the certificate's dates can be read.
   */
  #openTls(target: Address, addresses: readonly string[], trust: Trust): void {
    // `tls.connect` passes `onread` to the socket as `net.connect` does, but its types lack the option.
    const open = (reading: object) =>
      connectTls({
        ...reading,
        port: target.port,
        ...wayTo(target, addresses),
        // A host name may end with a dot, but a TLS server name may not (RFC 6066, 3).
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
 * A socket and its present listener. A plain socket that was closed is connected again for a later check, which Node allows. A new socket
 * would cost more CPU, and the old socket would stay in memory until the next full garbage collection (ADR 15).
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

/** Closed sockets that can connect again. */
const idle: Line[] = []

/** Returns the options with which `connect` connects to the addresses. Node tries several addresses one after another (happy eyeballs). */
function wayTo(target: Address, addresses: readonly string[]) {
  if (addresses.length === 1) return { host: addresses[0] as string, autoSelectFamily: false }
  const all = addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))
  return {
    host: target.hostname,
    autoSelectFamily: true,
    lookup: (_name: string, _options: unknown, done: (error: null, found: typeof all) => void) => done(null, all),
  }
}
