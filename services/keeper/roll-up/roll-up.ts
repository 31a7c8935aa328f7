// Roll-up of the partitions that this keeper holds, one after the other outside the rounds. Until a roll-up exists, readers use raw rows.
import { repeat } from '#shared/async/repeat.ts'
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { type KeeperContext, NoLongerOurs } from '../context.ts'
import { rollUpDue } from './progress.ts'
import { rollUpPartition } from './roll-up-partition.ts'

/** Checks each minute which partitions are due. After `stop` no further write begins. */
export function startRollingUp(context: KeeperContext): { stop(): void } {
  let isStopped = false
  const onError = (error: unknown) => {
    if (!isStopped) context.logger.warn({ err: error }, 'roll-ups could not be looked up')
  }
  const looking = repeat({ clock: context.clock, everyMs: limits.rollUp.lookMs, onError }, () =>
    rollUpHeld(context, () => isStopped),
  )
  return {
    stop: () => {
      isStopped = true
      void looking.stop()
    },
  }
}

async function rollUpHeld(context: KeeperContext, isStopped: () => boolean): Promise<void> {
  const held = Array.from({ length: limits.partitions }, (_, number) => number).filter(context.mayCommit)
  if (held.length === 0) return
  const stored = await context.store.get('rollUpProgress', held.map(keys.lease))
  for (const [index, partition] of held.entries()) {
    const known = stored[index] ?? null
    const due = rollUpDue(partition, context.clock.now())
    if (known !== null && known.hoursTo === due.hoursTo && known.daysTo === due.daysTo) continue
    const mayGoOn = () => !isStopped() && context.mayCommit(partition)
    await rollUpPartition(context, partition, known, mayGoOn).catch(error => {
      if (error instanceof NoLongerOurs) return
      context.logger.error({ err: error, partition }, 'partition could not be rolled up')
    })
  }
}
