// What every partition has judged leaves the stream, all of it up to one sequence. Partition by partition it would cost nats-server a
// look at each message of the stream, 64 times (ADR 13).
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits.ts'
import type { Core } from './core.ts'

/** Removes what lies below every partition's checkpoint. Rejects with what the store or the bus says; then nothing was removed. */
export async function purgeJudged(core: Core): Promise<void> {
  const stream = core.bus.observations
  const { createdAt, firstSequence, lastSequence } = await stream.state()
  let below = lastSequence + 1
  let judgedTo = 0
  for (let partition = 0; partition < limits.partitions && below > firstSequence; partition++) {
    // One at a time: each may be large, and nobody waits for them.
    const [checkpoint] = await core.store.get('checkpoints', [keys.lease(partition)])
    const isKnown = checkpoint?.streamCreatedAt === createdAt
    const unjudgedFrom = isKnown ? checkpoint.sequence + 1 : firstSequence
    judgedTo = Math.max(judgedTo, unjudgedFrom - 1)
    if (unjudgedFrom >= below) continue
    // The checkpoint of a partition without reports stays where it is, and holds back nobody.
    below = Math.min(below, (await stream.firstSequenceOf(partition, unjudgedFrom)) ?? below)
  }
  if (below <= firstSequence) return
  // Sequences of a stream that was created anew meanwhile, or lost its end, mean something else until its reader has a new checkpoint.
  const present = await stream.state()
  if (present.createdAt === createdAt && present.lastSequence >= judgedTo) await stream.purgeBelow(below)
}
