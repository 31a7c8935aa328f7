// Condition about the clock of the machine: it was suspended, or its clock was set. Both look the same, because the monotonic clock stands
// still in a suspend. Compares the two clocks at each look (ADR 35). One condition for each machine's name.

import { hostname } from 'node:os'
import { conditionId } from '#shared/contracts/incidents/condition.ts'
import { limits } from '#shared/limits/limits.ts'
import { clockStepMs, wallOf } from '#shared/time/clock.ts'
import { humanDuration } from '#shared/time/durations.ts'
import { type Conditions, cleared, type Watcher } from './conditions.ts'
import type { OperatorContext } from './context.ts'
import type { Notice } from './message.ts'

const kind = 'clock_set'

/** `machine`: name of this machine, which tells its condition from those of other machines. */
export function watchClock({ clock }: OperatorContext, conditions: Conditions, machine = hostname()): Watcher {
  const objectId = machine.replace(/[^\w-]/g, '-').slice(0, 60)
  let wall = wallOf(clock)
  let monotonic = clock.monotonic()
  /** Jumps that no look has stored yet. */
  let unnotedMs: number[] = []
  return {
    look: async () => {
      const [before, since] = [wall, monotonic]
      wall = wallOf(clock)
      monotonic = clock.monotonic()
      const byMs = wall - before - (monotonic - since)
      if (Math.abs(byMs) > clockStepMs) unnotedMs.push(byMs)
      if (unnotedMs.length > 0) {
        const [byMs] = unnotedMs.toSorted((one, other) => Math.abs(other) - Math.abs(one)) as [number]
        const jumps = unnotedMs.length
        await conditions.change(kind, objectId, present => {
          const isNew = present?.raised !== 1
          const count = jumps + (isNew ? 0 : present.count)
          return {
            name: machine,
            raised: true,
            since: isNew ? wall : present.since,
            seenAt: clock.now(),
            count,
            notice: isNew ? setNotice(machine, byMs, count) : null,
          }
        })
        unnotedMs = []
        return
      }
      const known = conditions.byId(conditionId(kind, objectId))
      if (known?.raised !== 1 || clock.now() - known.seenAt < limits.operator.quietMs) return
      await conditions.change(kind, objectId, present =>
        present?.raised === 1 && clock.now() - present.seenAt >= limits.operator.quietMs
          ? cleared(present, steady(present.count))
          : null,
      )
    },
  }
}

const setNotice = (machine: string, byMs: number, jumps: number): Notice => {
  const [by, what] = [
    humanDuration(Math.abs(byMs)),
    byMs > 0 ? 'was suspended, or its clock was set forward,' : 'had its clock set back',
  ]
  return {
    type: 'clock.set',
    summary: `The machine ${machine} ${what} by ${by}: silence alerts wait, and a time service should run before Watchkeeper starts.`,
    log: 'clock of the machine set',
    details: { by_ms: Math.round(byMs), jumps },
  }
}

const steady = (jumps: number): Notice => ({
  type: 'clock.steady',
  summary: `The clock of the machine was not set for ${humanDuration(limits.operator.quietMs)}.`,
  log: 'clock of the machine steady',
  details: { jumps },
})
