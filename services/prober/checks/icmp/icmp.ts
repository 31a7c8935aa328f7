// A check by ping: echo requests 200 ms apart to the first address to which this machine can send, until enough replies have come. Owns its
// socket, and releases it in every case. Never throws.
import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { type IcmpAnswers, icmpFields } from '#shared/checks/icmp/fields.ts'
import { judgePings } from '#shared/checks/icmp/judge.ts'
import { slowness } from '#shared/checks/slowness.ts'
import type { CheckEntry } from '#shared/contracts/observations/check.ts'
import { permitted } from '#shared/net/egress.ts'
import { parseHost } from '#shared/net/host-port.ts'
import type { Resolved } from '#shared/net/resolve.ts'
import { BoundedCheck, type Done } from '../bounded-check.ts'
import type { CheckContext, Checker } from '../checker.ts'
import { families, noAddress, ofFamily } from '../connection.ts'
import { optionsIn } from '../options.ts'
import { errorSentence, timeoutSentence } from '../sentences.ts'
import { CannotPing, type Family, type OpenPingSocket, openPingSocket, type PingSocket } from './ping-socket.ts'

/** Time between two pings. It is shorter if they would not all be sent before the timeout. */
const betweenMs = 200
const payloadBytes = 16

/** Makes checks with the sockets of `open`. */
export const createPingChecker =
  (open: OpenPingSocket): Checker =>
  (entry, context, done) =>
    new PingCheck(optionsIn(icmpFields, entry), entry, context, done, open)

export const checkPing = createPingChecker(openPingSocket)

class PingCheck extends BoundedCheck<IcmpAnswers> {
  readonly #open: OpenPingSocket
  readonly #host = parseHost(this.options.host) ?? this.options.host
  /** Addresses of the host that are known so far. */
  readonly #addresses: string[] = []
  #isBegun = false
  #socket: PingSocket | null = null
  /** Instants of the pings without a reply, by their payload. */
  readonly #waiting = new Map<string, number>()
  readonly #roundTrips: number[] = []

  constructor(options: IcmpAnswers, entry: CheckEntry, context: CheckContext, done: Done, open: OpenPingSocket) {
    super(options, entry, context, done)
    this.#open = open
  }

  start(): void {
    this.after(this.totalMs, () => this.#fail(this.#fault() ?? timeoutSentence('answer', this.totalMs)))
    if (isIP(this.#host) !== 0) this.#take(null, [this.#host], false)
    else {
      const take: Resolved = (error, addresses, mayFollow = false) => this.#take(error, addresses, mayFollow)
      this.context.resolve(this.#host, take, this.#family)
    }
  }

  #take(error: Error | null, addresses: readonly string[], mayFollow: boolean): void {
    if (this.isSettled || this.#isBegun) return
    this.#addresses.push(...addresses)
    try {
      const open = permitted(this.context.egress, ofFamily(this.#addresses, this.#family), null)
      if (open.length > 0) void this.#begin(open)
      else if (!mayFollow) throw error ?? noAddress(this.#addresses.length > 0)
    } catch (failure) {
      if (!mayFollow) this.#failBy(failure as Error, 'name')
    }
  }

  get #family(): Family | undefined {
    return families[this.options.ip_family]
  }

  async #begin(addresses: readonly string[]): Promise<void> {
    this.#isBegun = true
    if (isIP(this.#host) === 0) this.dnsMs = this.elapsed()
    let failure: unknown
    for (const address of addresses) {
      try {
        await this.#pingAll(address)
        return
      } catch (error) {
        failure = error
        this.release()
      }
      if (this.isSettled) return
    }
    if (failure instanceof CannotPing) this.settle(failure.message, { value: null, cannot: true })
    else this.#failBy(failure as Error, 'connect')
  }

  /** Resolves when the first ping is sent. Rejects if it cannot be sent. A later one that cannot be sent is lost. */
  async #pingAll(address: string): Promise<void> {
    const socket = await this.#open(isIP(address) as Family, payload => this.#onReply(payload))
    this.#socket = socket
    if (this.isSettled) return this.release()
    const { count } = this.options
    const gapMs = Math.min(betweenMs, (this.totalMs - this.elapsed()) / count)
    const ping = (number: number) => {
      const payload = randomBytes(payloadBytes)
      this.#waiting.set(payload.toString('hex'), this.context.clock.monotonic())
      return socket.ping(address, number, payload)
    }
    await ping(1)
    for (let number = 2; number <= count; number++)
      this.after((number - 1) * gapMs, () => void ping(number).catch(() => undefined))
  }

  #onReply(payload: Buffer): void {
    const key = payload.toString('hex')
    const sentAt = this.#waiting.get(key)
    if (sentAt === undefined || this.isSettled) return
    this.#waiting.delete(key)
    this.#roundTrips.push(this.since(sentAt))
    if (this.#fault() !== null) return
    const value = Math.min(...this.#roundTrips)
    this.settle(slowness(this.options.max_ms, value), { value })
  }

  #fault(): string | null {
    return this.#isBegun ? judgePings(this.options, this.#roundTrips.length) : null
  }

  #fail(fault: string): void {
    this.settle(fault, { value: null })
  }

  #failBy(error: Error, phase: 'name' | 'connect'): void {
    const target = { hostname: this.#host, ipFamily: this.options.ip_family, serverName: '' }
    this.#fail(errorSentence(error, phase, target, this.context.clock.now()))
  }

  protected release(): void {
    this.#socket?.close()
    this.#socket = null
  }
}
