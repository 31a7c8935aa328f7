// Time limit of a request. The time limit in a dialect is shorter than the timeout that clients of this dialect use.

import { refusal } from '#shared/errors.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { Dialect } from './dialect.ts'
import type { Route } from './route.ts'

/** Returns the time limit of a request to `route`, ms. Null: the handler limits its work itself. */
export const budgetOf = (route: Pick<Route, 'budgetMs'>, { budgetMs }: Dialect): number | null =>
  route.budgetMs === undefined ? budgetMs : route.budgetMs

/**
 * Settles with the outcome of `work`. Rejects with `unavailable` if `work` is not settled within `budgetMs` after the request's arrival.
 * `arrivedAt`: arrival of the request on the monotonic clock, ms. `work` continues after the rejection, so its commands may still take
 * effect.
 */
export function withinBudget<T>(clock: Clock, arrivedAt: number, budgetMs: number | null, work: Promise<T>): Promise<T> {
  if (budgetMs === null) return work
  const leftMs = Math.max(0, budgetMs - (clock.monotonic() - arrivedAt))
  return new Promise((resolve, reject) => {
    const late = () => reject(refusal('unavailable', 'Too slow', 'The answer took too long'))
    const cancel = clock.schedule(leftMs, late)
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
