// Room to send: one lane per destination, so that a slow or dead receiver holds back nobody else. Holds ids in memory only;
// what has no place here stays in the store, where the scan finds it.
import { limits } from '#shared/limits.ts'

const { inFlight, inFlightPerDestination, queuedPerDestination } = limits.notifier

export interface Lanes {
  /** Queues a delivery that is due. False where the lane is full; one that is known already is not queued twice. */
  offer(destinationId: string, deliveryId: string): boolean
  /** Takes room at once; false where there is none, or others wait for it. */
  take(destinationId: string, deliveryId: string): boolean
  /** Takes room for queued deliveries, lane by lane in turn, as far as there is room; answers their ids. */
  pick(): string[]
  /** Gives room back. `answered`: null where nothing was sent; false narrows the lane to one at a time, true widens it. */
  release(deliveryId: string, answered: boolean | null): void
  running(): number
  queued(): number
}

interface Lane {
  queue: Set<string>
  running: number
  width: number
}

export function createLanes(): Lanes {
  const lanes = new Map<string, Lane>()
  const runningIn = new Map<string, string>()

  const laneOf = (destinationId: string): Lane => {
    const known = lanes.get(destinationId)
    if (known) return known
    const lane = { queue: new Set<string>(), running: 0, width: inFlightPerDestination }
    lanes.set(destinationId, lane)
    return lane
  }
  const hasRoom = (lane: Lane) => lane.running < lane.width && runningIn.size < inFlight
  const start = (destinationId: string, lane: Lane, deliveryId: string) => {
    lane.queue.delete(deliveryId)
    lane.running += 1
    runningIn.set(deliveryId, destinationId)
  }

  const pickOne = (destinationId: string, lane: Lane): string | null => {
    const [first] = lane.queue
    if (first === undefined || !hasRoom(lane)) return null
    start(destinationId, lane, first)
    // To the end of the turn order: the next one is another lane's.
    lanes.delete(destinationId)
    lanes.set(destinationId, lane)
    return first
  }

  return {
    offer: (destinationId, deliveryId) => {
      if (runningIn.has(deliveryId)) return true
      const { queue } = laneOf(destinationId)
      if (queue.size >= queuedPerDestination && !queue.has(deliveryId)) return false
      queue.add(deliveryId)
      return true
    },
    take: (destinationId, deliveryId) => {
      const lane = laneOf(destinationId)
      if (runningIn.has(deliveryId) || lane.queue.size > 0 || !hasRoom(lane)) return false
      start(destinationId, lane, deliveryId)
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
    release: (deliveryId, answered) => {
      const destinationId = runningIn.get(deliveryId)
      if (destinationId === undefined) return
      runningIn.delete(deliveryId)
      const lane = laneOf(destinationId)
      lane.running -= 1
      if (answered !== null) lane.width = answered ? Math.min(lane.width * 2, inFlightPerDestination) : 1
      const idle = lane.running === 0 && lane.queue.size === 0
      if (idle && lane.width === inFlightPerDestination) lanes.delete(destinationId)
    },
    running: () => runningIn.size,
    queued: () => [...lanes.values()].reduce((sum, { queue }) => sum + queue.size, 0),
  }
}
