// Declarations of the observation stream and the buckets. These are the only data that the bus stores.
import type { JetStreamManager, StreamConfig } from '@nats-io/jetstream'
import { DiscardPolicy, JetStreamApiError, RetentionPolicy, StorageType } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { retry } from '#shared/async/retry.ts'
import type { BucketName } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import { limits, second } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'

export const observationStream = 'OBSERVATIONS'
/** Functions for the name of a bucket's stream and for the subject of a bucket's key. Every key-value client of NATS uses these names. */
export const bucketStream = (name: BucketName): string => `KV_${name}`
export const bucketSubject = (name: BucketName, key: string): string => `$KV.${name}.${key}`

/** Server error codes that the adapter handles. */
export const serverCodes = {
  streamNotFound: 10059,
  nameInUse: 10058,
  wrongSequence: 10071,
  wrongSequenceUnknown: 10164,
  storeFailed: 10077,
} as const

type Declaration = Partial<StreamConfig> & { name: string }

const common = {
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  // A full stream refuses new messages instead of dropping old ones: a prober buffers a refused report, so no report is lost unnoticed.
  discard: DiscardPolicy.New,
  duplicate_window: nanos(limits.bus.duplicateWindowMs),
}

/**
 * A bucket. The presence bucket is stored in files too. Otherwise all processes would seem dead after a restart of the bus. `ageMs` 0:
 * entries never expire.
 */
const bucket = (name: BucketName, ageMs: number): Declaration => ({
  ...common,
  name: bucketStream(name),
  subjects: [`$KV.${name}.>`],
  max_msgs_per_subject: 1,
  max_age: nanos(ageMs),
  // Roll-up headers are not allowed. With such a header, a sender could remove all messages of the bucket, even of keys that the sender may
  // not write.
  allow_rollup_hdrs: false,
  deny_delete: true,
})

const declarations: Declaration[] = [
  {
    ...common,
    name: observationStream,
    subjects: [subjects.allObservations],
    max_age: nanos(limits.stream.ageMs),
    max_bytes: limits.stream.bytes,
  },
  bucket('leases', 0),
  bucket('presence', limits.bus.presenceAgeMs),
  bucket('checks', 0),
  bucket('check-pages', 0),
  bucket('revocations', limits.bus.revocationAgeMs),
  bucket('installation', 0),
]

export const declaredStreams: readonly string[] = declarations.map(({ name }) => name)

/**
 * Creates missing streams and buckets, and updates bounds that differ. May be repeated; several processes may run it at the same time.
 * `replicas`: number of copies; with null, existing streams keep their copies, and new streams get one copy. Only tests set `streamBytes`.
 */
export async function declareAll(
  manager: JetStreamManager,
  replicas: number | null,
  streamBytes = limits.stream.bytes,
): Promise<void> {
  for (const declared of declarations) {
    const wanted = declared.name === observationStream ? { ...declared, max_bytes: streamBytes } : declared
    await declareOne(manager, wanted, replicas)
  }
}

/**
 * Runs the first declaration, and retries it for `withinMs`, because the servers of a starting cluster accept connections before they have
 * found each other. Throws an Error with a message for people.
 */
export async function declareWithRetry(declare: () => Promise<void>, clock: Clock, withinMs: number): Promise<void> {
  try {
    await retry(declare, { clock, withinMs, pauseMs: () => limits.bus.reconnectMs, mayPass: () => true })
  } catch (error) {
    const room = `${limits.stream.bytes / 1024 ** 3} GiB`
    throw new Error(
      `The bus did not take its streams within ${withinMs / second} s (${(error as Error).message}): see that JetStream runs there with ` +
        `room for ${room} in files and that the servers of a cluster reach each other, or correct NATS_REPLICAS.`,
      { cause: error },
    )
  }
}

const hasCode = (error: unknown, code: number): boolean => error instanceof JetStreamApiError && error.code === code

async function declareOne(manager: JetStreamManager, wanted: Declaration, replicas: number | null): Promise<void> {
  const present = await manager.streams.info(wanted.name).catch(error => {
    if (hasCode(error, serverCodes.streamNotFound)) return null
    throw error
  })
  if (!present) {
    await manager.streams.add({ ...wanted, num_replicas: replicas ?? 1 }).catch(error => {
      // Another process has created the stream with other bounds meanwhile. That stream is used.
      if (!hasCode(error, serverCodes.nameInUse)) throw error
    })
    return
  }
  const bounds = {
    max_age: wanted.max_age ?? 0,
    max_bytes: wanted.max_bytes ?? -1,
    num_replicas: replicas ?? present.config.num_replicas,
    allow_rollup_hdrs: wanted.allow_rollup_hdrs ?? false,
  }
  const differs = Object.entries(bounds).some(([field, value]) => present.config[field as keyof typeof bounds] !== value)
  if (differs) await manager.streams.update(wanted.name, bounds)
}
