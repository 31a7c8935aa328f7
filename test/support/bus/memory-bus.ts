// The bus port in memory: one hub, any number of connections. Deliveries run by the hub's `schedule`: microtasks unless a simulation passes
// its own. Time comes from the injected clock, and nothing is random: equal calls lead to an equal order of deliveries.
import {
  type Bucket,
  type BucketEntry,
  type BucketName,
  type Bus,
  BusError,
  type FeedOptions,
  type Incoming,
} from '#shared/bus/port.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface MemoryHubOptions {
  clock: Clock
  /** Runs a delivery later; absent: as a microtask. */
  schedule?: (deliver: () => void) => void
}

export interface MemoryHub {
  connect(): Bus
  /** Disconnects a connection: its requests fail, and its feeds and watches receive nothing. */
  cut(bus: Bus): void
  restore(bus: Bus): void
  /** Replaces the stream with an empty stream, which breaks open feeds. */
  recreateStream(): void
  /** Removes all messages above `sequence` from the stream, as a power failure can. Feeds that had read beyond `sequence` break. */
  truncateStream(sequence: number): void
  /** Number of messages above which the stream refuses new messages. */
  limitStream(messages: number): void
  /**
   * From now on exactly these streams and buckets have no leader: requests to them get no response, and writes fail. Earlier messages are
   * still delivered. `outside`: connections that still get responses.
   */
  depose(parts: readonly Part[], outside?: readonly Bus[]): void
  /**
   * Pauses those feeds of a connection that `which` selects, as if their server had failed. A paused feed continues when a later call does
   * not select it.
   */
  deafen(bus: Bus, which: (partition: number) => boolean): void
}

export type Part = 'observations' | BucketName

interface Line {
  hub: Hub
  bus: Bus | null
  up: boolean
  closed: boolean
  listeners: Set<(connected: boolean) => void>
  /** Functions that reject the requests that have no reply yet. */
  asking: Set<(error: BusError) => void>
  feeds: Set<Feed>
  watches: Set<Watch>
  /** Returns whether messages of a partition do not reach the connection. */
  isDeafTo: (partition: number) => boolean
}

interface Stored {
  subject: string
  sequence: number
  at: number
  body: string
}

interface Partition {
  messages: Stored[]
  /** Number of messages purged before `messages[0]`. */
  purged: number
}

interface Feed {
  options: FeedOptions
  /** Lowest sequence that the feed can receive. */
  start: number
  /** Number of the partition's messages, including purged messages. */
  next: number
  lastSequence: number
  paused: boolean
  scheduled: boolean
  closed: boolean
  deaf: boolean
}

interface KeyState {
  key: string
  revision: number
  at: number
  body: string | null
}

interface Watch {
  bucket: BucketName
  matches: (key: string) => boolean
  onEntry(entry: BucketEntry): void
  onReady: (() => void) | undefined
  /** The newest revision that the watch has received. */
  told: number
  /** Later entries that the watch has not received. */
  news: KeyState[]
  /** True: the watch must read the whole bucket, as at its start and after a lost connection. */
  behind: boolean
  /** True after the watch has received all entries that were present at its start. */
  ready: boolean
  scheduled: boolean
}

interface Subscriber {
  line: Line
  matches: (subject: string) => boolean
  queue: string | null
  /** Number of messages that the subscription can still receive. */
  left: number
  onMessage(message: Incoming): void
}

interface Hub {
  clock: Clock
  schedule: (deliver: () => void) => void
  lines: Set<Line>
  subscribers: Set<Subscriber>
  /** By queue group: counter that selects the member that gets the next message. */
  turns: Map<string, number>
  /** Number of trace ids made for messages without one. */
  traces: number
  stream: {
    generation: number
    createdAt: string
    firstSequence: number
    lastSequence: number
    lastAt: number
    count: number
    most: number
    partitions: Map<number, Partition>
  }
  buckets: Map<BucketName, { keys: Map<string, KeyState>; revision: number }>
  leaderless: Set<Part>
  outside: Set<Bus>
}

