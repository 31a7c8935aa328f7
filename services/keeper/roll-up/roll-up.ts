// Rolls up the partitions that this keeper holds, one after the other, apart from the rounds. Never hurries: what is late is only read
// from raw observations instead.
import { keys } from '#shared/bus/subjects.ts'
import type { Cancel } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'
import type { Core } from '../core.ts'
import { NoLongerOurs } from '../retry.ts'
import { rollUpDue } from './progress.ts'
import { rollUpPartition } from './roll-up-partition.ts'

/** Looks each minute what is due. After `stop` nothing more is written but what the store already has. */
export function startRollingUp(core: Core): { stop(): void } {
  let cancel: Cancel = () => undefined
  let stopped = false
  const look = async () => {
    await rollUpHeld(core, () => stopped).catch(error => {
      if (!stopped) core.logger.warn({ err: error }, 'roll-ups could not be looked up')
    })
    if (!stopped) again()
  }
  const again = () => {
    cancel = core.clock.after(limits.rollUp.lookMs, () => void look())
  }
  again()
  return {
    stop: () => {
      stopped = true
      cancel()
    },
  }
}

async function rollUpHeld(core: Core, isStopped: () => boolean): Promise<void> {
  const held = Array.from({ length: limits.partitions }, (_, number) => number).filter(core.mayCommit)
  if (held.length === 0) return
  const stored = await core.store.get('rollUpProgress', held.map(keys.lease))
  for (const [index, partition] of held.entries()) {
    const known = stored[index] ?? null
    const due = rollUpDue(partition, core.clock.now())
    if (known !== null && known.hoursTo === due.hoursTo && known.daysTo === due.daysTo) continue
    const mayGoOn = () => !isStopped() && core.mayCommit(partition)
    await rollUpPartition(core, partition, known, mayGoOn).catch(error => {
      if (error instanceof NoLongerOurs) return
      core.logger.error({ err: error, partition }, 'partition could not be rolled up')
    })
  }
}
