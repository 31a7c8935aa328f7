// Known clients give up after 5 s, so every answer leaves within 4 s, whatever it waits for (spec D, general rules).
import type { Clock } from '#shared/clock.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits.ts'

/**
 * Resolves as `work` does, or rejects with `unavailable` when the request that arrived at `arrivedAt` (monotonic) has used up its
 * time. The work itself goes on: what it has sent may still take effect, as after any lost answer.
 */
export function withinBudget<T>(clock: Clock, arrivedAt: number, work: Promise<T>): Promise<T> {
  const leftMs = Math.max(0, limits.http.answerMs - (clock.monotonic() - arrivedAt))
  return new Promise((resolve, reject) => {
    const late = () => reject(new AppError('unavailable', 'Too slow', { details: 'The answer took too long' }))
    const cancel = clock.after(leftMs, late)
    work.then(
      result => {
        cancel()
        resolve(result)
      },
      error => {
        cancel()
        reject(error)
      },
    )
  })
}