const bucketAgeMs: Partial<Record<BucketName, number>> = {
  presence: limits.bus.presenceAgeMs,
  revocations: limits.bus.revocationAgeMs,
}
/** A bucket in memory is never lost. */
const memoryStream = 'memory'
const noConnection = () => new BusError('unavailable', 'The bus is not connected.')

export function createMemoryHub({ clock, schedule = queueMicrotask }: MemoryHubOptions): MemoryHub {
  const hub: Hub = {
    clock,
    schedule,
    lines: new Set(),
    subscribers: new Set(),
    turns: new Map(),
    traces: 0,
    stream: { ...emptyStream(clock, 0), most: Number.POSITIVE_INFINITY },
    buckets: new Map(),
    leaderless: new Set(),
    outside: new Set(),
  }
  const lineOf = (bus: Bus): Line => {
    for (const line of hub.lines) if (line.bus === bus) return line
    throw new Error('This bus is closed or belongs to another hub.')
  }
  return {
    connect: () => connect(hub),
    cut: bus => changeLine(lineOf(bus), false),
    restore: bus => changeLine(lineOf(bus), true),
    recreateStream: () => {
      hub.stream = { ...emptyStream(clock, hub.stream.generation + 1), most: hub.stream.most }
      breakFeeds(hub, () => true, 'the stream is another')
    },
    truncateStream: sequence => {
      for (const partition of hub.stream.partitions.values()) {
        const kept = partition.messages.filter(message => message.sequence <= sequence)
        hub.stream.count -= partition.messages.length - kept.length
        partition.messages = kept
      }
      hub.stream.lastSequence = Math.min(hub.stream.lastSequence, sequence)
      hub.stream.lastAt = stampOf(hub, hub.stream.lastSequence)
      const isBeyond = ({ lastSequence, options: { from } }: Feed) =>
        lastSequence > sequence || ('sequence' in from && from.sequence > sequence + 1)
      breakFeeds(hub, isBeyond, 'the stream ends before what was read')
    },
    limitStream: messages => {
      hub.stream.most = messages
    },
    depose: (parts, outside = []) => {
      hub.leaderless = new Set(parts)
      hub.outside = new Set(outside)
    },
    deafen: (bus, which) => {
      const line = lineOf(bus)
      line.isDeafTo = which
      for (const feed of line.feeds) {
        if (which(feed.options.partition)) loseHearing(feed)
        else pump(line, feed)
      }
    },
  }
}

/**
 * Returns an empty stream. The creation time identifies a stream. `generation` makes the creation times of two streams differ even if both
 * are created within one millisecond.
 */
const emptyStream = (clock: Clock, generation: number) => ({
  generation,
  createdAt: `${new Date(clock.now()).toISOString().slice(0, -1)}${String(generation).padStart(6, '0')}Z`,
  firstSequence: 1,
  lastSequence: 0,
  lastAt: 0,
  count: 0,
  partitions: new Map<number, Partition>(),
})

