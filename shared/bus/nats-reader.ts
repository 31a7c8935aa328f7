// Reads one filter of a stream in exact order: a consumer of its own on the server, pulled in bounded batches, made anew from
// the last position whenever its deliveries have a gap, its heartbeats stop, or the connection was lost. It never acknowledges.
// The client library's own ordered consumers go on silently on a stream that was recreated, and its watches end with it.
import { JetStreamApiError } from '@nats-io/jetstream'
import { createInbox, type Msg, nanos, type Subscription } from '@nats-io/transport-node'
import { serverCodes } from '#shared/bus/declarations.ts'
import { consumerConfig, type Position, parsePosition, type ReaderStart } from '#shared/bus/nats-consumer.ts'
import { asBusError, type Link } from '#shared/bus/nats-link.ts'
import type { Cancel } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'

export interface ReaderOptions {
  stream: string
  filter: string
  start: ReaderStart
  /** In stream order, each once. False asks for a pause until `resume`. Must not throw. */
  onMessage(message: Msg, position: Position): boolean
  /** The reader stands at its start, for the first time or because the stream is another; `pending` messages wait. */
  onStart?(pending: number): void
  /** Nothing waits on the server at the moment. */
  onIdle?(): void
  /** What to do where the stream is gone, another, or shorter than what was read: `null` starts over, else called once. */
  onBroken: ((reason: string) => void) | null
}

export interface Reader {
  resume(): void
  close(): Promise<void>
}

const { readerBatch, readerExpiresMs, readerHeartbeatMs, readerRetryMs, readerRetryMsMax } = limits.bus
const heartbeatsMissed = 3

/** Resolves when the server has the reader; rejects with a BusError. */
export async function openReader(link: Link, options: ReaderOptions): Promise<Reader> {
  const reader = new StreamReader(link, options)
  try {
    await reader.begin()
  } catch (error) {
    await reader.close()
    throw asBusError(error)
  }
  return reader
}

class StreamReader implements Reader {
  readonly #link: Link
  readonly #options: ReaderOptions
  readonly #stopListening: () => void
  /** Tells callbacks of an earlier consumer from those of the present one. */
  #incarnation = 0
  #closed = false
  #started = false
  #streamCreatedAt: string | null = null
  #consumer: string | null = null
  #subscription: Subscription | null = null
  #inbox = ''
  /** The sequence of the last message that arrived; 0 before the first. */
  #cursor = 0
  #delivered = 0
  /** Messages that the server was asked for and has not sent. */
  #outstanding = 0
  #paused = false
  #held: { message: Msg; position: Position }[] = []
  #heardAt = 0
  #failures = 0
  #failingSince: number | null = null
  #cancelTimer: Cancel

  constructor(link: Link, options: ReaderOptions) {
    this.#link = link
    this.#options = options
    this.#cancelTimer = () => undefined
    this.#stopListening = link.onConnection(connected => (connected ? this.#restart(0) : this.#forget()))
  }

