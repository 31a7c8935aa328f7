// Reader of the messages of a stream that match one filter, in exact order. The reader has a consumer on the server and pulls bounded
// batches. After a gap in the deliveries, missing heartbeats or a lost connection, it creates a new consumer at the last position. It never
// acknowledges messages. The client library's ordered consumers are not used: on a recreated stream they continue without a notice, and
// their watches end if the stream is deleted.
import { JetStreamApiError } from '@nats-io/jetstream'
import { createInbox, type Msg, type Subscription } from '@nats-io/transport-node'
import { serverCodes } from '#shared/bus/declarations.ts'
import { ConsumerMaker, type Position, parseHeartbeat, parsePosition, type ReaderStart } from '#shared/bus/nats/nats-consumer.ts'
import { Hearing, type HearingListener } from '#shared/bus/nats/nats-hearing.ts'
import { asBusError, type Link } from '#shared/bus/nats/nats-link.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Cancel } from '#shared/time/clock.ts'

export interface ReaderOptions extends HearingListener {
  stream: string
  filter: string
  start: ReaderStart
  /** Called in stream order, once per message. Returns false to pause until `resume`. Must not throw. */
  onMessage(message: Msg, position: Position): boolean
  /**
   * Called when the reader starts from the beginning: at first, and again if the stream was replaced. `pending`: number of messages that
   * wait on the server.
   */
  onStart?(pending: number): void
  /** Called when no message waits on the server at the moment. */
  onIdle?(): void
  /**
   * Called once if the reader cannot continue: the stream was deleted or replaced, or has lost messages that were read, or the consumer
   * cannot be restored. If `onBroken` is null, the reader starts again and does not stop.
   */
  onBroken: ((reason: string) => void) | null
}

export interface Reader {
  resume(): void
  close(): Promise<void>
}

const { readerBatch, readerRetryMs, readerRetryMsMax } = limits.bus

