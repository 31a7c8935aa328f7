// One connection to NATS as the rest of the adapter sees it: whether it is up, what has to happen when it comes back, and
// requests whose answers share one inbox. A request in flight when the connection is lost is refused at once.
import type { JetStreamManager } from '@nats-io/jetstream'
import { AuthorizationError, createInbox, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node'
import type { BusPace, Refusals } from '#shared/bus/nats-options.ts'
import { BusError } from '#shared/bus/port.ts'
import { createWaitingAnswers } from '#shared/bus/waiting-answers.ts'
import type { Clock } from '#shared/clock.ts'
import type { Logger } from '#shared/logger.ts'
import { waitAtMost } from '#shared/wait-at-most.ts'

export interface Link {
  readonly connection: NatsConnection
  readonly manager: JetStreamManager
  readonly clock: Clock
  readonly logger: Logger
  /** The prefix of every inbox, so that permissions can name it; undefined takes the common one. */
  readonly inboxPrefix: string | undefined
  readonly pace: BusPace
  connected(): boolean
  onConnection(listener: (connected: boolean) => void): () => void
  /** Declares streams and buckets again where this connection may; one attempt runs at a time. */
  declare(): Promise<void>
  /** One try; rejects with a BusError. */
  exchange(subject: string, payload: string, timeoutMs: number, headers?: MsgHdrs): Promise<Msg>
  close(): Promise<void>
}

export interface LinkOptions extends Pick<Link, 'connection' | 'manager' | 'clock' | 'logger' | 'inboxPrefix' | 'pace'> {
  declare: () => Promise<void>
  refusals: Refusals
}

/** A revocation of a connection that is up comes as an error of the protocol. */
const isRefusal = (error: Error): boolean =>
  error instanceof AuthorizationError || /authentication (revoked|expired)/i.test(error.message)

/** Expects a connection that is up and declared. */
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
  /** Counts losses, so that a declaration that outlives its connection does not announce it. */
  let losses = 0
  const comeBack = async () => {
    const before = losses
    const declared = declare().catch(error => logger.warn({ err: error }, 'streams could not be declared after a reconnect'))
    await waitAtMost(clock, pace.declareMs, declared)
    if (before === losses) change(true)
  }
  /** Said once per loss: somebody whose credentials are revoked is refused for ever. */
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

/**
 * Requests and their answers over one inbox. The client library's own makes a timer, a race and two errors for each request;
 * at thousands of acknowledged publishes a second those cost more than the publishing.
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
    if (!isUp()) return Promise.reject(new BusError('unavailable', 'The bus is not connected.'))
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

/** Whatever the administration of the bus throws, as a BusError. */
export function asBusError(error: unknown): BusError {
  return error instanceof BusError ? error : new BusError('unavailable', `The bus refused: ${(error as Error).message}.`, error)
}
