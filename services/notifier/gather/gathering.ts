// Decides which messages go out alone and which a digest tells (v3 10.19), and stores the digests. The counts are in memory; what is unknown,
// as after a start, is read from the log. A stored digest decides for every notifier.
import { findChannel } from '#shared/channels/registry.ts'
import { gathers } from '#shared/channels/settings.ts'
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import { wallOf } from '#shared/time/clock.ts'
import type { NotifierContext } from '../context.ts'
import { retryStoreCall } from '../record/row-writer.ts'
import { digestThread, newDigest } from './digest-document.ts'
import { Storm } from './storm.ts'

const { windowMs, delayMs, everyMs, alone } = limits.notifier.digest
/** Rows of the log that are read for a count: held messages are among them. */
const rowsRead = 50

export interface Round {
  /**
   * Counts a message. Returns the instant of the digest that tells it, ms since the epoch; null: it goes out alone. `follows`: an earlier
   * message about its incident waits there.
   */
  slotOf(destination: DestinationDocument, follows: boolean): number | null
  /** Returns the instant of the next digest at a destination for which the round was opened. */
  nextSlot(destination: DestinationDocument): number
  /** Stores the digests whose instants were returned. Messages that wait for them are stored afterwards. Rejects with a StoreError. */
  store(): Promise<void>
}

export type Gathering = ReturnType<typeof createGathering>

/** Whether messages to the destination are gathered in a storm. */
export function gathersAt(destination: DestinationDocument): boolean {
  const channel = findChannel(destination.type)
  return channel !== null && gathers(channel, destination)
}

/** `onMade` is called with each digest that is stored. */
export function createGathering(
  { store, clock, options }: Pick<NotifierContext, 'store' | 'clock' | 'options'>,
  onMade: (digest: DeliveryDocument) => void,
) {
  const storms = new Map<string, Storm>()

  const stormOf = async ({ id }: DestinationDocument): Promise<void> => {
    const at = clock.now()
    if (storms.get(id)?.isOver(at) === false) return
    const rows = await store.find('deliveryLog', {
      where: { destinationId: id, at: { gt: at - windowMs } },
      sort: [['at', 'desc']],
      limit: rowsRead,
    })
    // Another round may have counted meanwhile.
    if (storms.get(id)?.isOver(at) === false) return
    const counted = rows.filter(({ event }) => event !== 'test')
    const sent = counted.filter(({ status, event }) => status !== 'held' && event !== 'digest')
    const isOn = counted.some(({ reason, event }) => reason === 'digest' || event === 'digest')
    if (storms.size > limits.notifier.lanesKept) storms.clear()
    const lastAt = counted[0]?.at ?? Number.NEGATIVE_INFINITY
    storms.set(id, new Storm({ alone: sent.slice(0, alone).map(row => row.at), isOn, lastAt }))
  }

  const newestOf = async ({ id }: DestinationDocument): Promise<DeliveryDocument | undefined> => {
    const where = { incidentId: digestThread(id), destinationId: id }
    return (await store.find('deliveries', { where, sort: [['number', 'desc']], limit: 1 }))[0]
  }

  return {
    /**
     * Reads what the destinations got in the last minute, and their newest digest. Those whose messages are never gathered are ignored,
     * unless `isForced`. Rejects with a StoreError.
     */
    open: async (destinations: Iterable<DestinationDocument>, isForced = false): Promise<Round> => {
      const wanted = new Map([...destinations].filter(one => isForced || gathersAt(one)).map(one => [one.id, one]))
      const newest = new Map<string, DeliveryDocument>()
      await Promise.all(
        [...wanted.values()].map(async destination => {
          const [found] = await Promise.all([newestOf(destination), stormOf(destination)])
          if (found !== undefined) newest.set(destination.id, found)
        }),
      )
      const made: DeliveryDocument[] = []
      const nextSlot = (destination: DestinationDocument): number => {
        const last = newest.get(destination.id)
        if (last?.open === 1 && last.members === null) return last.number
        const at = clock.now()
        const slot = Math.max(at + delayMs, (last?.number ?? 0) + everyMs)
        const digest = newDigest(destination, slot, { at, createdAt: wallOf(clock) }, options)
        newest.set(destination.id, digest)
        made.push(digest)
        return slot
      }
      return {
        slotOf: (destination, follows) => {
          const storm = wanted.has(destination.id) ? storms.get(destination.id) : undefined
          if (storm === undefined) return null
          // What comes after a digest that waits must not overtake it.
          const mustWait = newest.get(destination.id)?.open === 1
          if (follows && !mustWait) return null
          return storm.admits(clock.now(), mustWait) ? null : nextSlot(destination)
        },
        nextSlot,
        store: async () => {
          const digests = made.splice(0)
          if (digests.length === 0) return
          await retryStoreCall(clock, () => store.insert('deliveries', digests))
          for (const digest of digests) onMade(digest)
        },
      }
    },
  }
}
