// One connection to NATS, which all parts of the adapter use: its state, the work after a reconnect, and requests. The responses to all
// requests arrive at one inbox. When the connection is lost, waiting requests are rejected at once.
import type { JetStreamManager } from '@nats-io/jetstream'
import { AuthorizationError, createInbox, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node'
import { waitAtMost } from '#shared/async/wait-at-most.ts'
import { createWaitingAnswers } from '#shared/bus/clients/waiting-answers.ts'
import { LedSequences } from '#shared/bus/nats/nats-led-sequences.ts'
import type { BusPace, Refusals } from '#shared/bus/nats/nats-options.ts'
import { BusError } from '#shared/bus/port.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface Link {
  readonly connection: NatsConnection
  readonly manager: JetStreamManager
  readonly clock: Clock
  readonly logger: Logger
  /** Prefix of every inbox of this connection. A prober's permissions name this prefix. Undefined: the default prefix of NATS. */
  readonly inboxPrefix: string | undefined
  readonly pace: BusPace
  readonly led: LedSequences
  connected(): boolean
  onConnection(listener: (connected: boolean) => void): () => void
  /** Declares streams and buckets again if this connection has the right to do so; one attempt runs at a time. */
  declare(): Promise<void>
  /** Sends a request once; rejects with a BusError. */
  exchange(subject: string, payload: string, timeoutMs: number, headers?: MsgHdrs): Promise<Msg>
  close(): Promise<void>
}

export interface LinkOptions extends Pick<Link, 'connection' | 'manager' | 'clock' | 'logger' | 'inboxPrefix' | 'pace'> {
  declare: () => Promise<void>
  refusals: Refusals
}

/**
 * Returns true if the bus refuses the credentials. If credentials are revoked during a connection, the error is a protocol error, not an
 * AuthorizationError.
 */
const isRefusal = (error: Error): boolean =>
  error instanceof AuthorizationError || /authentication (revoked|expired)/i.test(error.message)

/** Returns the link of an open connection whose streams and buckets are declared. */
export function createLink(options: LinkOptions): Link {
  const { connection, logger, refusals, pace, clock } = options
  const listeners = new Set<(connected: boolean) => void>()
  let up = true
  let declaring: Promise<void> | null = null
  const exchanges = createExchanges(options, () => up)

  const declare = () => {
    declaring ??= options.declare().finally(() => {
      declaring = null
    })
    return declaring
  }
  const change = (connected: boolean) => {
    if (up === connected) return
    up = connected
    if (!up) exchanges.refuseAll()
    for (const listener of [...listeners]) listener(connected)
  }
  /**
   * Number of times that the connection was lost. If this number rises during a declaration, the link does not count as connected after the
   * declaration.
   */
  let losses = 0
  const comeBack = async () => {
    const before = losses
    const declared = declare().catch(error => logger.warn({ err: error }, 'streams could not be declared after a reconnect'))
    await waitAtMost(clock, pace.declareMs, declared)
    if (before === losses) change(true)
  }
  /** Logs refused credentials only once after a loss of the connection, because the bus refuses every attempt to reconnect. */
  const noteError = (error: Error) => {
    if (!isRefusal(error)) {
      logger.warn({ err: error }, 'bus refused an operation')
      return
    }
    refusals.count += 1
    if (refusals.count === 1) logger.warn({ err: error }, 'bus refuses the credentials')
  }
  const follow = async () => {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect' || status.type === 'close') {
        losses += 1
        change(false)
      } else if (status.type === 'reconnect') {
        refusals.count = 0
        void comeBack()
      } else if (status.type === 'error') noteError(status.error)
    }
    change(false)
  }
  void follow()
  return {
    ...options,
    led: new LedSequences(),
    declare,
    connected: () => up,
    onConnection: listener => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    exchange: exchanges.send,
    close: async () => {
      exchanges.close()
      await connection.close()
      change(false)
    },
  }
}

/**
 * Returns a sender of requests whose responses arrive at one inbox. The library's own requests cost more, because every request of the
 * library needs its own timer and race of promises.
 */
function createExchanges({ connection, clock, inboxPrefix }: LinkOptions, isUp: () => boolean) {
  const inbox = createInbox(inboxPrefix)
  const answers = createWaitingAnswers<string, Msg>(clock)
  let numbered = 0

  const subscription = connection.subscribe(`${inbox}.*`, {
    callback: (error, message) => {
      if (error) return
      const token = message.subject.slice(inbox.length + 1)
      if (message.data.length === 0 && message.headers?.code === 503) {
        answers.refuse(token, new BusError('no_responders', 'Nobody on the bus answers this subject.'))
      } else answers.answer(token, message)
    },
  })
  const send = (subject: string, payload: string, timeoutMs: number, headers?: MsgHdrs): Promise<Msg> => {
    if (!isUp()) return Promise.reject(notConnected())
    numbered += 1
    const token = numbered.toString(36)
    const answer = answers.wait(token, timeoutMs)
    try {
      connection.publish(subject, payload, headers ? { reply: `${inbox}.${token}`, headers } : { reply: `${inbox}.${token}` })
    } catch (error) {
      answers.refuse(token, new BusError('unavailable', 'The bus did not take the message.', error))
    }
    return answer
  }
  const close = () => {
    answers.close()
    subscription.unsubscribe()
  }
  return { send, refuseAll: answers.refuseAll, close }
}

/**
 * Runs a request that reads or changes the configuration or state of a stream. Rejects with a BusError; while disconnected, rejects at
 * once.
 */
export async function administer<T>(link: Link, task: (manager: JetStreamManager) => Promise<T>): Promise<T> {
  if (!link.connected()) throw notConnected()
  return task(link.manager).catch(error => Promise.reject(asBusError(error)))
}

const notConnected = () => new BusError('unavailable', 'The bus is not connected.')

/** Returns a BusError for an error that `administer` caught. */
export function asBusError(error: unknown): BusError {
  return error instanceof BusError ? error : new BusError('unavailable', `The bus refused: ${(error as Error).message}.`, error)
}
