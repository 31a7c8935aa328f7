// Room to send: one lane per destination, so that a slow or dead receiver holds back nobody else. Holds ids in memory only;
// what has no place here stays in the store, where the scan finds it.
import { limits } from '#shared/limits/limits.ts'

const {
  inFlight,
  inFlightPerDestination,
  inFlightPerDestinationMax,
  inFlightUnanswered,
  lanesKept,
  queuedPerDestination,
  unwritten,
} = limits.notifier

/** How an attempt ended, as far as the next ones are concerned: busy is a refusal that may pass; null: nothing was learnt. */
export type News = 'took' | 'refused' | 'busy' | 'silent' | null

export interface Lanes {
  /** Queues a delivery that is due. False where the lane is full; one that is known already is not queued twice. */
  offer(destinationId: string, deliveryId: string): boolean
  /** Takes room at once; false where there is none, or others wait for it. */
  take(destinationId: string, deliveryId: string): boolean
  /** Takes room for queued deliveries, lane by lane in turn, as far as there is room; answers their ids. */
  pick(): string[]
  /** The attempt is over and gives its room back; its outcome is still to be written. Who takes messages gets more at once. */
  settle(deliveryId: string, news: News): void
  /** Nothing of it is left to do here, whether it was sent or not. */
  release(deliveryId: string): void
  running(): number
  queued(): number
}

interface Lane {
  queue: Set<string>
  running: number
  /** 1: it did not answer last time. */
  width: number
}

export function createLanes(): Lanes {
  const { lanes, isKnown, hasRoom, laneOf, enter, leave, settled, running } = createRoom()

  const pickOne = (destinationId: string, lane: Lane): string | null => {
    const [first] = lane.queue
    if (first === undefined || !hasRoom(lane)) return null
    enter(destinationId, first)
    // To the end of the turn order: the next one is another lane's.
    lanes.delete(destinationId)
    lanes.set(destinationId, lane)
    return first
  }

  return {
    offer: (destinationId, deliveryId) => {
      if (isKnown(deliveryId)) return true
      const { queue } = laneOf(destinationId)
      if (queue.size >= queuedPerDestination && !queue.has(deliveryId)) return false
      queue.add(deliveryId)
      return true
    },
    take: (destinationId, deliveryId) => {
      const lane = laneOf(destinationId)
      if (isKnown(deliveryId) || lane.queue.size > 0 || !hasRoom(lane)) return false
      enter(destinationId, deliveryId)
      return true
    },
    pick: () => {
      const picked: string[] = []
      for (let before = -1; before < picked.length; ) {
        before = picked.length
        for (const [destinationId, lane] of [...lanes]) {
          const id = pickOne(destinationId, lane)
          if (id !== null) picked.push(id)
        }
      }
      return picked
    },
    settle: (deliveryId, news) => {
      if (leave(deliveryId, news)) settled.add(deliveryId)
    },
    release: deliveryId => {
      leave(deliveryId, null)
      settled.delete(deliveryId)
    },
    running,
    queued: () => [...lanes.values()].reduce((sum, { queue }) => sum + queue.size, 0),
  }
}

/** Deliveries under way, and how many more may be. */
function createRoom() {
  const lanes = new Map<string, Lane>()
  const runningIn = new Map<string, string>()
  const settled = new Set<string>()
  /** Running in lanes that did not answer: many dead destinations together must not take all the room either. */
  let unanswered = 0

  const laneOf = (destinationId: string): Lane => {
    const known = lanes.get(destinationId)
    if (known) return known
    const lane = { queue: new Set<string>(), running: 0, width: inFlightPerDestination }
    lanes.set(destinationId, lane)
    return lane
  }
  const change = (lane: Lane, running: number, width: number) => {
    unanswered += (width === 1 ? running : 0) - (lane.width === 1 ? lane.running : 0)
    lane.running = running
    lane.width = width
  }
  return {
    lanes,
    settled,
    laneOf,
    running: () => runningIn.size,
    isKnown: (deliveryId: string): boolean => runningIn.has(deliveryId) || settled.has(deliveryId),
    hasRoom: (lane: Lane): boolean =>
      lane.running < lane.width &&
      runningIn.size < inFlight &&
      settled.size < unwritten &&
      (lane.width > 1 || unanswered < inFlightUnanswered),
    enter: (destinationId: string, deliveryId: string) => {
      const lane = laneOf(destinationId)
      lane.queue.delete(deliveryId)
      change(lane, lane.running + 1, lane.width)
      runningIn.set(deliveryId, destinationId)
    },
    /** False where it was not on the way. */
    leave: (deliveryId: string, news: News): boolean => {
      const destinationId = runningIn.get(deliveryId)
      if (destinationId === undefined) return false
      runningIn.delete(deliveryId)
      const lane = laneOf(destinationId)
      change(lane, lane.running - 1, widthAfter(lane.width, news))
      const isIdle = lane.running === 0 && lane.queue.size === 0
      if (isIdle && (lane.width >= inFlightPerDestination || lanes.size > lanesKept)) lanes.delete(destinationId)
      return true
    },
  }
}

function widthAfter(width: number, news: News): number {
  if (news === 'silent') return 1
  if (news === 'busy') return Math.max(2, Math.floor(width / 2))
  if (news === 'took') return Math.min(width * 2, inFlightPerDestinationMax)
  return news === 'refused' ? Math.max(2, width) : width
}
