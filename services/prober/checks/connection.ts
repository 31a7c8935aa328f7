// Connection of one check: resolves the name, checks the addresses against the guard, then connects by TCP or TLS. Owns the sockets of all
// checks. Never reuses a connection or a TLS session.
import type { X509Certificate } from 'node:crypto'
import { isIP, Socket } from 'node:net'
import { connect as connectTls, TLSSocket } from 'node:tls'
import { limits } from '#shared/limits/limits.ts'
import { type Egress, permitted } from '#shared/net/egress.ts'
import type { Resolve } from '#shared/net/resolve.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'
import { chainOf, checkServerIdentity, clientCertificateWanted, refinedCode, wantsCertificate } from './certificate.ts'
import type { Trust } from './trust.ts'

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

/** Where a connection goes, and what it demands. */
export interface ConnectionTarget {
  secure: boolean
  /** Without brackets. */
  hostname: string
  /** True if the hostname is an IP address. No name is then resolved, and the TLS handshake contains no server name. */
  literal: boolean
  port: number
  /** Family of the addresses that are tried. */
  ipFamily: IpFamily
  /** Name in the TLS handshake, which the certificate must have, too; empty: the hostname. */
  serverName: string
  /** Protocols that the TLS handshake offers (ALPN). */
  protocols: readonly string[]
  /** False: the certificate is read, but not judged. */
  verify: boolean
  /** PEM certificates of authorities that are trusted beside the usual ones; empty: none. */
  authority: string
}

export type IpFamily = 'any' | '4' | '6'

/** Returns the target of a connection without TLS to an IP address. */
export const addressTarget = (address: string, port: number): ConnectionTarget => ({
  ...{ secure: false, hostname: address, literal: true, port },
  ...{ ipFamily: 'any', serverName: '', protocols: [], verify: true, authority: '' },
})

/** Code of the error when a name has addresses, but none of the family. */
export const familyLacking = 'NO_ADDRESS_OF_FAMILY'

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

/** What a connection needs from its check. */
export interface ConnectionContext {
  clock: Clock
  resolve: Resolve
  trust: Trust
  egress: Egress
}

/**
 * The connection of one check. The caller must close it in every case. If the name has several addresses, the first that connects wins: the
 * next one is tried when one fails, or has not connected in `limits.check.nextAddressMs` (RFC 8305).
 */
export class Connection {
  #listener: ConnectionListener | null
  /** The winner; null: none has connected. */
  #line: Line | null = null
  readonly #attempts = new Set<Line>()
  readonly #waiting: string[] = []
  /** Addresses that were tried or wait. */
  #count = 0
  #mayFollow = false
  #failure: Error | null = null
  /** The name has addresses, but none of the wanted family yet. */
  #isOfOtherFamily = false
  #cancelNext: Cancel | null = null

  constructor(listener: ConnectionListener) {
    this.#listener = listener
  }

