// One page of a bucket's changes in the order of their revisions, read by a consumer that is created for this page only.
import { createInbox, type Msg } from '@nats-io/transport-node'
import { bucketStream, bucketSubject } from '#shared/bus/declarations.ts'
import { bucketEntryOf } from '#shared/bus/nats/nats-bucket-entry.ts'
import { consumerConfig, parsePosition } from '#shared/bus/nats/nats-consumer.ts'
import { asBusError, type Link } from '#shared/bus/nats/nats-link.ts'
import { type BucketEntry, type BucketName, type BucketPage, type BucketPosition, BusError } from '#shared/bus/port.ts'

/** Implements `Bucket.page` on NATS. */
export async function readBucketPage(
  link: Link,
  name: BucketName,
  filter: string,
  after: BucketPosition | null,
  most: number,
): Promise<BucketPage> {
  if (!link.connected()) throw new BusError('unavailable', 'The bus is not connected.')
  try {
    return await read(link, name, filter, after, most)
  } catch (error) {
    throw asBusError(error)
  }
}

async function read(
  link: Link,
  name: BucketName,
  filter: string,
  after: BucketPosition | null,
  most: number,
): Promise<BucketPage> {
  const { manager } = link
  const { created, state } = await manager.streams.info(bucketStream(name))
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
}

/** Returns the next entries of a consumer: `wanted`, or fewer if the server has no more. */
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
    // A status message of the server that says there are no more entries.
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
