// The checkpoint of a partition: how far its holder has come in the stream, and how fresh its subjects' readings are beyond their
// documents, in one guarded write (design section 3, Checkpoint).
import { keys } from '#shared/bus/subjects.ts'
import type { Freshness } from '#shared/contracts/freshness.ts'
import { limits } from '#shared/limits.ts'
import type { CheckpointDocument } from '#shared/store/collections.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { Query } from '#shared/store/port.ts'
import { type Core, persistWhile } from './core.ts'
import { freshnessOf } from './freshness.ts'
import { isMoved, type Partition } from './partition.ts'
import { NoLongerOurs } from './retry.ts'
import { momentOf, notesOf } from './silence.ts'

/** Everything up to the partition's sequence is committed or is freshness in memory. Throws NoLongerOurs where another moved it. */
export async function writeCheckpoint(core: Core, partition: Partition, now: number): Promise<void> {
  partition.checkpointDueAt = now + limits.keeper.checkpointMs
  if (!isMoved(partition)) return
  partition.isFresher = false
  const mayGoOn = () => core.mayCommit(partition.number)
  await forgetStrayed(core, partition, mayGoOn)
  // Closed meanwhile, its subjects left the memory: what is fresh of them could not be written any more.
  if (partition.state === 'closed') return
  const silence = notesOf(partition.silence, momentOf(core.clock))
  const checkpoint: CheckpointDocument = {
    id: keys.lease(partition.number),
    rev: (partition.checkpoint?.rev ?? 0) + 1,
    streamCreatedAt: partition.streamCreatedAt,
    sequence: partition.sequence,
    messageAt: partition.messageAt,
    gaps: partition.gaps,
    writtenAt: now,
    freshness: freshnessOfPartition(core, partition),
    ...(silence !== null && { silence }),
    writer: `${core.keeperId}.${now}`,
  }
  const [result] = await persistWhile(core, mayGoOn, 'write a checkpoint', () => core.store.replace('checkpoints', [checkpoint]))
  if (result !== 'written') throw new NoLongerOurs(`the checkpoint of partition ${partition.number} was moved by somebody else`)
  const { freshness: _, ...stored } = checkpoint
  partition.checkpoint = stored
}

function freshnessOfPartition(core: Core, partition: Partition): Freshness[] {
  const all = [...partition.freshness.values()]
  for (const id of partition.dirty) {
    const subject = core.cache.get(id)?.subject
    if (subject) all.push(freshnessOf(subject))
  }
  return all
}

/**
 * A subject whose reports change nothing is not written, so nobody refuses it either: here it is noticed that somebody else, who
 * held the partition before, has written it all the same. It is read and written anew in the next round.
 */
async function forgetStrayed(core: Core, partition: Partition, mayGoOn: () => boolean): Promise<void> {
  if (partition.dirty.size === 0) return
  const stored = await storedRevs(core, partition, mayGoOn)
  for (const id of partition.dirty) {
    const subject = core.cache.get(id)?.subject
    if (!subject || stored.get(id) === subject.rev) continue
    core.cache.drop(id)
    partition.dirty.delete(id)
    partition.freshness.set(id, freshnessOf(subject))
    partition.uncleared.set(id, 0)
    core.metrics.refusals.inc()
    core.wake()
  }
}

async function storedRevs(core: Core, partition: Partition, mayGoOn: () => boolean): Promise<Map<string, number>> {
  const revs = new Map<string, number>()
  const query: Query = { where: { partition: partition.number }, limit: limits.store.findMax, select: ['rev'] }
  const read = (page: Query) => persistWhile(core, mayGoOn, 'read revisions', () => core.store.find('subjects', page))
  for await (const page of pagesOf(query, read)) for (const { id, rev } of page) revs.set(id, rev)
  return revs
}
