// When each monitor is due. Owns the order of due monitors (a binary heap that knows each monitor's place) and one timer;
// never runs a check, and never asks for the time itself but through the clock it is given.
import type { Cancel, Clock } from '#shared/clock.ts'
import { fnv1a32 } from '#shared/hash.ts'

/** Something that is due again and again. The heap writes `dueAt` and `place` and nobody else does. */
export interface Due {
  /** The next slot, ms since the epoch on bus time. */
  dueAt: number
  /** Index in the heap; -1 while it is not in it. */
  place: number
}

/** Where in its interval a subject's slots lie: spread by its id, the same for every prober. */
export const phaseOf = (subjectId: string, intervalMs: number): number => fnv1a32(subjectId) % intervalMs

/** The first slot `k * interval + phase` after an instant. */
export function slotAfter(at: number, intervalMs: number, phaseMs: number): number {
  return (Math.floor((at - phaseMs) / intervalMs) + 1) * intervalMs + phaseMs
}

/** Insert, move and remove in O(log n); 50,000 monitors are 16 comparisons. */
export class DueHeap<T extends Due> {
  readonly #items: T[] = []

  get size(): number {
    return this.#items.length
  }

  first(): T | undefined {
    return this.#items[0]
  }

  /** Puts an item in, or moves it to its new instant. */
  put(item: T, dueAt: number): void {
    const earlier = item.place < 0 || dueAt < item.dueAt
    item.dueAt = dueAt
    if (item.place < 0) item.place = this.#items.push(item) - 1
    if (earlier) this.#rise(item)
    else this.#sink(item)
  }

  remove(item: T): void {
    const place = item.place
    if (place < 0) return
    item.place = -1
    const last = this.#items.pop() as T
    if (last === item) return
    this.#items[place] = last
    last.place = place
    this.#rise(last)
    this.#sink(last)
  }

  #rise(item: T): void {
    let place = item.place
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = this.#items[above] as T
      if (parent.dueAt <= item.dueAt) break
      this.#set(place, parent)
      place = above
    }
    this.#set(place, item)
  }

  #sink(item: T): void {
    let place = item.place
    for (;;) {
      let below = 2 * place + 1
      if (below >= this.#items.length) break
      if (below + 1 < this.#items.length && (this.#items[below + 1] as T).dueAt < (this.#items[below] as T).dueAt) below++
      const child = this.#items[below] as T
      if (child.dueAt >= item.dueAt) break
      this.#set(place, child)
      place = below
    }
    this.#set(place, item)
  }

  #set(place: number, item: T): void {
    this.#items[place] = item
    item.place = place
  }
}

export interface Agenda<T extends Due> {
  /** Puts the item at `dueAt` on bus time, or moves it there. */
  put(item: T, dueAt: number): void
  remove(item: T): void
  /** The time itself jumped: the timer is set anew. */
  rearm(): void
  stop(): void
}

/**
 * Calls `onDue` for each item whose instant has come; `onDue` puts it back at its next one (or it is gone). The timer is coarse:
 * one that fires early is armed again for the rest, at least a millisecond, so that no item is called before its instant.
 */
export function createAgenda<T extends Due>(
  clock: Clock,
  busNow: () => number,
  onDue: (item: T, now: number) => void,
): Agenda<T> {
  const heap = new DueHeap<T>()
  let armedFor = Number.POSITIVE_INFINITY
  let cancel: Cancel | null = null
  let running = false
  let stopped = false

  const arm = () => {
    const dueAt = heap.first()?.dueAt ?? Number.POSITIVE_INFINITY
    if (running || stopped || dueAt >= armedFor) return
    cancel?.()
    armedFor = dueAt
    cancel = clock.after(Math.max(1, Math.ceil(dueAt - busNow())), run)
  }
  const run = () => {
    armedFor = Number.POSITIVE_INFINITY
    cancel = null
    running = true
    const now = busNow()
    // Bounded: every item is either put behind `now` or taken out.
    try {
      for (let item = heap.first(); item !== undefined && item.dueAt <= now; item = heap.first()) {
        heap.remove(item)
        onDue(item, now)
      }
    } finally {
      running = false
      arm()
    }
  }
  return {
    put: (item, dueAt) => {
      heap.put(item, dueAt)
      arm()
    },
    remove: item => heap.remove(item),
    rearm: () => {
      cancel?.()
      armedFor = Number.POSITIVE_INFINITY
      arm()
    },
    stop: () => {
      stopped = true
      cancel?.()
    },
  }
}
