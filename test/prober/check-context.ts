// What checks of every kind get from a prober, and entries of checks as a keeper writes them, for tests.
import { readCheckAnswers } from '#shared/checks/check-answers.ts'
import type { CheckKind } from '#shared/checks/check-kind.ts'
import { entryOf } from '#shared/checks/registry.ts'
import type { CheckEntry } from '#shared/contracts/observations/check.ts'
import { limits } from '#shared/limits/limits.ts'
import { createEgress } from '#shared/net/egress.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { CheckContext, Checker, CheckOutcome } from '../../services/prober/checks/checker.ts'
import { createTrust } from '../../services/prober/checks/trust.ts'

/** Returns the entry of a check with these answers, and the usual ones. */
export const entryWith = (kind: CheckKind, answers: Record<string, unknown>): CheckEntry =>
  entryOf(readCheckAnswers(kind, { locations: ['aaaa'], ...answers }, null), 1)

export const contextWith = (given: Partial<CheckContext> & { clock: Clock }): CheckContext => ({
  ...{ trust: createTrust(), egress: createEgress(), userAgent: 'test', bounds: limits.check },
  resolve: (_hostname, done) => done(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), []),
  ...given,
})

/** Resolves with the outcome of one check. */
export const outcomeOf = (checker: Checker, entry: CheckEntry, context: CheckContext): Promise<CheckOutcome> =>
  new Promise(done => checker(entry, context, done).start())

export interface CountingClock extends Clock {
  /** Number of timers that are set. */
  timers(): number
}

/** Returns the clock, with a count of its timers: 0 after a check that has released them. */
export function countingClock(clock: Clock): CountingClock {
  let timers = 0
  return {
    ...clock,
    timers: () => timers,
    schedule: (delayMs, run) => {
      let isSet = true
      timers++
      const end = () => {
        if (isSet) timers--
        isSet = false
      }
      const cancel = clock.schedule(delayMs, () => {
        end()
        run()
      })
      return () => {
        end()
        cancel()
      }
    },
  }
}
