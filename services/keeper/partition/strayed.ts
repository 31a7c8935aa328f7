// Search for subjects that another keeper has written although this keeper holds their partition. A former holder may have sent a write
// before it lost the partition, and the store may get this write late (ADR 49).
import { limits } from '#shared/limits/limits.ts'
import type { Query } from '#shared/store/port.ts'
import { type KeeperContext, retryWhile } from '../context.ts'
import { freshnessOf } from './freshness.ts'
import type { Partition } from './partition.ts'

const { strayMs, strayShares } = limits.keeper

/**
 * Drops cached subjects that a former holder has written after this keeper read them. Otherwise this keeper would notice such a change only
 * when the store refuses its next write of the subject, perhaps after a long time. The next round reads and writes the dropped subjects
 * again. Asks for the revisions of all fresh subjects for a while after the take-over and after a refused write, and else for a share of
 * them. Asks for none if no other keeper can exist.
 */
export async function forgetStrayed(
  context: KeeperContext,
  partition: Partition,
  now: number,
  mayGoOn: () => boolean,
): Promise<void> {
  const { fresh, outboxes } = partition
  if (context.isAlone || fresh.dirty.size === 0) return
  const ids = idsToAsk(partition, now)
  for (let start = 0; start < ids.length; start += limits.store.findMax) {
    const slice = ids.slice(start, start + limits.store.findMax)
    const stored = await storedRevs(context, slice, mayGoOn)
    for (const id of slice) {
      const subject = context.cache.get(id)?.subject
      if (!fresh.dirty.has(id) || !subject || stored.get(id) === subject.rev) continue
      context.cache.drop(id)
      fresh.dirty.delete(id)
      fresh.checkpointed.set(id, freshnessOf(subject))
      fresh.changed.add(id)
      outboxes.uncleared.set(id, 0)
      // Where one late write was, others may follow.
      fresh.strayedAt = now
      context.metrics.refusals.inc()
      context.wake()
    }
  }
}

function idsToAsk({ fresh }: Partition, now: number): string[] {
  if (now - fresh.strayedAt < strayMs) return [...fresh.dirty]
  if (fresh.unasked.length === 0)
    Object.assign(fresh, { unasked: [...fresh.dirty], share: Math.ceil(fresh.dirty.size / strayShares) })
  return fresh.unasked.splice(-fresh.share)
}

async function storedRevs(context: KeeperContext, ids: readonly string[], mayGoOn: () => boolean): Promise<Map<string, number>> {
  const query: Query = { where: { id: { in: ids } }, limit: limits.store.findMax, select: ['rev'] }
  const found = await retryWhile(context, mayGoOn, 'read revisions', () => context.store.find('subjects', query))
  return new Map(found.map(({ id, rev }) => [id, rev]))
}
