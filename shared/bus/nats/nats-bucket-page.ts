// Reader of changes in a NATS bucket, in pages, in the order of revisions. For each page, it creates a consumer and then removes this
// consumer.
import { createInbox, type Msg, type MsgHdrs } from '@nats-io/transport-node'
import { bucketStream, bucketSubject } from '#shared/bus/declarations.ts'
import { consumerConfig, type Position, parsePosition } from '#shared/bus/nats/nats-consumer.ts'
import { ledStream } from '#shared/bus/nats/nats-led-stream.ts'
import { administer, type Link } from '#shared/bus/nats/nats-link.ts'
import { jsonOf } from '#shared/bus/nats/nats-stream.ts'
import { type BucketEntry, type BucketName, type BucketPage, type BucketPosition, BusError } from '#shared/bus/port.ts'

export const operationHeader = 'KV-Operation'

export const keyOf = (name: BucketName, subject: string): string => subject.slice(bucketSubject(name, '').length)

export const bucketEntryOf = (name: BucketName, message: Msg, position: Position): BucketEntry => ({
  key: keyOf(name, message.subject),
  revision: position.sequence,
  at: position.at,
  value: isRemoval(message.headers) ? null : jsonOf(message),
})

/** Returns true if a message marks a removed key: a client deleted the key, or its entry expired on the server. */
export const isRemoval = (headers: MsgHdrs | undefined): boolean =>
  headers !== undefined && (headers.has(operationHeader) || headers.has('Nats-Marker-Reason'))

export const readBucketPage = (
  link: Link,
  name: BucketName,
  filter: string,
  after: BucketPosition | null,
  most: number,
): Promise<BucketPage> =>
  administer(link, async manager => {
    const { created, state } = await ledStream(link, bucketStream(name))
    const stream = String(created)
    const isSame = after !== null && after.stream === stream && after.revision <= state.last_seq
    const from = isSame ? after.revision : 0
    if (from === state.last_seq) return { entries: [], position: { stream, revision: from }, isLast: true }
    const config = consumerConfig(bucketSubject(name, filter), { sequence: from + 1 }, 0)
    const consumer = await manager.consumers.add(bucketStream(name), config)
    try {
      const wanted = Math.min(most, consumer.num_pending)
      const { entries, isLast } = wanted === 0 ? { entries: [], isLast: true } : await pull(link, name, consumer.name, wanted)
      const newest = entries.at(-1)?.revision ?? from
      return { entries, position: { stream, revision: isLast ? Math.max(newest, state.last_seq) : newest }, isLast }
    } finally {
      // If the removal fails, the server removes the idle consumer by itself.
      manager.consumers.delete(bucketStream(name), consumer.name).catch(() => undefined)
    }
  })

/** Returns the next `wanted` entries of a consumer, or fewer if the server has no more. */
async function pull(
  link: Link,
  name: BucketName,
  consumer: string,
  wanted: number,
): Promise<{ entries: BucketEntry[]; isLast: boolean }> {
  const { connection, clock, pace } = link
  const inbox = createInbox(link.inboxPrefix)
  const entries: BucketEntry[] = []
  const { promise, resolve, reject } = Promise.withResolvers<{ entries: BucketEntry[]; isLast: boolean }>()
  const take = (message: Msg) => {
    // The server sent a status message to the inbox: there are no more entries.
    if (message.subject === inbox) return resolve({ entries, isLast: true })
    const position = parsePosition(message.reply ?? '')
    entries.push(bucketEntryOf(name, message, position))
    if (position.pending === 0 || entries.length === wanted) resolve({ entries, isLast: position.pending === 0 })
  }
  const subscription = connection.subscribe(inbox, { callback: (error, message) => (error ? reject(error) : take(message)) })
  const late = () => reject(new BusError('unavailable', 'The bucket did not answer in time.'))
  const cancel = clock.schedule(pace.administrationMs, late)
  const stopListening = link.onConnection(() => reject(new BusError('unavailable', 'The connection to the bus was lost.')))
  try {
    const subject = `$JS.API.CONSUMER.MSG.NEXT.${bucketStream(name)}.${consumer}`
    connection.publish(subject, JSON.stringify({ batch: wanted, no_wait: true }), { reply: inbox })
    return await promise
  } finally {
    cancel()
    stopListening()
    subscription.unsubscribe()
  }
}
