// Purge of judged reports from the stream: one purge of all reports below one sequence. A purge for each partition would cost nats-server
// 64 walks over the stream (ADR 13).
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import type { KeeperContext } from '../context.ts'

/**
 * Removes all reports below the checkpoints of all partitions. Rejects with the error of the store or the bus; then nothing was removed.
 */
export async function purgeJudged(context: KeeperContext): Promise<void> {
  const stream = context.bus.observations
  const { createdAt, firstSequence, lastSequence } = await stream.state()
  let below = lastSequence + 1
  let judgedTo = 0
  for (let partition = 0; partition < limits.partitions && below > firstSequence; partition++) {
    // Checkpoints are read one at a time, because each may be large and no caller waits for the purge.
    const [checkpoint] = await context.store.get('checkpoints', [keys.lease(partition)])
    const isKnown = checkpoint?.streamCreatedAt === createdAt
    const unjudgedFrom = isKnown ? checkpoint.sequence + 1 : firstSequence
    judgedTo = Math.max(judgedTo, unjudgedFrom - 1)
    if (unjudgedFrom >= below) continue
    // A partition without unjudged reports does not hold back the purge, although its checkpoint stays at an early sequence.
    below = Math.min(below, (await stream.firstSequenceOf(partition, unjudgedFrom)) ?? below)
  }
  if (below <= firstSequence) return
  // If the stream was created again or lost its end, sequences of the old stream are invalid, so nothing is purged.
  const present = await stream.state()
  if (present.createdAt === createdAt && present.lastSequence >= judgedTo) await stream.purgeBelow(below)
}