function connect(hub: Hub): Bus {
  const line: Line = {
    hub,
    bus: null,
    up: true,
    closed: false,
    listeners: new Set(),
    asking: new Set(),
    feeds: new Set(),
    watches: new Set(),
    isDeafTo: () => false,
  }
  const buckets = new Map<BucketName, Bucket>()
  const bus: Bus = {
    observations: observationsOf(line),
    bucket: name => {
      const bucket = buckets.get(name) ?? bucketOf(line, name)
      buckets.set(name, bucket)
      return bucket
    },
    request: (subject, body, options) => request(line, subject, body, options.timeoutMs, options.traceId),
    publish: (subject, body, traceId) => {
      if (line.up) send(hub, subject, JSON.stringify(body), traceId, () => undefined)
    },
    subscribe: async (subject, onMessage, { queue, most } = {}) => {
      const subscriber: Subscriber = {
        line,
        matches: matcher(subject),
        queue: queue === undefined ? null : `${subject} ${queue}`,
        left: most ?? Number.POSITIVE_INFINITY,
        onMessage,
      }
      hub.subscribers.add(subscriber)
      return { close: async () => void hub.subscribers.delete(subscriber) }
    },
    connected: () => line.up,
    tryMs: limits.bus.alone.tryMs,
    onConnection: listener => {
      line.listeners.add(listener)
      return () => void line.listeners.delete(listener)
    },
    clockOffset: async now => {
      if (!line.up) throw noConnection()
      const started = hub.clock.monotonic()
      const askedAt = now()
      const serverAt = hub.clock.now()
      const roundTripMs = hub.clock.monotonic() - started
      return { aheadMs: serverAt - (askedAt + roundTripMs / 2), roundTripMs }
    },
    close: async () => {
      changeLine(line, false)
      line.closed = true
      for (const feed of line.feeds) feed.closed = true
      line.watches.clear()
      for (const subscriber of [...hub.subscribers]) if (subscriber.line === line) hub.subscribers.delete(subscriber)
      hub.lines.delete(line)
    },
  }
  line.bus = bus
  hub.lines.add(line)
  return bus
}

function changeLine(line: Line, up: boolean): void {
  if (line.up === up || line.closed) return
  line.up = up
  if (!up) {
    for (const refuse of [...line.asking]) refuse(noConnection())
    for (const feed of line.feeds) loseHearing(feed)
    for (const watch of line.watches) watch.behind = true
  } else {
    for (const feed of line.feeds) pump(line, feed)
    for (const watch of line.watches) tell(line, watch)
  }
  for (const listener of [...line.listeners]) listener(up)
}

/** Delivers a message to all listeners outside of queue groups, and to one member of each queue group. Returns the number of receivers. */
function send(
  hub: Hub,
  subject: string,
  body: string,
  traceId: string | undefined,
  onAnswer: (line: Line, body: string) => void,
): number {
  hub.traces += 1
  const trace = traceId ?? `trace-${hub.traces}`
  const groups = new Map<string, Subscriber[]>()
  const receivers: Subscriber[] = []
  for (const subscriber of hub.subscribers) {
    if (!subscriber.line.up || !subscriber.matches(subject)) continue
    if (subscriber.queue === null) receivers.push(subscriber)
    else groups.set(subscriber.queue, [...(groups.get(subscriber.queue) ?? []), subscriber])
  }
  for (const [queue, members] of groups) {
    const turn = hub.turns.get(queue) ?? 0
    hub.turns.set(queue, turn + 1)
    receivers.push(members[turn % members.length]!)
  }
  for (const subscriber of receivers) {
    const { line, onMessage } = subscriber
    let answered = false
    subscriber.left -= 1
    if (subscriber.left <= 0) hub.subscribers.delete(subscriber)
    hub.schedule(() => {
      if (!line.up) return
      onMessage({
        subject,
        body: JSON.parse(body),
        traceId: trace,
        respond: answer => {
          if (!answered && line.up) onAnswer(line, JSON.stringify(answer))
          answered = true
        },
      })
    })
  }
  return receivers.length
}

function request(line: Line, subject: string, body: unknown, timeoutMs: number, traceId?: string): Promise<unknown> {
  if (!line.up) return Promise.reject(noConnection())
  const { hub } = line
  return new Promise((resolve, reject) => {
    const settle = () => {
      line.asking.delete(refuse)
      cancel()
    }
    const refuse = (error: BusError) => {
      settle()
      reject(error)
    }
    const cancel = hub.clock.schedule(timeoutMs, () => refuse(new BusError('timeout', 'No answer came in time.')))
    line.asking.add(refuse)
    const receivers = send(hub, subject, JSON.stringify(body), traceId, (_from, answer) => {
      hub.schedule(() => {
        if (!line.asking.has(refuse)) return
        settle()
        resolve(JSON.parse(answer))
      })
    })
    if (receivers === 0) {
      hub.schedule(() => {
        if (line.asking.has(refuse)) refuse(new BusError('no_responders', 'Nobody on the bus answers this subject.'))
      })
    }
  })
}

