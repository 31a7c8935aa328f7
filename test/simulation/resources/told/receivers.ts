// Receivers of messages over real HTTP. Each receiver notes every request, and responds as planned for the virtual instant of the request.
import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Random } from '../../random.ts'

const minute = 60_000

/** `lost`: the message is accepted, and the connection breaks before the response. */
export type Fare = 'takes' | 'fails' | 'busy' | 'gone' | 'lost'

export interface Spell {
  from: number
  until: number
  fare: Fare
}

export interface Request {
  destination: string
  at: number
  /** Idempotency-Key of the request. */
  key: string
  body: string
}

/**
 * Pause that a busy receiver requests, s. No delay of a rule is a multiple of this pause. Otherwise a retry and a message could be due at
 * one instant, in either order.
 */
export const busySeconds = 77

export class Receivers {
  readonly requests: Request[] = []
  readonly spells = new Map<string, Spell[]>()
  /** Receivers call this function when a request arrives. It can kill the sender. */
  onRequest: () => void = () => undefined
  readonly #now: () => number
  readonly #server: Server
  /** Requests to these receivers, as undici knows them, that have neither failed nor got the end of their response. */
  readonly #underWay = new Set<unknown>()
  readonly #watches: readonly (readonly [channel: string, ChannelListener])[]

  constructor(now: () => number) {
    this.#now = now
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const destination = (request.url ?? '').slice(1)
      const at = this.#now()
      const key = String(request.headers['idempotency-key'])
      this.requests.push({ destination, at, key, body: Buffer.concat(chunks).toString() })
      this.onRequest()
      respond(response, this.fareAt(destination, at))
    })
    const end: ChannelListener = event => void this.#underWay.delete((event as { request: unknown }).request)
    this.#watches = [
      ['undici:request:create', event => this.#begin((event as { request: { origin: string } }).request)],
      ['undici:request:trailers', end],
      ['undici:request:error', end],
    ]
  }

  /** Returns whether a notifier waits for a response, or for the rest of one. */
  isAwaited(): boolean {
    return this.#underWay.size > 0
  }

  async open(): Promise<void> {
    for (const [channel, listener] of this.#watches) subscribe(channel, listener)
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  urlOf(destination: string): string {
    return `${this.#origin()}/${destination}`
  }

  #origin(): string {
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}`
  }

  #begin(request: { origin: string }): void {
    if (request.origin === this.#origin()) this.#underWay.add(request)
  }

  fareAt(destination: string, at: number): Fare {
    return this.spells.get(destination)?.find(({ from, until }) => at >= from && at < until)?.fare ?? 'takes'
  }

  plan(random: Random, destination: string, start: number, lengthMs: number): void {
    const spells: Spell[] = []
    for (let at = start; at < start + lengthMs; ) {
      const from = at + random.integer(20, 400) * minute
      const until = from + random.pick([1, 10, 40, 150, 300]) * minute
      spells.push({ from, until, fare: random.pick(['fails', 'fails', 'busy', 'gone', 'lost'] as const) })
      at = until
    }
    this.spells.set(destination, spells)
  }

  close(): void {
    for (const [channel, listener] of this.#watches) unsubscribe(channel, listener)
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

function respond(response: ServerResponse, fare: Fare): void {
  if (fare === 'lost') response.destroy()
  else if (fare === 'busy') response.writeHead(429, { 'retry-after': String(busySeconds) }).end()
  else response.writeHead({ takes: 204, fails: 503, gone: 410 }[fare]).end()
}
