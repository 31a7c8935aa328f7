// Notices to the operator about changes of the installation: connects the watchers with the stored conditions and the sender. Every
// limits.operator.lookMs it checks for changes that no event reports. Several notifiers may do this: a guarded put to the store decides
// which of them sends.
import type { Registry } from 'prom-client'
import { repeat } from '#shared/async/repeat.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Attempt } from '../context.ts'
import type { Sender } from '../send/sender.ts'
import { watchClock } from './clock-set.ts'
import { type Conditions, createConditions, type Watcher } from './conditions.ts'
import type { OperatorContext } from './context.ts'
import { watchDeadLetters } from './dead-letters.ts'
import { watchDestinations } from './destinations.ts'
import { watchKeys } from './keys.ts'
import { watchLocations } from './locations.ts'
import { createOperatorMetrics } from './metrics.ts'
import { createOutbox } from './outbox.ts'
import { watchProxies } from './proxies.ts'
import { type StorageWatcher, watchStorage } from './storage.ts'

export interface Operator {
  /** Called when an attempt at this destination has ended. Never throws. */
  noteAttempt(destination: DestinationDocument, attempt: Attempt): void
  /** Returns one sentence for each condition that is raised now. */
  warnings(): string[]
  /** Starts no further writes or sends. Resolves when running writes and sends have ended. */
  stop(): Promise<void>
}

/** Resolves when presence is watched. The first check is still running then. Rejects with a BusError. */
export async function startOperator(
  context: OperatorContext,
  { sender, registry, cutOff }: { sender: Sender; registry: Registry; cutOff: AbortSignal },
): Promise<Operator> {
  const conditions: Conditions = createConditions(context, claimed => outbox.send(claimed))
  let storage: StorageWatcher | null = null
  const metrics = createOperatorMetrics(registry, conditions, () => storage?.room() ?? null)
  const outbox = createOutbox({ context, conditions, sender, metrics, cutOff })
  storage = watchStorage(context, conditions, outbox)
  const destinations = watchDestinations(context, conditions)
  const locations = await watchLocations(context, conditions)
  const others = [
    watchKeys(context, conditions),
    watchDeadLetters(context, conditions),
    watchProxies(context, conditions),
    watchClock(context, conditions),
  ]
  const watchers: Watcher[] = [locations, storage, destinations, ...others]
  const onError = (error: unknown) => context.logger.warn({ error: String(error) }, 'conditions not looked at')
  const looking = repeat({ clock: context.clock, everyMs: limits.operator.lookMs, onError }, async () => {
    await conditions.load()
    if (context.receiver !== null) outbox.sendDue()
    // A failing watcher must not stop the others.
    const outcomes = await Promise.allSettled(watchers.map(watcher => watcher.look()))
    const failed = outcomes.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  })
  void looking.soon()
  return {
    noteAttempt: destinations.note,
    warnings: () => {
      const sentences = [...conditions.raised().map(({ summary }) => summary), storage.unnoted()]
      return sentences.filter(sentence => sentence !== null).slice(0, limits.operator.warnings)
    },
    stop: async () => {
      outbox.stop()
      await looking.stop()
      await Promise.allSettled(watchers.map(watcher => watcher.stop?.()))
      await outbox.idle()
    },
  }
}