function observationsOf(line: Line): Bus['observations'] {
  const { hub } = line
  /** Runs `act` when the message reaches the hub; resolves with its result when the response has returned. */
  const roundTrip = <T>(act: () => T): Promise<T> => travel(line, 'observations', act)
  return {
    publish: (subject, body) => {
      const text = JSON.stringify(body)
      return roundTrip(() => append(hub, subject, text))
    },
    state: () =>
      roundTrip(() => {
        const { createdAt, firstSequence, lastSequence, lastAt } = hub.stream
        return { createdAt, firstSequence, lastSequence, lastAt, askedAt: hub.clock.now() }
      }),
    lastSequenceOf: (partition, since = 0) =>
      roundTrip(() => {
        const last = hub.stream.partitions.get(partition)?.messages.at(-1)
        return last !== undefined && last.at >= since ? last.sequence : 0
      }),
    open: options =>
      roundTrip(() => {
        const start = 'sequence' in options.from ? options.from.sequence : firstAt(hub, options.from.time)
        const feed = { options, start, next: 0, lastSequence: 0, paused: false, scheduled: false, closed: false, deaf: false }
        line.feeds.add(feed)
        const close = async () => {
          feed.closed = true
          line.feeds.delete(feed)
        }
        if ('sequence' in options.from && options.from.sequence > hub.stream.lastSequence + 1) {
          hub.schedule(() => breakFeeds(hub, each => each === feed, 'the stream ends before what was read'))
        }
        pump(line, feed)
        return {
          resume: () => {
            feed.paused = false
            pump(line, feed)
          },
          close,
        }
      }),
    firstSequenceOf: (partition, from) =>
      roundTrip(() => {
        const messages = hub.stream.partitions.get(partition)?.messages ?? []
        return messages.find(({ sequence }) => sequence >= from)?.sequence ?? null
      }),
    purgeBelow: sequence => roundTrip(() => purgeBelow(hub, sequence)),
  }
}

function travel<T>({ up, hub, bus }: Line, part: Part, act: () => T): Promise<T> {
  if (!up) return Promise.reject(noConnection())
  return later(hub, () => {
    if (hub.leaderless.has(part) && (bus === null || !hub.outside.has(bus)))
      throw new BusError('unavailable', `Nobody leads the ${part}.`)
    return act()
  })
}

const later = <T>(hub: Hub, act: () => T): Promise<T> =>
  new Promise((resolve, reject) => {
    hub.schedule(() => {
      try {
        resolve(act())
      } catch (error) {
        reject(error)
      }
    })
  })

function append(hub: Hub, subject: string, body: string): void {
  const { stream } = hub
  if (stream.count >= stream.most) throw new BusError('full', 'The stream is full.')
  const number = Number(subject.split('.')[1])
  const partition = stream.partitions.get(number) ?? { messages: [], purged: 0 }
  stream.partitions.set(number, partition)
  stream.lastSequence += 1
  stream.lastAt = hub.clock.now()
  stream.count += 1
  partition.messages.push({ subject, sequence: stream.lastSequence, at: stream.lastAt, body })
  for (const line of hub.lines) {
    for (const feed of line.feeds) if (feed.options.partition === number) pump(line, feed)
  }
}

function purgeBelow(hub: Hub, sequence: number): void {
  const { stream } = hub
  for (const partition of stream.partitions.values()) {
    const kept = partition.messages.findIndex(message => message.sequence >= sequence)
    const removed = kept < 0 ? partition.messages.length : kept
    partition.messages.splice(0, removed)
    partition.purged += removed
    stream.count -= removed
  }
  const firsts = [...stream.partitions.values()].flatMap(({ messages }) => messages[0]?.sequence ?? [])
  stream.firstSequence = Math.min(stream.lastSequence + 1, ...firsts)
}

