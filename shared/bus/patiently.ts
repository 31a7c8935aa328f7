// What a start needs of others that may be starting too: tried again until the patience ends.
import type { Clock } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'

/**
 * Resolves as the first `attempt` that does; each is given what is left of the patience, ms. After a rejected one `endOf` answers what to
 * throw, or null for another attempt. With `isOver` the patience has ended: there is no other, and null throws the attempt's own error.
 */
export async function patiently<T>(
  clock: Clock,
  patienceMs: number,
  attempt: (leftMs: number) => Promise<T>,
  endOf: (error: Error, isOver: boolean) => Error | null,
): Promise<T> {
  const giveUpAt = clock.monotonic() + patienceMs
  for (;;) {
    try {
      return await attempt(giveUpAt - clock.monotonic())
    } catch (error) {
      const isOver = clock.monotonic() >= giveUpAt
      const end = endOf(error as Error, isOver)
      if (end !== null || isOver) throw end ?? error
      await new Promise<void>(resolve => clock.after(limits.bus.reconnectMs, resolve))
    }
  }
}
