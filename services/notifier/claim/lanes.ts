// Capacity to send: one lane for each destination, so that a slow or dead receiver delays no other receiver. Keeps only ids, and only in
// memory. If a lane is full, further deliveries stay in the store, where the scan finds them.

import type { Spacing } from '#shared/channels/port.ts'
import { limits } from '#shared/limits/limits.ts'
import { Pace, type Refusal } from './pace.ts'
import { Spacer } from './spacer.ts'

const {
  inFlight,
  inFlightPerDestination,
  inFlightPerDestinationMax,
  inFlightUnanswered,
  lanesKept,
  queuedPerDestination,
  unwritten,
} = limits.notifier

/** Response of a receiver to an attempt. `busy`: a refusal that may pass; `silent`: no response; null: unknown. */
export type LaneResponse = 'took' | 'refused' | 'silent' | ({ busy: true } & Refusal) | null

interface Lane {
  queue: Set<string>
  running: number
  /** Largest allowed value of `running`. 1: the receiver did not respond to the last attempt. */
  width: number
  pace: Pace
  /** Null: the spacing of the destination is not known yet. */
  spacer: Spacer | null
}

export class Lanes {
  /** Lanes by destination id. `pick` takes from the first lane first, then moves this lane to the end. */
  readonly #lanes = new Map<string, Lane>()
  /** Destination ids of running deliveries, by delivery id. */
  readonly #running = new Map<string, string>()
  /** Ids of deliveries whose attempt has ended and is not written yet. */
  readonly #settled = new Set<string>()
  /**
   * Number of running deliveries in lanes of width 1. The number is bounded, so that many dead destinations cannot use all the capacity.
   */
  #unanswered = 0
  readonly #now: () => number

  /** `monotonic`: present instant of a clock that cannot be set, ms. */
  constructor(monotonic: () => number) {
    this.#now = monotonic
  }

