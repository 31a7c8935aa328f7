// The bus port: requests, nudges, the observation stream and the buckets, as the services see them. The NATS adapter and the
// simulation's in-memory bus implement it; nothing outside shared/bus imports a NATS client.

export interface RequestOptions {
  /** How long this single try may take, ms. */
  timeoutMs: number
  /** Travels in the headers, comes out of `Incoming.traceId`. */
  traceId?: string
}

/** A request or a nudge as its receiver sees it. */
export interface Incoming {
  subject: string
  /** The parsed JSON body; not validated: the receiver checks it against its contract. */
  body: unknown
  traceId: string
  /** Answers a request; a no-op on a nudge. Only the first call counts. */
  respond(body: unknown): void
}

export interface SubscribeOptions {
  /** One of the members of a queue gets each message. */
  queue?: string
  /** The bus itself ends the subscription after this many messages: the rest finds nobody. A reconnect may cost it that knowledge. */
  most?: number
}

export interface Subscription {
  /** Stops taking new messages and waits for the server to know it. */
  close(): Promise<void>
}

/** One report read from the observation stream. */
export interface StreamMessage {
  subject: string
  sequence: number
  /** The server's own time of the message, ms since the epoch. */
  at: number
  body: unknown
}

export interface StreamState {
  /** The stream's creation time as text: its identity. */
  createdAt: string
  firstSequence: number
  lastSequence: number
  /** The stamp of the newest message, ms since the epoch; 0 or less: there was none. Older ones may have later stamps where the clock was set. */
  lastAt: number
  /** The bus's time when it answered, ms since the epoch; null where it does not say. */
  askedAt: number | null
}

export interface Feed {
  /** Called by the reader when it has room again; the feed stops pulling above its backlog. */
  resume(): void
  close(): Promise<void>
}

export interface FeedOptions {
  partition: number
  /** The first sequence wanted; or a time from which to read. */
  from: { sequence: number } | { time: number }
  /** In stream order, exactly once per opened feed. Returns false to ask for a pause until `resume`. */
  onMessage(message: StreamMessage): boolean
  /** The feed may miss reports that the stream got in the last `forMs` ms, and all that it gets until `onHearing`. */
  onDeaf?(forMs: number): void
  /** Whatever the stream had when the feed could read it again has been delivered. */
  onHearing?(): void
  /** The feed can't go on in order (stream recreated, consumer lost, messages missing): close it and open another. */
  onBroken(reason: string): void
}

export interface ObservationStream {
  /** Resolves when the stream has it; rejects with a BusError (unavailable, full). May be repeated: a report carries its own identity. */
  publish(subject: string, body: unknown): Promise<void>
  state(): Promise<StreamState>
  /** The sequence of the newest message of one partition; 0 when there is none, or none at or after `since` (ms since the epoch). */
  lastSequenceOf(partition: number, since?: number): Promise<number>
  open(options: FeedOptions): Promise<Feed>
  /** The sequence of one partition's first message at or after `sequence`; null when there is none. */
  firstSequenceOf(partition: number, sequence: number): Promise<number | null>
  /** Removes all messages below `sequence`, of all partitions: a server drops whole files, but looks for one partition's message by message. */
  purgeBelow(sequence: number): Promise<void>
}

/** How far somebody has read a bucket. */
export interface BucketPosition {
  /** Identity of the stream behind the bucket: another one means that all was lost and revisions began anew. */
  stream: string
  revision: number
}

export interface BucketPage {
  /** In the order of their revisions; removals too. Of a key written several times, the newest. */
  entries: BucketEntry[]
  /** Where the next page begins. */
  position: BucketPosition
  /** Nothing is newer. */
  isLast: boolean
}

export interface BucketEntry {
  key: string
  revision: number
  /** The server's own time of this revision, ms since the epoch. */
  at: number
  /** Parsed JSON; null where the key was removed. */
  value: unknown
}

export interface Bucket {
  /** Null for a key that was removed, as for one that never was. */
  get(key: string): Promise<BucketEntry | null>
  /** Writes whatever is there; answers the new revision. */
  put(key: string, value: unknown): Promise<number>
  /** Compare-and-set; revision 0 means that the key must not exist. Null where somebody else was first. */
  update(key: string, value: unknown, revision: number): Promise<number | null>
  delete(key: string): Promise<void>
  /**
   * First every present key that matches `filter` (`*` one token, `>` the rest), then `onReady`, then every change in order.
   * Survives reconnects; after one, entries may be repeated.
   */
  watch(filter: string, handlers: { onEntry(entry: BucketEntry): void; onReady?(): void }): Promise<Subscription>
  /** Present entries that match the filter. */
  list(filter: string): Promise<BucketEntry[]>
  /**
   * The next changes that match the filter, `most` at most. Begins with the first of all if `after` is null, or is a position in
   * another stream than the present one. Rejects with a BusError; may be repeated.
   */
  page(filter: string, after: BucketPosition | null, most: number): Promise<BucketPage>
}

export type BucketName = 'leases' | 'presence' | 'checks' | 'revocations' | 'installation'

export interface Bus {
  readonly observations: ObservationStream
  bucket(name: BucketName): Bucket
  /** One try. Rejects with BusError no_responders (at once), timeout, or unavailable. Answers the parsed JSON body. */
  request(subject: string, body: unknown, options: RequestOptions): Promise<unknown>
  /** Nobody needs to hear it. */
  publish(subject: string, body: unknown, traceId?: string): void
  /** `onMessage` must not throw. */
  subscribe(subject: string, onMessage: (message: Incoming) => void, options?: SubscribeOptions): Promise<Subscription>
  connected(): boolean
  /** How long one try of a request should wait, ms: less where an answer may be lost with one of several servers. */
  readonly tryMs: number
  /** Called on each change between connected and cut off; returns a function that stops it. */
  onConnection(listener: (connected: boolean) => void): () => void
  /** By how much the server's clock is ahead of `now`, by the quickest of a few round trips. */
  clockOffset(now: () => number): Promise<ClockOffset>
  close(): Promise<void>
}

/** One measure of the server's clock, ms. */
export interface ClockOffset {
  /** Wrong by at most half of the round trip. */
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
