// The time limit of a request: each dialect has its own, below what its clients wait for.
import type { Clock } from '#shared/clock.ts'
import { AppError } from '#shared/errors.ts'
import type { Dialect } from './dialect.ts'
import type { Route } from './route.ts'

/** Ms that a request to `route` has; null: its handler bounds its work itself. */
export const budgetOf = (route: Pick<Route, 'budgetMs'>, { budgetMs }: Dialect): number | null =>
  route.budgetMs === undefined ? budgetMs : route.budgetMs

/**
 * Resolves as `work` does, or rejects with `unavailable` once the request that arrived at `arrivedAt` (monotonic) has used up its
 * budget (ms). The work itself goes on: its orders may still take effect, as after any lost response.
 */
export function withinBudget<T>(clock: Clock, arrivedAt: number, budgetMs: number | null, work: Promise<T>): Promise<T> {
  if (budgetMs === null) return work
  const leftMs = Math.max(0, budgetMs - (clock.monotonic() - arrivedAt))
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
