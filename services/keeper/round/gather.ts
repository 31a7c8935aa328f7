// Inputs and writes of the next round, taken from the partitions. Never steps or writes anything.
import { limits } from '#shared/limits/limits.ts'
import { flatForms } from '#shared/store/migrations/0004-flat-forms.ts'
import type { KeeperContext } from '../context.ts'
import { freshCount, hasWork, isMoved, type Partition, takeInputs } from '../partition/partition.ts'
import type { Take } from './round.ts'

/**
 * Takes inputs up to the bounds, only from partitions that are in no round and whose lease permits a commit. Returns an empty list if there
 * is no work.
 */
export function gatherTakes(
  context: KeeperContext,
  partitions: readonly Partition[],
  now: number,
  isInRound: (subjectId: string) => boolean,
): Take[] {
  const isConnected = context.bus.connected()
  const isInline = context.level.number() < flatForms
  const overflowing = context.cache.evict(isInRound)
  const takes: Take[] = []
  let room: number = limits.keeper.inputsPerRoundInAll
  for (const partition of partitions) {
    if (partition.round !== null || partition.state === 'opening' || partition.state === 'closed') continue
    if (!context.mayCommit(partition.number)) continue
    const mayTake = room > 0 && (hasWork(partition, now, isConnected) || partition.inbox.receivedTo > partition.position.sequence)
    const taken = mayTake ? takeInputs(partition, now, isConnected) : { inputs: [], takenTo: partition.position.sequence }
    room -= taken.inputs.length
    const movesCheckpoint = now >= partition.position.checkpointDueAt && partition.state === 'live'
    const most = movesCheckpoint && isInline ? limits.keeper.freshnessInCheckpoint : Number.POSITIVE_INFINITY
    const flush = flushable(partition, now, { movesCheckpoint, most, overflowing })
    const moves = taken.takenTo > partition.position.sequence || (movesCheckpoint && isMoved(partition))
    if (taken.inputs.length > 0 || flush.length > 0 || moves) takes.push({ partition, ...taken, flush, movesCheckpoint })
  }
  return takes
}

/**
 * Returns subjects to write without an input: subjects whose outbox is due to be cleared, subjects that exceed the bound of the memory, and
 * subjects whose freshness exceeds `most`, the bound of the checkpoint.
 */
function flushable(
  partition: Partition,
  now: number,
  { movesCheckpoint, most, overflowing }: { movesCheckpoint: boolean; most: number; overflowing: readonly string[] },
): string[] {
  const { fresh, outboxes } = partition
  if (fresh.dirty.size === 0 && outboxes.uncleared.size === 0) return []
  const flush = new Set<string>()
  const over = freshCount(fresh) - most
  if (over > 0) for (const id of [...fresh.dirty].slice(0, over)) flush.add(id)
  for (const [id, since] of outboxes.uncleared) {
    if (now - since >= limits.keeper.outboxMs || movesCheckpoint) flush.add(id)
  }
  for (const id of overflowing) if (fresh.dirty.has(id)) flush.add(id)
  return [...flush]
}