/** Resolves when the reader's consumer exists on the server; rejects with a BusError. */
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
  readonly #endings: (() => void)[]
  readonly #hearing: Hearing
  readonly #maker: ConsumerMaker
  /** Number of the present consumer. A callback of an earlier consumer has another number, and does nothing. */
  #incarnation = 0
  #closed = false
  #started = false
  #streamCreatedAt: string | null = null
  #consumer: string | null = null
  #subscription: Subscription | null = null
  #inbox = ''
  /** Position of the last message that arrived; sequence 0: none has arrived yet. */
  #last: Pick<Position, 'sequence' | 'at'> = { sequence: 0, at: 0 }
  #delivered = 0
  /** Number of messages that were requested from the server and have not arrived yet. */
  #outstanding = 0
  #paused = false
  #held: { message: Msg; position: Position }[] = []
  #failures = 0
  #failingSince: number | null = null
  #cancelTimer: Cancel

  constructor(link: Link, options: ReaderOptions) {
    this.#link = link
    this.#options = options
    this.#cancelTimer = () => undefined
    this.#hearing = new Hearing(link.clock, options)
    this.#maker = new ConsumerMaker(link, { ...options, looksForCuts: options.onBroken !== null })
    this.#endings = [
      link.onConnection(connected => this.#restart(connected ? 0 : null)),
      link.led.follow(options.stream, sequence => this.#hearing.led(sequence)),
    ]
  }

  /** Creates the consumer at the present position and requests the first messages. */
  async begin(): Promise<void> {
    this.#forget()
    const mine = this.#incarnation
    this.#inbox = createInbox(this.#link.inboxPrefix)
    this.#subscription = this.#link.connection.subscribe(this.#inbox, {
      callback: (error, message) => {
        if (mine !== this.#incarnation) return
        if (error) this.#fail(error)
        else if (message.subject === this.#inbox) this.#receiveStatus(message)
        else this.#receive(message)
      },
    })
    const made = await this.#maker.make(this.#last, () => mine === this.#incarnation)
    if (made === null) return
    const { consumer, created, state, isCut, ledSequence } = made
    this.#consumer = consumer.name
    const sameStream = this.#streamCreatedAt === null || this.#streamCreatedAt === created
    const lastRead = Math.max(this.#last.sequence, 'sequence' in this.#options.start ? this.#options.start.sequence - 1 : 0)
    if (!sameStream || isCut || state.last_seq < lastRead) {
      this.#streamCreatedAt = created
      if (this.#break(sameStream ? 'the stream ends before what was read' : 'the stream is another')) return
      this.#last = { sequence: 0, at: 0 }
      this.#started = false
      return this.begin()
    }
    this.#streamCreatedAt = created
    this.#failingSince = null
    if (!this.#started) this.#options.onStart?.(consumer.num_pending)
    this.#started = true
    this.#pull()
    this.#watchHeartbeats()
    this.#hearing.found(consumer.num_pending, ledSequence)
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
    for (const end of this.#endings) end()
    this.#held = []
    this.#forget()
    this.#maker.close()
  }

  #receive(message: Msg): void {
    const position = parsePosition(message.reply ?? '')
    if (position.delivery !== this.#delivered + 1) {
      this.#restart(0)
      return
    }
    this.#delivered = position.delivery
    this.#last = position
    this.#outstanding -= 1
    this.#failures = 0
    if (this.#paused) this.#held.push({ message, position })
    else this.#paused = !this.#options.onMessage(message, position)
    this.#hearing.delivered(position.sequence, position.pending)
    this.#pull()
  }

  #receiveStatus(message: Msg): void {
    this.#hearing.sign()
    const code = message.headers?.code ?? 0
    const said = message.headers?.description ?? ''
    if (code === 100) {
      this.#failures = 0
      const { delivery = this.#delivered, sequence } = parseHeartbeat(message)
      if (delivery > this.#delivered) this.#restart(0)
      else {
        this.#hearing.has(sequence)
        this.#options.onIdle?.()
      }
    } else if (code === 404 || code === 408) {
      const unsent = message.headers?.get('Nats-Pending-Messages')
      this.#outstanding = unsent ? Math.max(0, this.#outstanding - Number(unsent)) : 0
      this.#pull()
    } else this.#fail(new Error(`${code} ${said}`))
  }

  /**
   * Requests more messages as soon as half of a batch has arrived. Messages that are requested, and messages that are held during a pause,
   * are together at most one batch.
   */
  #pull(): void {
    if (this.#paused || this.#closed || this.#consumer === null || this.#outstanding > readerBatch / 2) return
    // Without an open request the server sends no heartbeats, so the silence is counted from this request.
    if (this.#outstanding === 0) this.#hearing.sign()
    this.#maker.pull(this.#consumer, readerBatch - this.#outstanding, this.#inbox)
    this.#outstanding = readerBatch
  }

  #watchHeartbeats(): void {
    const mine = this.#incarnation
    const { readerHeartbeatMs, readerHeartbeatsMissed } = this.#link.pace
    this.#cancelTimer = this.#link.clock.schedule(readerHeartbeatMs / 2, () => {
      if (mine !== this.#incarnation) return
      const isLost = this.#outstanding > 0 && this.#hearing.silentMs() > readerHeartbeatMs * readerHeartbeatsMissed
      if (isLost) this.#fail(new Error('its heartbeats stopped'))
      else if (this.#hearing.isBehind(this.#paused)) this.#fail(new Error("its server's copy of the stream is behind"))
      else this.#watchHeartbeats()
    })
  }

  /** Drops the present consumer. Later messages from this consumer are ignored. */
  #forget(): void {
    this.#incarnation += 1
    this.#cancelTimer()
    this.#subscription?.unsubscribe()
    this.#subscription = null
    if (this.#consumer !== null) this.#maker.remove(this.#consumer)
    this.#consumer = null
    this.#delivered = 0
    this.#outstanding = 0
  }

  /** Drops the consumer, and creates a new one after `delayMs`. Null: the connection is lost, and the reconnect creates the consumer. */
  #restart(delayMs: number | null): void {
    this.#forget()
    if (this.#closed) return
    this.#hearing.lost()
    if (delayMs === null) return
    const mine = this.#incarnation
    const again = () => {
      if (mine === this.#incarnation && this.#link.connected()) this.begin().catch(error => this.#fail(error))
    }
    if (delayMs === 0) again()
    else this.#cancelTimer = this.#link.clock.schedule(delayMs, again)
  }

  /** Replaces a failed consumer after a pause, which grows with each failure, or gives up. */
  #fail(error: Error): void {
    if (this.#closed) return
    const now = this.#link.clock.monotonic()
    this.#failingSince ??= now
    const streamGone = error instanceof JetStreamApiError && error.code === serverCodes.streamNotFound
    if (streamGone && this.#break('the stream is gone')) return
    if (now - this.#failingSince > limits.bus.readerGiveUpMs && this.#break(`its consumer cannot be restored: ${error.message}`))
      return
    this.#link.logger.debug({ err: error, stream: this.#options.stream }, 'stream reader starts again')
    const pauseMs = Math.min(readerRetryMsMax, readerRetryMs * 2 ** Math.min(this.#failures, 10))
    this.#restart(this.#failures === 0 ? 0 : pauseMs)
    this.#failures += 1
    if (streamGone) this.#link.declare().catch(() => undefined)
  }

  /** Closes the reader and calls `onBroken`, if it is set. Returns true if the reader is closed. */
  #break(reason: string): boolean {
    if (this.#options.onBroken === null) return false
    void this.close()
    this.#options.onBroken(reason)
    return true
  }
}