  /** Queues a due delivery, if it is not queued already. Returns false if the lane is full. */
  offer(destinationId: string, deliveryId: string): boolean {
    if (this.#isKnown(deliveryId)) return true
    const { queue } = this.#laneOf(destinationId)
    if (queue.size >= queuedPerDestination && !queue.has(deliveryId)) return false
    queue.add(deliveryId)
    return true
  }

  /**
   * Reserves capacity for a delivery. Returns false if the lane has no free capacity, or if other deliveries wait in the lane. `spacing`: that
   * of the destination.
   */
  take(destinationId: string, deliveryId: string, spacing: readonly Spacing[] = []): boolean {
    this.space(destinationId, spacing)
    const lane = this.#laneOf(destinationId)
    if (this.#isKnown(deliveryId) || lane.queue.size > 0 || !this.#hasRoom(lane)) return false
    this.#enter(destinationId, deliveryId)
    return true
  }

  /**
   * Sets the spacing of a destination. Returns the ids of running deliveries that it does not allow yet: they were picked before it was
   * known, must not be sent now, and are to be released and offered again.
   */
  space(destinationId: string, spacing: readonly Spacing[]): string[] {
    const lane = this.#laneOf(destinationId)
    if (lane.spacer?.keeps(spacing)) return []
    const running = lane.spacer === null ? [...this.#running].filter(([, id]) => id === destinationId).map(([id]) => id) : []
    const spacer = new Spacer(spacing)
    lane.spacer = spacer
    const now = this.#now()
    return running.filter(() => {
      const isEarly = spacer.readyAt > now
      spacer.take(now)
      return isEarly
    })
  }

  /**
   * Takes queued deliveries, one from each lane in turn, and reserves capacity for them until no capacity is free. Returns the deliveries'
   * ids.
   */
  pick(): string[] {
    const picked: string[] = []
    for (let before = -1; before < picked.length; ) {
      before = picked.length
      for (const [destinationId, lane] of [...this.#lanes]) {
        const [first] = lane.queue
        if (first === undefined || !this.#hasRoom(lane)) continue
        this.#enter(destinationId, first)
        this.#lanes.delete(destinationId)
        this.#lanes.set(destinationId, lane)
        picked.push(first)
      }
    }
    return picked
  }

  /**
   * Returns the first instant, on the monotonic clock, at which a lane that has capacity may send its next delivery because its pause, gap
   * or spacing has ended; null: no lane waits for time.
   */
  nextAt(): number | null {
    const now = this.#now()
    let next: number | null = null
    for (const lane of this.#lanes.values()) {
      const readyAt = readyAtOf(lane)
      if (lane.queue.size > 0 && readyAt > now && readyAt < (next ?? Number.POSITIVE_INFINITY)) next = readyAt
    }
    return next
  }

  /**
   * Frees the capacity of an attempt that has ended and is not written yet. A receiver that accepts messages thus gets more capacity at
   * once.
   */
  settle(deliveryId: string, response: LaneResponse): void {
    if (this.#leave(deliveryId, response)) this.#settled.add(deliveryId)
  }

  /** Removes a delivery, whether it was sent or not. */
  release(deliveryId: string): void {
    const unsentAt = this.#running.get(deliveryId)
    if (unsentAt !== undefined) this.#laneOf(unsentAt).spacer?.giveBack()
    this.#leave(deliveryId, null)
    this.#settled.delete(deliveryId)
  }

  get running(): number {
    return this.#running.size
  }

  get queued(): number {
    return [...this.#lanes.values()].reduce((sum, { queue }) => sum + queue.size, 0)
  }

  #isKnown(deliveryId: string): boolean {
    return this.#running.has(deliveryId) || this.#settled.has(deliveryId)
  }

  #hasRoom(lane: Lane): boolean {
    const { running, width } = lane
    if (readyAtOf(lane) > this.#now()) return false
    const hasRoom = running < width && this.#running.size < inFlight && this.#settled.size < unwritten
    return hasRoom && (width > 1 || this.#unanswered < inFlightUnanswered)
  }

  #laneOf(destinationId: string): Lane {
    const known = this.#lanes.get(destinationId)
    if (known) return known
    const lane = { queue: new Set<string>(), running: 0, width: inFlightPerDestination, pace: new Pace(), spacer: null }
    this.#lanes.set(destinationId, lane)
    return lane
  }

  #enter(destinationId: string, deliveryId: string): void {
    const lane = this.#laneOf(destinationId)
    lane.queue.delete(deliveryId)
    lane.pace.begin(this.#now())
    lane.spacer?.take(this.#now())
    this.#change(lane, lane.running + 1, lane.width)
    this.#running.set(deliveryId, destinationId)
  }

  /** Returns false if the delivery was not running. */
  #leave(deliveryId: string, response: LaneResponse): boolean {
    const destinationId = this.#running.get(deliveryId)
    if (destinationId === undefined) return false
    this.#running.delete(deliveryId)
    const lane = this.#laneOf(destinationId)
    const now = this.#now()
    if (response === 'took' || response === 'refused') lane.pace.accept()
    else if (response !== null && typeof response === 'object') lane.pace.refuse(response, now)
    this.#change(lane, lane.running - 1, widthAfter(lane.width, response))
    const isIdle = lane.running === 0 && lane.queue.size === 0
    const isPlain = lane.width >= inFlightPerDestination && lane.pace.isPlain(now) && (lane.spacer?.isFree(now) ?? true)
    if (isIdle && (isPlain || this.#lanes.size > lanesKept)) this.#lanes.delete(destinationId)
    return true
  }

  #change(lane: Lane, running: number, width: number): void {
    this.#unanswered += (width === 1 ? running : 0) - (lane.width === 1 ? lane.running : 0)
    Object.assign(lane, { running, width })
  }
}

const readyAtOf = ({ pace, spacer }: Lane): number => Math.max(pace.readyAt, spacer?.readyAt ?? Number.NEGATIVE_INFINITY)

function widthAfter(width: number, response: LaneResponse): number {
  if (response === 'silent') return 1
  if (response === 'took') return Math.min(width * 2, inFlightPerDestinationMax)
  if (response === 'refused') return Math.max(2, width)
  return response === null ? width : Math.max(2, Math.floor(width / 2))
}
