// Notifies the operator of changes of the installation: connects the watchers with the stored conditions and the sender, and looks every
// limits.operator.lookMs for changes that nothing announces. Any number of notifiers do this side by side: the store decides which one
// sends.
import type { Registry } from 'prom-client'
import { repeat } from '#shared/async/repeat.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Sender } from '../send/send.ts'
import { createConditions } from './conditions.ts'
import type { OperatorContext, Watcher, Watching } from './context.ts'
import { watchDeadLetters } from './dead-letters.ts'
import { type Attempt, watchDestinations } from './destinations.ts'
import { watchKeys } from './keys.ts'
import { watchLocations } from './locations.ts'
import { createOperatorMetrics } from './metrics.ts'
import { createOutbox } from './outbox.ts'
import { type StorageWatcher, watchStorage } from './storage.ts'

export interface Operator {
  /** An attempt at this destination has ended. Never throws. */
  noteAttempt(destination: DestinationDocument, attempt: Attempt): void
  /** Conditions that hold now, as sentences. */
  warnings(): string[]
  /** Takes up nothing new; resolves when what is being written or sent has ended. */
  stop(): Promise<void>
}

/** Resolves when it listens; the first look is under way then. Rejects with a BusError. */
export async function startOperator(
  context: OperatorContext,
  { sender, registry, cutOff }: { sender: Sender; registry: Registry; cutOff: AbortSignal },
): Promise<Operator> {
  const conditions = createConditions(context)
  let storage: StorageWatcher | null = null
  const metrics = createOperatorMetrics(registry, conditions, () => storage?.room() ?? null)
  const outbox = createOutbox({ context, conditions, sender, metrics, cutOff })
  const watching: Watching = {
    context,
    conditions,
    alter: async (kind, objectId, decide) => {
      let isTold = false
      const stored = await conditions.change(kind, objectId, present => {
        const wanted = decide(present)
        isTold = wanted !== null && wanted.notice !== null
        return wanted
      })
      // A second message waits for the first, which is being sent or waits for its retry.
      if (isTold && stored?.unsent.length === 1) outbox.send(stored)
      return stored
    },
  }
  storage = watchStorage(watching, outbox)
  const destinations = watchDestinations(watching)
  const locations = await watchLocations(watching)
  const watchers: Watcher[] = [locations, storage, destinations, watchKeys(watching), watchDeadLetters(watching)]
  const onError = (error: unknown) => context.logger.warn({ error: String(error) }, 'conditions not looked at')
  const looking = repeat({ clock: context.clock, everyMs: limits.operator.lookMs, onError }, async () => {
    await conditions.load()
    if (context.webhook !== null) outbox.sendDue()
    // One that fails must not keep the others from looking.
    const outcomes = await Promise.allSettled(watchers.map(watcher => watcher.look()))
    const failed = outcomes.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  })
  void looking.soon()
  return {
    noteAttempt: destinations.note,
    warnings: () => {
      const told = [...conditions.raised().map(({ summary }) => summary), storage.unnoted()]
      return told.filter(sentence => sentence !== null).slice(0, limits.operator.warnings)
    },
    stop: async () => {
      outbox.stop()
      await looking.stop()
      await Promise.allSettled(watchers.map(watcher => watcher.stop()))
      await outbox.idle()
    },
  }
}
