// Bound of the checks that people try: for each person and for each workspace.
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import { createMinuteBound } from '../http/minute-bound.ts'

export interface TryLimit {
  /** Throws `busy` if the person or the workspace has tried too often. */
  demand(userId: string, workspaceId: string): void
}

export function createTryLimit(clock: Pick<Clock, 'monotonic'>): TryLimit {
  const bound = createMinuteBound(clock, limits.tries.remembered)
  const take = (name: string, aMinute: number) => {
    if (bound.take(name, aMinute)) return
    throw new AppError('busy', 'Too many tries', { details: `At most ${aMinute} tries a minute: wait a moment` })
  }
  return {
    demand: (userId, workspaceId) => {
      take(`user ${userId}`, limits.tries.ofUser)
      take(`workspace ${workspaceId}`, limits.tries.ofWorkspace)
    },
  }
}