  /** Makes the consumer at the present position and asks for the first messages. */
  async begin(): Promise<void> {
    this.#forget()
    const mine = this.#incarnation
    this.#inbox = createInbox(this.#link.inboxPrefix)
    this.#subscription = this.#link.connection.subscribe(this.#inbox, {
      callback: (error, message) => {
        if (mine !== this.#incarnation) return
        if (error) this.#fail(error)
        else this.#receive(message)
      },
    })
    const answers = await this.#administer(mine)
    if (answers === null) return
    const { consumer, created, state } = answers
    this.#consumer = consumer.name
    const sameStream = this.#streamCreatedAt === null || this.#streamCreatedAt === created
    const lastRead = Math.max(this.#cursor, 'sequence' in this.#options.start ? this.#options.start.sequence - 1 : 0)
    if (!sameStream || state.last_seq < lastRead) {
      this.#streamCreatedAt = created
      if (this.#break(sameStream ? 'the stream ends before what was read' : 'the stream is another')) return
      this.#cursor = 0
      this.#started = false
      return this.begin()
    }
    this.#streamCreatedAt = created
    this.#failingSince = null
    if (!this.#started) this.#options.onStart?.(consumer.num_pending)
    this.#started = true
    this.#heardAt = this.#link.clock.monotonic()
    this.#pull()
    this.#watchHeartbeats()
  }

  /** Makes the consumer, then looks at its stream; null where another attempt took over in the meantime. */
  async #administer(mine: number) {
    const { manager } = this.#link
    const { stream } = this.#options
    try {
      const consumer = await manager.consumers.add(
        stream,
        consumerConfig(this.#options.filter, this.#options.start, this.#cursor),
      )
      const { created, state } = await manager.streams.info(stream)
      if (mine === this.#incarnation) return { consumer, created: String(created), state }
    } catch (error) {
      if (mine === this.#incarnation) throw error
    }
    return null
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    while (!this.#paused && this.#held.length > 0) {
      const { message, position } = this.#held.shift()!
      this.#paused = !this.#options.onMessage(message, position)
    }
    this.#pull()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#stopListening()
    this.#held = []
    this.#forget()
  }

  #receive(message: Msg): void {
    this.#heardAt = this.#link.clock.monotonic()
    if (message.subject === this.#inbox) {
      this.#receiveStatus(message)
      return
    }
    const position = parsePosition(message.reply ?? '')
    if (position.delivery !== this.#delivered + 1) {
      this.#restart(0)
      return
    }
    this.#delivered = position.delivery
    this.#cursor = position.sequence
    this.#outstanding -= 1
    this.#failures = 0
    if (this.#paused) this.#held.push({ message, position })
    else this.#paused = !this.#options.onMessage(message, position)
    this.#pull()
  }

  #receiveStatus(message: Msg): void {
    const code = message.headers?.code ?? 0
    const said = message.headers?.description ?? ''
    if (code === 100) {
      this.#failures = 0
      const delivered = Number(message.headers?.get('Nats-Last-Consumer') || this.#delivered)
      if (delivered > this.#delivered) this.#restart(0)
      else this.#options.onIdle?.()
    } else if (code === 404 || code === 408) {
      const unsent = message.headers?.get('Nats-Pending-Messages')
      this.#outstanding = unsent ? Math.max(0, this.#outstanding - Number(unsent)) : 0
      this.#pull()
    } else this.#fail(new Error(`${code} ${said}`))
  }

  /** Asks for more once half of the batch has arrived; never more than the batch is on its way or held. */
  #pull(): void {
    if (this.#paused || this.#closed || this.#consumer === null || this.#outstanding > readerBatch / 2) return
    const batch = readerBatch - this.#outstanding
    this.#outstanding = readerBatch
    const subject = `${this.#link.apiPrefix}.CONSUMER.MSG.NEXT.${this.#options.stream}.${this.#consumer}`
    const request = `{"batch":${batch},"expires":${nanos(readerExpiresMs)},"idle_heartbeat":${nanos(readerHeartbeatMs)}}`
    this.#link.connection.publish(subject, request, { reply: this.#inbox })
  }

  #watchHeartbeats(): void {
    const mine = this.#incarnation
    this.#cancelTimer = this.#link.clock.after(readerHeartbeatMs, () => {
      if (mine !== this.#incarnation) return
      const silentMs = this.#link.clock.monotonic() - this.#heardAt
      if (this.#outstanding > 0 && silentMs > readerHeartbeatMs * heartbeatsMissed)
        this.#fail(new Error('its heartbeats stopped'))
      else this.#watchHeartbeats()
    })
  }

  /** Lets the present consumer go; what still comes from it is not ours any more. */
  #forget(): void {
    this.#incarnation += 1
    this.#cancelTimer()
    this.#subscription?.unsubscribe()
    this.#subscription = null
    if (this.#consumer !== null && this.#link.connected()) {
      this.#link.manager.consumers.delete(this.#options.stream, this.#consumer).catch(() => undefined)
    }
    this.#consumer = null
    this.#delivered = 0
    this.#outstanding = 0
  }

  #restart(delayMs: number): void {
    this.#forget()
    if (this.#closed) return
    const mine = this.#incarnation
    const again = () => {
      if (mine === this.#incarnation && this.#link.connected()) this.begin().catch(error => this.#fail(error))
    }
    if (delayMs === 0) again()
    else this.#cancelTimer = this.#link.clock.after(delayMs, again)
  }

  /** The consumer can't serve: another is made after a growing pause, unless it is time to give up. */
  #fail(error: Error): void {
    if (this.#closed) return
    const now = this.#link.clock.monotonic()
    this.#failingSince ??= now
    const streamGone = error instanceof JetStreamApiError && error.code === serverCodes.streamNotFound
    if (streamGone && this.#break('the stream is gone')) return
    if (now - this.#failingSince > limits.bus.readerGiveUpMs && this.#break(`its consumer cannot be restored: ${error.message}`))
      return
    this.#link.logger.debug({ err: error, stream: this.#options.stream }, 'A stream reader starts again.')
    const pauseMs = Math.min(readerRetryMsMax, readerRetryMs * 2 ** Math.min(this.#failures, 10))
    this.#restart(this.#failures === 0 ? 0 : pauseMs)
    this.#failures += 1
    if (streamGone) this.#link.declare().catch(() => undefined)
  }

  /** True where the reader ends here. */
  #break(reason: string): boolean {
    if (this.#options.onBroken === null) return false
    void this.close()
    this.#options.onBroken(reason)
    return true
  }
}