  open(target: ConnectionTarget, context: ConnectionContext): void {
    if (target.literal) this.#take(target, context, null, [target.hostname], false)
    else
      context.resolve(
        target.hostname,
        (error, addresses, mayFollow = false) => {
          if (this.#listener !== null && this.#line === null) this.#take(target, context, error, addresses, mayFollow)
        },
        families[target.ipFamily],
      )
  }

  write(bytes: Buffer): void {
    this.#line?.socket.write(bytes)
  }

  /** Continues to read after `onBytes` has returned false. */
  resume(): void {
    this.#line?.resume()
  }

  /** Returns the certificate of the server, from which those of its issuers can be read; null: the connection is not secured. */
  certificate(): X509Certificate | null {
    const socket = this.#line?.socket
    return socket instanceof TLSSocket ? (socket.getPeerX509Certificate() ?? null) : null
  }

  /** Closes the connection. The listener is not called any more. */
  close(): void {
    this.#listener = null
    this.#cancelNext?.()
    for (const line of this.#attempts) line.close()
    this.#attempts.clear()
    this.#line?.close()
    this.#line = null
  }

  #take(
    target: ConnectionTarget,
    context: ConnectionContext,
    error: Error | null,
    all: readonly string[],
    mayFollow: boolean,
  ): void {
    const found = ofFamily(all, families[target.ipFamily])
    const isFirst = this.#count === 0 && this.#failure === null
    this.#mayFollow = mayFollow
    if (error !== null) this.#failure ??= error
    else if (found.length === 0 && all.length > 0) this.#isOfOtherFamily = true
    else if (isFirst) this.#listener?.onResolved()
    try {
      const open = permitted(context.egress, found, target.port).slice(0, limits.check.addresses - this.#count)
      this.#count += open.length
      this.#waiting.push(...open)
    } catch (closed) {
      this.#failure ??= closed as Error
    }
    if (this.#attempts.size === 0 || this.#cancelNext === null) this.#next(target, context)
  }

  /** Tries the next address. Without any, the connection has failed, unless another attempt or further addresses may still help. */
  #next(target: ConnectionTarget, context: ConnectionContext): void {
    this.#cancelNext?.()
    this.#cancelNext = null
    const address = this.#waiting.shift()
    if (address === undefined) {
      if (this.#attempts.size === 0 && !this.#mayFollow)
        this.#listener?.onFailed(this.#failure ?? noAddress(this.#isOfOtherFamily))
      return
    }
    const line = target.secure ? this.#tls(target, address, context) : this.#tcp(target, address)
    this.#attempts.add(line)
    line.listener = this.#race(line, target, context)
    if (this.#waiting.length > 0 || this.#mayFollow)
      this.#cancelNext = context.clock.schedule(limits.check.nextAddressMs, () => this.#next(target, context))
  }

  #race(line: Line, target: ConnectionTarget, context: ConnectionContext): LineListener {
    return {
      onConnected: () => {
        this.#cancelNext?.()
        this.#attempts.delete(line)
        for (const other of this.#attempts) other.close()
        this.#attempts.clear()
        this.#line = line
        line.listener = this.#listener
        this.#listener?.onConnected()
      },
      onFailed: error => {
        this.#attempts.delete(line)
        line.close()
        // That this machine has no network of one family says less than what the other family met.
        if (this.#failure === null || isUnreachable(this.#failure)) this.#failure = error
        this.#next(target, context)
      },
      onBytes: () => false,
      onEnd: () => undefined,
    }
  }

  #tcp({ port }: ConnectionTarget, host: string): Line {
    const line = idle.pop() ?? new Line(reading => new Socket(reading))
    line.isReusable = true
    line.socket.connect({ port, host })
    return line
  }

  /**
   * The handshake verifies the certificate but does not refuse it; `#judge` refuses an invalid certificate before anything is sent. A
   * socket that refuses a certificate itself is destroyed before the certificate's dates can be read.
   */
  #tls(target: ConnectionTarget, host: string, { trust }: ConnectionContext): Line {
    // `tls.connect` passes `onread` to the socket as `net.connect` does, but its types lack the option.
    const open = (reading: object) =>
      connectTls({
        ...reading,
        port: target.port,
        host,
        servername: serverNameOf(target),
        ALPNProtocols: target.protocols,
        secureContext: trust.contextFor(target.authority),
        rejectUnauthorized: false,
        checkServerIdentity,
      })
    const line = new Line(open)
    const { socket } = line
    line.explain = error => (wantsCertificate(error, socket) ? Object.assign(error, { code: clientCertificateWanted }) : error)
    socket.setNoDelay(true)
    socket.once('secureConnect', () => this.#judge(socket, target))
    return line
  }

  #judge(socket: TLSSocket, { verify }: ConnectionTarget): void {
    if (socket.authorized || !verify) this.#listener?.onSecured()
    else this.#listener?.onFailed(refusalOf(socket))
  }
}

/** A host name may end with a dot, but a TLS server name may not (RFC 6066, 3). */
const serverNameOf = ({ literal, hostname, serverName }: ConnectionTarget): string =>
  serverName || (literal ? '' : hostname.replace(/\.$/, ''))

export const families = { any: undefined, 4: 4, 6: 6 } as const

export const ofFamily = (addresses: readonly string[], family: 4 | 6 | undefined): readonly string[] =>
  family === undefined ? addresses : addresses.filter(address => isIP(address) === family)

const isUnreachable = (error: Error): boolean => (error as NodeJS.ErrnoException).code === 'ENETUNREACH'

/** `isOfOtherFamily`: the name has addresses, but none of the family. */
export const noAddress = (isOfOtherFamily: boolean): Error =>
  Object.assign(new Error('no address'), { code: isOfOtherFamily ? familyLacking : 'ENOTFOUND', syscall: 'getaddrinfo' })

function refusalOf(socket: TLSSocket): CertificateError {
  const certificate = socket.getPeerCertificate(true)
  const code = String((socket.authorizationError as unknown as NodeJS.ErrnoException | string) ?? 'UNVERIFIED')
  const [validFrom, validTo] = [Date.parse(certificate.valid_from), Date.parse(certificate.valid_to)]
  return new CertificateError(refinedCode(code, chainOf(certificate)), validFrom, validTo)
}

type LineListener = Pick<ConnectionListener, 'onConnected' | 'onFailed' | 'onBytes' | 'onEnd'>

/**
 * A socket and its present listener. A plain socket that was closed is connected again for a later check, which Node allows. A new socket
 * would cost more CPU, and the old socket would stay in memory until the next full garbage collection (ADR 15).
 */
class Line<S extends Socket = Socket> {
  listener: LineListener | null = null
  isReusable = false
  /** Says more of an error of this socket. */
  explain = (error: Error): Error => error
  readonly socket: S

  constructor(open: (options: object) => S) {
    const callback = (length: number) => this.listener?.onBytes(arrivals.subarray(0, length)) ?? false
    this.socket = open({ noDelay: true, onread: { buffer: arrivals, callback } })
    this.socket.on('connect', () => this.listener?.onConnected())
    this.socket.on('error', error => this.listener?.onFailed(this.explain(error)))
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
