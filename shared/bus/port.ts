// The bus port: requests, nudges (messages without a response), the observation stream and the buckets, for all services. The NATS adapter
// and the in-memory bus of the simulation implement it. No code outside shared/bus imports a NATS client.

export interface RequestOptions {
  /** Timeout of this single attempt, ms. */
  timeoutMs: number
  /** Sent in the headers, and available to the receiver as `Incoming.traceId`. */
  traceId?: string
}

/** A received request or nudge. */
export interface Incoming {
  subject: string
  /** Parsed JSON body. It is not validated: the receiver must check it against the contract. */
  body: unknown
  traceId: string
  /**
   * Sends the response to a request. Does nothing if the message is a nudge, because its sender expects no response. Only the first call
   * counts.
   */
  respond(body: unknown): void
}

export interface SubscribeOptions {
  /** Name of a queue. Only one member of the queue gets each message. */
  queue?: string
  /** The bus ends the subscription after this many messages; later messages have no receiver. A reconnect may reset the count. */
  most?: number
}

export interface Subscription {
  /** Stops receiving new messages and waits until the server has confirmed the stop. */
  close(): Promise<void>
}

/** One report from the observation stream. */
export interface StreamMessage {
  subject: string
  sequence: number
  /** Server time of the message, ms since the epoch. */
  at: number
  body: unknown
}

export interface StreamState {
  /** Creation time of the stream as text, which identifies the stream. */
  createdAt: string
  firstSequence: number
  lastSequence: number
  /**
   * Time stamp of the newest message, ms since the epoch; 0 or less: there is no message. If the server's clock was set back, older
   * messages may have later time stamps.
   */
  lastAt: number
  /** Bus time of the response, ms since the epoch; null: the bus does not report it. */
  askedAt: number | null
}

export interface Feed {
  /** Continues after `onMessage` returned false. */
  resume(): void
  close(): Promise<void>
}

export interface FeedOptions {
  partition: number
  /** First sequence to read, or a time from which to read. */
  from: { sequence: number } | { time: number }
  /** Called in stream order, exactly once for each message. Returns false to pause the feed until `resume`. */
  onMessage(message: StreamMessage): boolean
  /**
   * Called when the feed has lost the stream. It may have missed reports of the last `forMs` ms, and misses all later reports until
   * `onHearing`.
   */
  onDeaf?(forMs: number): void
  /** Called when the feed has caught up: it has delivered all reports that waited when it could read again. */
  onHearing?(): void
  /**
   * Called when the feed cannot continue in order (stream recreated, consumer lost, messages missing). The receiver closes this feed and
   * opens another.
   */
  onBroken(reason: string): void
}

export interface ObservationStream {
  /** Resolves when the stream has stored the report; rejects with a BusError (unavailable, full). May be repeated. */
  publish(subject: string, body: unknown): Promise<void>
  state(): Promise<StreamState>
  /** Returns the sequence of one partition's newest message; 0: there is no message, or none at or after `since` (ms since the epoch). */
  lastSequenceOf(partition: number, since?: number): Promise<number>
  open(options: FeedOptions): Promise<Feed>
  /** Returns the sequence of one partition's first message at or after `sequence`; null: there is no such message. */
  firstSequenceOf(partition: number, sequence: number): Promise<number | null>
  /** Removes all messages below `sequence`, whatever their partition, because a server drops whole files faster than single messages. */
  purgeBelow(sequence: number): Promise<void>
}

/** Position of a reader in a bucket. */
export interface BucketPosition {
  /** Identity of the bucket's stream. If it changes, all entries were lost and revisions start again. */
  stream: string
  revision: number
}

export interface BucketPage {
  /** Changes in the order of their revisions, including removals. Of several changes of a key, only the newest is included. */
  entries: BucketEntry[]
  /** Position at which the next page starts. */
  position: BucketPosition
  /** True if there are no newer changes. */
  isLast: boolean
}

export interface BucketEntry {
  key: string
  revision: number
  /** Server time of this revision, ms since the epoch. */
  at: number
  /** Parsed JSON; null: the key was removed. */
  value: unknown
}

export interface Bucket {
  /** Returns null for a key that was removed or never existed. */
  get(key: string): Promise<BucketEntry | null>
  /** Writes the value without a condition; returns the new revision. */
  put(key: string, value: unknown): Promise<number>
  /**
   * Writes the value if the key has this revision (compare-and-set); revision 0: the key must not exist. Returns the new revision, or null
   * if the key has another revision.
   */
  update(key: string, value: unknown, revision: number): Promise<number | null>
  delete(key: string): Promise<void>
  /** Removes the key if it has this revision; returns false if it has another one. */
  deleteAt(key: string, revision: number): Promise<boolean>
  /** Removes all keys that match the filter, and every trace of them: no watch gets these removals. */
  purge(filter: string): Promise<void>
  /**
   * Delivers every present key that matches `filter` (`*` one token, `>` the rest), then calls `onReady`, then delivers every change in
   * order. Survives reconnects; after a reconnect, entries may be repeated.
   */
  watch(filter: string, handlers: { onEntry(entry: BucketEntry): void; onReady?(): void }): Promise<Subscription>
  /** Returns present entries that match the filter. */
  list(filter: string): Promise<BucketEntry[]>
  /**
   * Returns the next changes that match the filter, at most `most`. Begins with the first change if `after` is null, or if the stream of
   * `after` was replaced since. Rejects with a BusError; may be repeated.
   */
  page(filter: string, after: BucketPosition | null, most: number): Promise<BucketPage>
}

export type BucketName = 'leases' | 'presence' | 'checks' | 'check-pages' | 'revocations' | 'installation'

export interface Bus {
  readonly observations: ObservationStream
  bucket(name: BucketName): Bucket
  /**
   * Sends a request once and returns the parsed JSON response. Rejects with a BusError: `no_responders` (at once), `timeout` or
   * `unavailable`.
   */
  request(subject: string, body: unknown, options: RequestOptions): Promise<unknown>
  /** Sends a nudge, which may have no receiver. */
  publish(subject: string, body: unknown, traceId?: string): void
  /** Subscribes to requests or nudges. `onMessage` must not throw. */
  subscribe(subject: string, onMessage: (message: Incoming) => void, options?: SubscribeOptions): Promise<Subscription>
  connected(): boolean
  /** Timeout for one attempt of a request, ms. Shorter in a cluster, where a dead server may lose a response. */
  readonly tryMs: number
  /** Called on each change between connected and disconnected. Returns a function that removes the listener. */
  onConnection(listener: (connected: boolean) => void): () => void
  /** Measures how far the server's clock is ahead of `now`. Makes several round trips and uses the fastest. */
  clockOffset(now: () => number): Promise<ClockOffset>
  close(): Promise<void>
}

/** One measurement of the server's clock, ms. */
export interface ClockOffset {
  /** Time by which the server's clock is ahead, ms. The error is at most half of `roundTripMs`. */
  aheadMs: number
  roundTripMs: number
}

export type BusErrorKind = 'no_responders' | 'timeout' | 'unavailable' | 'full'

export class BusError extends Error {
  readonly kind: BusErrorKind

  constructor(kind: BusErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'BusError'
    this.kind = kind
  }
}
