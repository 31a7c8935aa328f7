// When each monitor is due. Owns the order of due monitors and one timer;
// never runs a check, and never asks for the time itself but through the clock it is given.

import { type Due, DueHeap } from '#shared/async/due-heap.ts'
import { fnv1a32 } from '#shared/text/hash.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'

/** Offset of a subject's slots in its interval: spread by its id, the same for every prober. */
export const phaseOf = (subjectId: string, intervalMs: number): number => fnv1a32(subjectId) % intervalMs

/** The first slot `k * interval + phase` after an instant. */
export function slotAfter(at: number, intervalMs: number, phaseMs: number): number {
  return (Math.floor((at - phaseMs) / intervalMs) + 1) * intervalMs + phaseMs
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
    cancel = clock.schedule(Math.max(1, Math.ceil(dueAt - busNow())), run)
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
