// Judgement of the reports that still wait in the stream of an installation that has stopped. A keeper of this process takes every partition,
// judges what waits with its own times, and hands over. So no report needs to be moved, and every checkpoint is complete. Its leases count
// the time since the installation stopped as an outage.
import { Registry } from 'prom-client'
import { pause } from '#shared/async/pause.ts'
import type { Bus } from '#shared/bus/port.ts'
import { keys } from '#shared/bus/subjects.ts'
import { limits, minute } from '#shared/limits/limits.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { withForms } from '#shared/store/forms.ts'
import { levelOf } from '#shared/store/level.ts'
import type { Store } from '#shared/store/port.ts'
import { randomId } from '#shared/text/ids.ts'
import type { Clock } from '#shared/time/clock.ts'
import { startKeeper } from '../../services/keeper/app.ts'
import type { AllSettings } from '../runtime/all-settings.ts'
import { StartError } from '../runtime/start-error.ts'

export interface DrainOptions {
  store: Store
  /** Number of the store (ADR 36). */
  number: number
  bus: Bus
  clock: Clock
  logger: Logger
  settings: AllSettings
  incidentSalt: string
  onProgress(text: string): void
}

const lookMs = 100
const mostMs = 15 * minute
/** A report that is none is never judged, so what is left after this many keepers stays. */
const keepersMost = 2

/** Returns the number of partitions in which something waits that is no report. No keeper may run. Throws a StartError. */
export async function drain(options: DrainOptions): Promise<number> {
  let left = await waitingPartitions(options)
  for (let keeper = 0; keeper < keepersMost && (keeper === 0 || left > 0); keeper++) {
    await judgeAll(options)
    left = await waitingPartitions(options)
  }
  return left
}

async function judgeAll({ store, number, bus, clock, logger, settings, incidentSalt, onProgress }: DrainOptions): Promise<void> {
  const keeperId = `move-${randomId(8)}`
  const keeper = await startKeeper(
    { store: withForms({ ...store }), bus, clock, logger, metrics: new Registry(), level: levelOf(number) },
    {
      keeperId,
      exclusive: true,
      hasSenders: false,
      confirmAfterMs: settings.WEBSITE_CONFIRM_AFTER,
      closeAfterMs: settings.WEBSITE_CLOSE_AFTER,
      cachedSubjects: settings.KEEPER_CACHE,
      incidentSalt,
    },
  )
  const holds = async () => {
    const leases = await bus.bucket('leases').list(keys.allLeases)
    return leases.filter(({ value }) => (value as { holder?: unknown } | null)?.holder === keeperId).length
  }
  try {
    for (const endsAt = clock.monotonic() + mostMs; ; ) {
      const held = await holds().catch(() => 0)
      if (held === limits.partitions && keeper.unready().length === 0) return
      onProgress(`reports that wait are judged: ${held} of ${limits.partitions} partitions taken, ${keeper.unready().join(', ')}`)
      if (clock.monotonic() > endsAt)
        throw new StartError('The reports that wait on the bus could not be judged: start Watchkeeper once, and look at its log.')
      await pause(clock, lookMs)
    }
  } finally {
    await keeper.stop()
  }
}

/** Returns the number of partitions whose newest report is not covered by their checkpoint. */
async function waitingPartitions({ store, bus }: DrainOptions): Promise<number> {
  const { createdAt } = await bus.observations.state()
  let waiting = 0
  for (let partition = 0; partition < limits.partitions; partition++) {
    const newest = await bus.observations.lastSequenceOf(partition)
    const [checkpoint = null] = await store.get('checkpoints', [keys.lease(partition)])
    const judged = checkpoint?.streamCreatedAt === createdAt ? checkpoint.sequence : 0
    if (newest > judged) waiting++
  }
  return waiting
}
