// Turns of requests of which only one is worked on at a time, in the order of their arrival.
import type { Clock } from '#shared/time/clock.ts'

export interface Turns {
  /** Runs `work` in its turn. Rejects with `refuse()` if too many wait, or if the turn does not come in time. */
  take<T>(work: () => Promise<T>): Promise<T>
}

interface Bounds {
  clock: Clock
  /** Longest wait, ms. */
  waitMs: number
  /** Most requests that wait. */
  most: number
  refuse(): Error
  /** Called when nobody waits any more. */
  onIdle(): void
}

export function createTurns({ clock, waitMs, most, refuse, onIdle }: Bounds): Turns {
  const waiting = new Set<() => void>()
  let isBusy = false
  const turn = () =>
    new Promise<void>((resolve, reject) => {
      if (waiting.size >= most) return reject(refuse())
      const come = () => {
        cancel()
        waiting.delete(come)
        resolve()
      }
      const cancel = clock.schedule(waitMs, () => {
        waiting.delete(come)
        reject(refuse())
      })
      waiting.add(come)
    })
  return {
    take: async work => {
      if (isBusy) await turn()
      isBusy = true
      try {
        return await work()
      } finally {
        const [next] = waiting
        next?.()
        if (next === undefined) {
          isBusy = false
          onIdle()
        }
      }
    },
  }
}
