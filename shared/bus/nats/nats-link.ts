// One connection to NATS for the rest of the adapter: its state, the work after a reconnect, and requests whose responses share one inbox.
// Requests in flight are rejected at once when the connection is lost.
import type { JetStreamManager } from '@nats-io/jetstream'
import { AuthorizationError, createInbox, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node'
import { waitAtMost } from '#shared/async/wait-at-most.ts'
import { createWaitingAnswers } from '#shared/bus/clients/waiting-answers.ts'
import type { BusPace, Refusals } from '#shared/bus/nats/nats-options.ts'
import { BusError } from '#shared/bus/port.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface Link {
  readonly connection: NatsConnection
  readonly manager: JetStreamManager
  readonly clock: Clock
  readonly logger: Logger
  /** Prefix of every inbox, so that permissions can name it; undefined: the default prefix. */
  readonly inboxPrefix: string | undefined
  readonly pace: BusPace
  connected(): boolean
  onConnection(listener: (connected: boolean) => void): () => void
  /** Declares streams and buckets again if this connection may; one attempt runs at a time. */
  declare(): Promise<void>
  /** Sends a request once; rejects with a BusError. */
  exchange(subject: string, payload: string, timeoutMs: number, headers?: MsgHdrs): Promise<Msg>
  close(): Promise<void>
}

export interface LinkOptions extends Pick<Link, 'connection' | 'manager' | 'clock' | 'logger' | 'inboxPrefix' | 'pace'> {
  declare: () => Promise<void>
  refusals: Refusals
}

/** The revocation of a live connection arrives as a protocol error. */
const isRefusal = (error: Error): boolean =>
  error instanceof AuthorizationError || /authentication (revoked|expired)/i.test(error.message)

/** Returns the link of a connection that is up and declared. */
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
  /** Number of lost connections, so that a declaration that ends after its connection does not report it as connected. */
  let losses = 0
  const comeBack = async () => {
    const before = losses
    const declared = declare().catch(error => logger.warn({ err: error }, 'streams could not be declared after a reconnect'))
    await waitAtMost(clock, pace.declareMs, declared)
    if (before === losses) change(true)
  }
  /** Logs a refusal once per loss, because the bus refuses revoked credentials at every attempt. */
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

/** Returns requests that share one inbox: a request of the library costs a timer and a race of promises, more than its publishing. */
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

/** Runs a request about a stream or a bucket itself. Rejects with a BusError, at once while the bus is disconnected. */
export async function administer<T>(link: Link, task: (manager: JetStreamManager) => Promise<T>): Promise<T> {
  if (!link.connected()) throw notConnected()
  return task(link.manager).catch(error => Promise.reject(asBusError(error)))
}

const notConnected = () => new BusError('unavailable', 'The bus is not connected.')

/** Returns an error of the bus administration as a BusError. */
export function asBusError(error: unknown): BusError {
  return error instanceof BusError ? error : new BusError('unavailable', `The bus refused: ${(error as Error).message}.`, error)
}
