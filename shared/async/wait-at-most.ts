// A wait with a bound, for work that may hang.
import type { Clock } from '#shared/time/clock.ts'

/**
 * Waits until `work` has ended or failed, for `graceMs` at most. Returns true if the work has ended in this time; if not, the work
 * continues.
 */
export async function waitAtMost(clock: Pick<Clock, 'schedule'>, graceMs: number, work: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const cancel = clock.schedule(graceMs, () => resolve(false))
  const end = () => resolve(true)
  work.then(end, end)
  const hasEnded = await promise
  cancel()
  return hasEnded
}
