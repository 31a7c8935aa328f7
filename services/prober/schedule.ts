// Schedule of slots. Owns the order of due monitors and one timer. Never runs a check.

import { type Due, DueHeap } from '#shared/async/due-heap.ts'
import { fnv1a32 } from '#shared/text/hash.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'

/**
 * Returns the offset of a subject's slots within its interval, ms. The offset follows from the subject's id, so that slots are spread, and
 * all probers compute the same offset.
 */
export const phaseOf = (subjectId: string, intervalMs: number): number => fnv1a32(subjectId) % intervalMs

/** Returns the first slot `k * interval + phase` after an instant. */
export function slotAfter(at: number, intervalMs: number, phaseMs: number): number {
  return (Math.floor((at - phaseMs) / intervalMs) + 1) * intervalMs + phaseMs
}

export interface Agenda<T extends Due> {
  /** Inserts an item, or moves it. `dueAt`: instant on bus time, ms. */
  put(item: T, dueAt: number): void
  remove(item: T): void
  /** Sets the timer again, because bus time has jumped. */
  rearm(): void
  stop(): void
}

/**
 * Calls `onDue` for each item at or after its instant, never before it. The item is then removed, and `onDue` may put it at its next
 * instant. A timer that fires early is set again for the remaining time, at least a millisecond.
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
    cancel = clock.schedule(Math.max(1, Math.ceil(dueAt - busNow())), run)
  }
  const run = () => {
    armedFor = Number.POSITIVE_INFINITY
    cancel = null
    running = true
    const now = busNow()
    // `onDue` schedules an item only for an instant after `now`, so this loop ends.
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
