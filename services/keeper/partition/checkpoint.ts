// Checkpoint of a partition. One guarded write stores the partition's position in the stream, and the readings that are newer than the
// stored subjects.
import { keys } from '#shared/bus/subjects.ts'
import type { Freshness } from '#shared/contracts/observations/freshness.ts'
import { limits } from '#shared/limits/limits.ts'
import type { CheckpointDocument } from '#shared/store/collections.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query } from '#shared/store/port.ts'
import { type KeeperContext, NoLongerOurs, retryWhile } from '../context.ts'
import { freshnessOf } from './freshness.ts'
import { isMoved, type Partition } from './partition.ts'
import { momentOf, notesOf } from './silence.ts'

/**
 * Writes the checkpoint. Requires that every report up to the partition's sequence is committed. A report that only renews the freshness of
 * its subject may be in memory instead: the checkpoint stores that freshness. Throws NoLongerOurs if another keeper has moved the
 * checkpoint.
 */
export async function writeCheckpoint(context: KeeperContext, partition: Partition, now: number): Promise<void> {
  partition.position.checkpointDueAt = now + limits.keeper.checkpointMs
  if (!isMoved(partition)) return
  partition.fresh.isAhead = false
  const mayGoOn = () => context.mayCommit(partition.number)
  await forgetStrayed(context, partition, mayGoOn)
  // A closed partition has no subjects in memory, so their freshness would be missing.
  if (partition.state === 'closed') return
  const silence = notesOf(partition.silence, momentOf(context.clock))
  const checkpoint: CheckpointDocument = {
    id: keys.lease(partition.number),
    rev: (partition.position.checkpoint?.rev ?? 0) + 1,
    streamCreatedAt: partition.position.streamCreatedAt,
    sequence: partition.position.sequence,
    messageAt: partition.position.messageAt,
    gaps: partition.position.gaps,
    writtenAt: now,
    freshness: freshnessOfPartition(context, partition),
    ...(silence !== null && { silence }),
    writer: `${context.keeperId}.${now}`,
  }
  const [result] = await retryWhile(context, mayGoOn, 'write a checkpoint', () =>
    context.store.replace('checkpoints', [checkpoint]),
  )
  if (result !== 'written') throw new NoLongerOurs(`the checkpoint of partition ${partition.number} was moved by somebody else`)
  const { freshness: _, ...stored } = checkpoint
  partition.position.checkpoint = stored
}

function freshnessOfPartition(context: KeeperContext, partition: Partition): Freshness[] {
  const all = [...partition.fresh.checkpointed.values()]
  for (const id of partition.fresh.dirty) {
    const subject = context.cache.get(id)?.subject
    if (subject) all.push(freshnessOf(subject))
  }
  return all
}

/**
 * Drops cached subjects that the partition's former holder has written after this keeper read them. Otherwise this keeper would notice such
 * a change only when the store refuses its next write of the subject, perhaps after a long time. The next round reads and writes the
 * dropped subjects again.
 */
async function forgetStrayed(context: KeeperContext, partition: Partition, mayGoOn: () => boolean): Promise<void> {
  if (partition.fresh.dirty.size === 0) return
  const stored = await storedRevs(context, partition, mayGoOn)
  for (const id of partition.fresh.dirty) {
    const subject = context.cache.get(id)?.subject
    if (!subject || stored.get(id) === subject.rev) continue
    context.cache.drop(id)
    partition.fresh.dirty.delete(id)
    partition.fresh.checkpointed.set(id, freshnessOf(subject))
    partition.outboxes.uncleared.set(id, 0)
    context.metrics.refusals.inc()
    context.wake()
  }
}

async function storedRevs(context: KeeperContext, partition: Partition, mayGoOn: () => boolean): Promise<Map<string, number>> {
  const revs = new Map<string, number>()
  const query: Query = { where: { partition: partition.number }, limit: limits.store.findMax, select: ['rev'] }
  const read = (page: Query) => retryWhile(context, mayGoOn, 'read revisions', () => context.store.find('subjects', page))
  for await (const page of pagesOf(query, read)) for (const { id, rev } of page) revs.set(id, rev)
  return revs
}