/** Returns the stream time of the message, ms since the epoch; 0: the message is not stored. */
const stampOf = ({ stream }: Hub, sequence: number): number =>
  [...stream.partitions.values()].flatMap(({ messages }) => messages).find(message => message.sequence === sequence)?.at ?? 0

/**
 * Returns the first sequence for a start time. As in the server, the start time selects only the first message: all later messages are
 * delivered, whatever their time.
 */
function firstAt({ stream }: Hub, time: number): number {
  const firsts = [...stream.partitions.values()].flatMap(({ messages }) => messages.find(({ at }) => at >= time)?.sequence ?? [])
  return Math.min(stream.lastSequence + 1, ...firsts)
}

function loseHearing(feed: Feed): void {
  if (feed.deaf) return
  feed.deaf = true
  feed.options.onDeaf?.(0)
}

/** Delivers the feed's missing messages, from the next turn on, until the feed asks for a pause. */
function pump(line: Line, feed: Feed): void {
  if (feed.scheduled) return
  feed.scheduled = true
  line.hub.schedule(() => {
    feed.scheduled = false
    const { partition: number, onMessage, onHearing } = feed.options
    while (!feed.closed && !feed.paused && line.up && !line.isDeafTo(number)) {
      const partition = line.hub.stream.partitions.get(number)
      if (partition) feed.next = Math.max(feed.next, partition.purged)
      const message = partition?.messages[feed.next - partition.purged]
      if (!message) {
        if (feed.deaf) onHearing?.()
        feed.deaf = false
        return
      }
      feed.next += 1
      if (message.sequence < feed.start) continue
      feed.lastSequence = message.sequence
      const { subject, sequence, at, body } = message
      feed.paused = !onMessage({ subject, sequence, at, body: JSON.parse(body) })
    }
  })
}

function breakFeeds(hub: Hub, which: (feed: Feed) => boolean, reason: string): void {
  for (const line of hub.lines) {
    for (const feed of [...line.feeds]) {
      if (feed.closed || !which(feed)) continue
      feed.closed = true
      line.feeds.delete(feed)
      hub.schedule(() => feed.options.onBroken(reason))
    }
  }
}

