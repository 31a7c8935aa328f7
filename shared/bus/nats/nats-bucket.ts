// A bucket on NATS: a stream that stores the newest value of each key. `update` is compare-and-set. Reads go to the leader. A watch
// continues after a restart of the bus, even if the bus has lost its store.
import { headers as createHeaders, type MsgHdrs } from '@nats-io/transport-node'
import { bucketStream, bucketSubject } from '#shared/bus/declarations.ts'
import { bucketEntryOf, isRemoval, operationHeader, readBucketPage } from '#shared/bus/nats/nats-bucket-page.ts'
import { administer, type Link } from '#shared/bus/nats/nats-link.ts'
import { openReader, type Reader } from '#shared/bus/nats/nats-reader.ts'
import { acknowledgement, isNotFound, jsonOf, store } from '#shared/bus/nats/nats-stream.ts'
import type { Bucket, BucketEntry, BucketName } from '#shared/bus/port.ts'
import { PresentKeys, type WatchHandlers } from '#shared/bus/present-keys.ts'

const expectedHeader = 'Nats-Expected-Last-Subject-Sequence'

export function createBucket(link: Link, name: BucketName): Bucket {
  const stream = bucketStream(name)
  const subjectOf = (key: string) => bucketSubject(name, key)

  /** Writes the value if the key has this revision. Returns the new revision, or null if the key has another revision. */
  const write = async (key: string, value: unknown, revision: number): Promise<number | null> =>
    acknowledgement(await store(link, subjectOf(key), JSON.stringify(value), withHeader(expectedHeader, String(revision))))

  const newest = (key: string): Promise<BucketEntry | null> =>
    administer(link, async ({ streams }) => {
      const read = streams.getMessage(stream, { last_by_subj: subjectOf(key) })
      const found = await read.catch(error => (isNotFound(error) ? null : Promise.reject(error)))
      if (!found) return null
      const removed = isRemoval(found.header)
      return { key, revision: found.seq, at: found.time.getTime(), value: removed ? null : jsonOf(found) }
    })
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
    deleteAt: async (key, revision) => {
      const headers = withHeader(operationHeader, 'DEL')
      headers.set(expectedHeader, String(revision))
      return acknowledgement(await store(link, subjectOf(key), '', headers)) !== null
    },
    purge: filter =>
      administer(link, async ({ streams }) => {
        await streams.purge(stream, { filter: subjectOf(filter) })
      }),
    watch: (filter, handlers) => watch(link, name, filter, handlers),
    page: (filter, after, most) => readBucketPage(link, name, filter, after, most),
    list: async filter => {
      const entries = new Map<string, BucketEntry>()
      const { promise: complete, resolve: onReady } = Promise.withResolvers<void>()
      const onEntry = (entry: BucketEntry) =>
        void (entry.value === null ? entries.delete(entry.key) : entries.set(entry.key, entry))
      // If the bucket has no entries, `onReady` may be called before `watch` returns the reader.
      const reader = await watch(link, name, filter, { onEntry, onReady })
      await complete
      await reader.close()
      return [...entries.values()]
    },
  }
}

/**
 * Watches keys. If the bus has lost its store, delivers all present keys again, and then every key that is now missing as removed at
 * revision 0.
 */
async function watch(link: Link, name: BucketName, filter: string, handlers: WatchHandlers): Promise<Reader> {
  const keys = new PresentKeys(handlers, link.clock.now)
  let missing = 0
  return openReader(link, {
    stream: bucketStream(name),
    filter: bucketSubject(name, filter),
    start: { latest: true },
    onBroken: null,
    onStart: pending => {
      keys.begin()
      missing = pending
      if (missing === 0) keys.becomeReady()
    },
    onIdle: () => keys.becomeReady(),
    onMessage: (message, position) => {
      keys.take(bucketEntryOf(name, message, position))
      missing -= 1
      if (missing <= 0 || position.pending === 0) keys.becomeReady()
      return true
    },
  })
}

function withHeader(name: string, value: string): MsgHdrs {
  const created = createHeaders()
  created.set(name, value)
  return created
}
