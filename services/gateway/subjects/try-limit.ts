// Bound of the checks that people try: for each person and for each workspace.
import { type Allowance, createAllowance } from '#shared/async/allowance.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import { minute, second } from '#shared/time/time-units.ts'

export interface TryLimit {
  /** Throws `busy` if the person or the workspace has tried too often. */
  demand(userId: string, workspaceId: string): void
}

export function createTryLimit(clock: Pick<Clock, 'monotonic'>): TryLimit {
  const allowances = new Map<string, Allowance>()
  const take = (name: string, aMinute: number) => {
    const known = allowances.get(name) ?? createAllowance(clock, aMinute / (minute / second), aMinute)
    // The one that has not been used for the longest time goes first.
    allowances.delete(name)
    allowances.set(name, known)
    if (allowances.size > limits.tries.remembered) allowances.delete(allowances.keys().next().value ?? '')
    if (known.take(1, 0) === null) {
      throw new AppError('busy', 'Too many tries', { details: `At most ${aMinute} tries a minute: wait a moment` })
    }
  }
  return {
    demand: (userId, workspaceId) => {
      take(`user ${userId}`, limits.tries.ofUser)
      take(`workspace ${workspaceId}`, limits.tries.ofWorkspace)
    },
  }
}