function bucketOf(line: Line, name: BucketName): Bucket {
  const { hub } = line
  const roundTrip = <T>(act: () => T): Promise<T> => travel(line, name, act)
  const state = () => {
    const present = hub.buckets.get(name) ?? { keys: new Map<string, KeyState>(), revision: 0 }
    hub.buckets.set(name, present)
    return present
  }
  /** Returns the stored entries of a key, including removals, without expired entries. */
  const find = (key: string): KeyState | null => {
    const found = state().keys.get(key)
    if (found && found.at + (bucketAgeMs[name] ?? Number.POSITIVE_INFINITY) > hub.clock.now()) return found
    state().keys.delete(key)
    return null
  }
  const present = (matches: (key: string) => boolean): KeyState[] =>
    [...state().keys.keys()]
      .filter(matches)
      .flatMap(key => find(key) ?? [])
      .sort((a, b) => a.revision - b.revision)
  const write = (key: string, body: string | null): number => {
    const bucket = state()
    bucket.revision += 1
    const written = { key, revision: bucket.revision, at: hub.clock.now(), body }
    bucket.keys.set(key, written)
    for (const other of hub.lines) {
      for (const watch of other.watches) {
        if (watch.bucket !== name || !watch.matches(key)) continue
        if (!watch.behind) watch.news.push(written)
        tell(other, watch)
      }
    }
    return bucket.revision
  }
  return {
    get: key =>
      roundTrip(() => {
        const found = find(key)
        return found === null || found.body === null ? null : entryOf(found)
      }),
    put: (key, value) => {
      const body = JSON.stringify(value)
      return roundTrip(() => write(key, body))
    },
    update: (key, value, revision) => {
      const body = JSON.stringify(value)
      return roundTrip(() => {
        const found = find(key)
        const actual = found === null || (found.body === null && revision === 0) ? 0 : found.revision
        return actual === revision ? write(key, body) : null
      })
    },
    delete: key => roundTrip(() => void write(key, null)),
    deleteAt: (key, revision) => roundTrip(() => find(key)?.revision === revision && write(key, null) > 0),
    purge: filter =>
      roundTrip(() => {
        const matches = matcher(filter)
        for (const key of [...state().keys.keys()]) if (matches(key)) state().keys.delete(key)
      }),
    list: filter =>
      roundTrip(() =>
        present(matcher(filter))
          .filter(found => found.body !== null)
          .map(entryOf),
      ),
    page: (filter, after, most) =>
      roundTrip(() => {
        const newest = state().revision
        const from = after?.stream === memoryStream && after.revision <= newest ? after.revision : 0
        const newer = present(matcher(filter)).filter(({ revision }) => revision > from)
        const entries = newer.slice(0, most).map(entryOf)
        const isLast = entries.length === newer.length
        const revision = isLast ? newest : (entries.at(-1)?.revision ?? newest)
        return { entries, position: { stream: memoryStream, revision }, isLast }
      }),
    watch: (filter, { onEntry, onReady }) =>
      roundTrip(() => {
        const watch: Watch = {
          bucket: name,
          matches: matcher(filter),
          onEntry,
          onReady,
          told: 0,
          news: [],
          behind: true,
          ready: false,
          scheduled: false,
        }
        line.watches.add(watch)
        tell(line, watch)
        return { close: async () => void line.watches.delete(watch) }
      }),
  }
}

/**
 * Delivers the missing entries to a watch, asynchronously and in order. If a key is written twice in the meantime, the watch can get only
 * the newest value.
 */
function tell(line: Line, watch: Watch): void {
  if (watch.scheduled) return
  watch.scheduled = true
  line.hub.schedule(() => {
    watch.scheduled = false
    if (!line.up) return
    const news = watch.behind ? missed(line.hub, watch) : watch.news
    watch.behind = false
    watch.news = []
    const oldestAt = line.hub.clock.now() - (bucketAgeMs[watch.bucket] ?? Number.POSITIVE_INFINITY)
    for (const found of news) {
      if (!line.watches.has(watch)) return
      const skipped = found.revision <= watch.told || found.at <= oldestAt || (found.body === null && !watch.ready)
      watch.told = Math.max(watch.told, found.revision)
      if (!skipped) watch.onEntry(entryOf(found))
    }
    if (watch.ready) return
    watch.ready = true
    watch.onReady?.()
  })
}

const missed = (hub: Hub, watch: Watch): KeyState[] =>
  [...(hub.buckets.get(watch.bucket)?.keys.values() ?? [])]
    .filter(found => found.revision > watch.told && watch.matches(found.key))
    .sort((one, other) => one.revision - other.revision)

const entryOf = ({ key, revision, at, body }: KeyState): BucketEntry => ({
  key,
  revision,
  at,
  value: body === null ? null : JSON.parse(body),
})

/** Returns whether a subject or key matches a filter: `*` is one token, `>` one or more at the end. */
function matcher(filter: string): (subject: string) => boolean {
  if (!/[*>]/.test(filter)) return subject => subject === filter
  const wanted = filter.split('.')
  const open = wanted.at(-1) === '>'
  const fixed = open ? wanted.slice(0, -1) : wanted
  return subject => {
    const tokens = subject.split('.')
    if (open ? tokens.length <= fixed.length : tokens.length !== fixed.length) return false
    return fixed.every((token, i) => token === '*' || token === tokens[i])
  }
}
