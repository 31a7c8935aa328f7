// What the next round takes from the partitions: inputs that wait, and what must be written though no input asks for it.
import { limits } from '#shared/limits.ts'
import type { Core } from './core.ts'
import { hasWork, isMoved, type Partition, takeInputs } from './partition.ts'
import type { Take } from './round.ts'

/** Inputs up to the bounds; only from partitions that are in no round and may be committed to. Empty: nothing to do. */
export function gatherTakes(
  core: Core,
  partitions: readonly Partition[],
  now: number,
  isInRound: (subjectId: string) => boolean,
): Take[] {
  const isConnected = core.bus.connected()
  const overflowing = core.cache.evict(isInRound)
  const takes: Take[] = []
  let room: number = limits.keeper.inputsPerRoundInAll
  for (const partition of partitions) {
    if (partition.round !== null || partition.state === 'opening' || partition.state === 'closed') continue
    if (!core.mayCommit(partition.number)) continue
    const mayTake = room > 0 && (hasWork(partition, now, isConnected) || partition.receivedTo > partition.sequence)
    const taken = mayTake ? takeInputs(partition, now, isConnected) : { inputs: [], takenTo: partition.sequence }
    room -= taken.inputs.length
    const movesCheckpoint = now >= partition.checkpointDueAt && partition.state === 'live'
    const flush = flushable(partition, now, movesCheckpoint, overflowing)
    const moves = taken.takenTo > partition.sequence || (movesCheckpoint && isMoved(partition))
    if (taken.inputs.length > 0 || flush.length > 0 || moves) takes.push({ partition, ...taken, flush, movesCheckpoint })
  }
  return takes
}

/**
 * Subjects to be written: those whose pending is to be cleared by now, those that the memory has no room for, and those whose freshness
 * the checkpoint has no room for.
 */
function flushable(partition: Partition, now: number, movesCheckpoint: boolean, overflowing: readonly string[]): string[] {
  if (partition.dirty.size === 0 && partition.uncleared.size === 0) return []
  const flush = new Set<string>()
  let over = movesCheckpoint ? partition.dirty.size + partition.freshness.size - limits.keeper.freshnessInCheckpoint : 0
  for (const id of partition.dirty) {
    if (over-- <= 0) break
    flush.add(id)
  }
  for (const [id, since] of partition.uncleared) {
    if (now - since >= limits.keeper.pendingMs || movesCheckpoint) flush.add(id)
  }
  for (const id of overflowing) if (partition.dirty.has(id)) flush.add(id)
  return [...flush]
}
