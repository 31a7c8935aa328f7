// Trying again until the store or the bus takes it, or until it is not ours any more.
import type { Clock } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'

/** Thrown by `persist` when `mayGoOn` says no: what was to be written belongs to somebody else now. */
export class NoLongerOurs extends Error {}

interface Persistence {
  clock: Clock
  /** Looked at right before each try. */
  mayGoOn(): boolean
  /** Whether this failure may pass by itself. */
  isPassing(error: unknown): boolean
  onFailure(error: unknown): void
}

/** Runs `attempt` until it succeeds; waits between tries with doubled pauses. Failures that cannot pass are thrown on. */
export async function persist<T>(attempt: () => Promise<T>, { clock, mayGoOn, isPassing, onFailure }: Persistence): Promise<T> {
  for (let pauseMs: number = limits.keeper.retryMs; ; pauseMs = Math.min(2 * pauseMs, limits.keeper.retryMsMax)) {
    if (!mayGoOn()) throw new NoLongerOurs('not ours any more')
    try {
      return await attempt()
    } catch (error) {
      if (!isPassing(error)) throw error
      onFailure(error)
      await new Promise<void>(resolve => void clock.after(pauseMs, resolve))
    }
  }
}
