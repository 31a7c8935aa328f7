// What lives on the bus for longer than a message: the observation stream and the buckets, declared here and nowhere else.
import type { JetStreamManager, StreamConfig, StreamInfo } from '@nats-io/jetstream'
import { DiscardPolicy, JetStreamApiError, RetentionPolicy, StorageType } from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { patiently } from '#shared/bus/patiently.ts'
import type { BucketName } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { Clock } from '#shared/clock.ts'
import { limits, second } from '#shared/limits.ts'

export const observationStream = 'OBSERVATIONS'
/** The stream behind a bucket and the subject of one of its keys, as every key-value client of NATS expects them. */
export const bucketStream = (name: BucketName): string => `KV_${name}`
export const bucketSubject = (name: BucketName, key: string): string => `$KV.${name}.${key}`

/** Server error codes that mean something here. */
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
  // Refusing the new loses nothing silently: a prober keeps what was refused.
  discard: DiscardPolicy.New,
  duplicate_window: nanos(limits.bus.duplicateWindowMs),
}

/** Presence is kept in a file too: after a restart of the bus nobody seems to have died. `ageMs` 0 keeps for ever. */
const bucket = (name: BucketName, ageMs: number): Declaration => ({
  ...common,
  name: bucketStream(name),
  subjects: [`$KV.${name}.>`],
  max_msgs_per_subject: 1,
  max_age: nanos(ageMs),
  // A message that rolls a bucket up removes everything in it, also what its sender may not write.
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
  bucket('revocations', limits.bus.revocationAgeMs),
  bucket('installation', 0),
]

export const declaredStreams: readonly string[] = declarations.map(({ name }) => name)

/**
 * Creates what is missing and brings what differs in its bounds up to date; may be repeated and run by several at once.
 * `replicas` null leaves the number of copies of what exists as it is, and creates with one. `streamBytes` is for tests.
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
 * For the first time: again and again until the patience ends, because the servers of a cluster that has just been started take
 * connections before they have found each other. Throws an Error with a sentence.
 */
export const declarePatiently = (declare: () => Promise<void>, clock: Clock, patienceMs: number): Promise<void> =>
  patiently(clock, patienceMs, declare, (error, isOver) => {
    if (!isOver) return null
    const room = `${limits.stream.bytes / 1024 ** 3} GiB`
    return new Error(
      `The bus did not take its streams within ${patienceMs / second} s (${error.message}): see that JetStream runs there with room for ` +
        `${room} in files and that the servers of a cluster reach each other, or correct NATS_REPLICAS.`,
      { cause: error },
    )
  })

async function declareOne(manager: JetStreamManager, wanted: Declaration, replicas: number | null): Promise<void> {
  const present = await find(manager, wanted.name)
  if (!present) {
    await manager.streams.add({ ...wanted, num_replicas: replicas ?? 1 }).catch(error => {
      // Somebody else with other bounds was faster: theirs is as good.
      if (!(error instanceof JetStreamApiError && error.code === serverCodes.nameInUse)) throw error
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

async function find(manager: JetStreamManager, name: string): Promise<StreamInfo | null> {
  try {
    return await manager.streams.info(name)
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === serverCodes.streamNotFound) return null
    throw error
  }
}
