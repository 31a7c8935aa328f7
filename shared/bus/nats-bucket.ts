// A bucket on NATS: the newest value of each key in a stream of its own, written by compare-and-set, read from its leader,
// watched by an ordered reader that outlives restarts of the bus, even those that lose the store.
import { headers as createHeaders, type Msg, type MsgHdrs } from '@nats-io/transport-node'
import { bucketStream, bucketSubject } from '#shared/bus/declarations.ts'
import type { Position } from '#shared/bus/nats-consumer.ts'
import { asBusError, type Link } from '#shared/bus/nats-link.ts'
import { openReader, type Reader } from '#shared/bus/nats-reader.ts'
import { acknowledgement, isNotFound, jsonOf, store } from '#shared/bus/nats-stream.ts'
import { type Bucket, type BucketEntry, type BucketName, BusError } from '#shared/bus/port.ts'

const operationHeader = 'KV-Operation'
const expectedHeader = 'Nats-Expected-Last-Subject-Sequence'

export function createBucket(link: Link, name: BucketName): Bucket {
  const stream = bucketStream(name)
  const subjectOf = (key: string) => bucketSubject(name, key)

  /** Writes at this revision of the key; null where it has another. */
  const write = async (key: string, value: unknown, revision: number): Promise<number | null> =>
    acknowledgement(await store(link, subjectOf(key), JSON.stringify(value), withHeader(expectedHeader, String(revision))))

  const newest = async (key: string): Promise<BucketEntry | null> => {
    if (!link.connected()) throw new BusError('unavailable', 'The bus is not connected.')
    try {
      const found = await link.manager.streams.getMessage(stream, { last_by_subj: subjectOf(key) })
      if (!found) return null
      const removed = isRemoval(found.header)
      return { key, revision: found.seq, at: found.time.getTime(), value: removed ? null : jsonOf(found) }
    } catch (error) {
      if (isNotFound(error)) return null
      throw asBusError(error)
    }
  }
  return {
    get: async key => {
      const entry = await newest(key)
      return entry === null || entry.value === null ? null : entry
    },
    put: async (key, value) => acknowledgement(await store(link, subjectOf(key), JSON.stringify(value)))!,
    update: async (key, value, revision) => {
      const written = await write(key, value, revision)
      if (written !== null || revision !== 0) return written
      const left = await newest(key)
      return left !== null && left.value === null ? write(key, value, left.revision) : null
    },
    delete: async key => {
      acknowledgement(await store(link, subjectOf(key), '', withHeader(operationHeader, 'DEL')))
    },
    watch: (filter, handlers) => watch(link, name, filter, handlers),
    list: async filter => {
      const entries = new Map<string, BucketEntry>()
      const { promise: complete, resolve: onReady } = Promise.withResolvers<void>()
      const onEntry = (entry: BucketEntry) =>
        void (entry.value === null ? entries.delete(entry.key) : entries.set(entry.key, entry))
      // Where nothing is, it is complete before its reader is there to be closed.
      const reader = await watch(link, name, filter, { onEntry, onReady })
      await complete
      await reader.close()
      return [...entries.values()]
    },
  }
}

/**
 * `onReady` once everything that was present has been told. Where the store was lost, the present keys are told again and then
 * those that are gone, as removed at revision 0.
 */
async function watch(
  link: Link,
  name: BucketName,
  filter: string,
  handlers: { onEntry(entry: BucketEntry): void; onReady?(): void },
): Promise<Reader> {
  /** Bus subjects: a key is a piece of one, and would hold both. */
  let present = new Set<string>()
  /** Those of before, while the watch catches up with a stream that is another. */
  let earlier = new Set<string>()
  let missing = 0
  let ready = false
  let announced = false

  const becomeReady = () => {
    if (ready) return
    ready = true
    for (const subject of earlier) {
      if (!present.has(subject)) handlers.onEntry({ key: keyOf(name, subject), revision: 0, at: link.clock.now(), value: null })
    }
    earlier = new Set()
    if (!announced) handlers.onReady?.()
    announced = true
  }
  return openReader(link, {
    stream: bucketStream(name),
    filter: bucketSubject(name, filter),
    start: { latest: true },
    onBroken: null,
    onStart: pending => {
      earlier = new Set([...earlier, ...present])
      present = new Set()
      ready = false
      missing = pending
      if (missing === 0) becomeReady()
    },
    onIdle: becomeReady,
    onMessage: (message, position) => {
      const { subject } = message
      const entry = entryOf(name, message, position)
      // What was removed before the watch began was never present for it.
      const unheard = entry.value === null && !ready && !present.has(subject) && !earlier.has(subject)
      if (entry.value === null) present.delete(subject)
      else present.add(subject)
      if (!unheard) handlers.onEntry(entry)
      missing -= 1
      if (missing <= 0 || position.pending === 0) becomeReady()
      return true
    },
  })
}

const keyOf = (name: BucketName, subject: string): string => subject.slice(bucketSubject(name, '').length)

const entryOf = (name: BucketName, message: Msg, position: Position): BucketEntry => ({
  key: keyOf(name, message.subject),
  revision: position.sequence,
  at: position.at,
  value: isRemoval(message.headers) ? null : jsonOf(message),
})

function withHeader(name: string, value: string): MsgHdrs {
  const created = createHeaders()
  created.set(name, value)
  return created
}

/** A deletion by a client, or the mark that a server leaves for what expired. */
const isRemoval = (headers: MsgHdrs | undefined): boolean =>
  headers !== undefined && (headers.has(operationHeader) || headers.has('Nats-Marker-Reason'))
