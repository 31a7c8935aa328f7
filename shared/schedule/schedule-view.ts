// Runs of a scheduled signal as people read them. Pure. Reference: docs/reference/v3.md, 6.15.
import type { HeardSignal } from '#shared/contracts/observations/heard-signal.ts'
import type { ScheduleState } from '#shared/contracts/observations/schedule-state.ts'
import type { ScheduleView } from '#shared/contracts/resources/resource-views.ts'
import { missedFrom } from './schedule.ts'

/** `heard`: ends of runs; absent: none. `at`: present instant, ms. */
export function scheduleView(state: ScheduleState, heard: HeardSignal | undefined, at: number): ScheduleView {
  const { expectedAt, running, exitStatus } = state
  const newest = heard?.recent[0] ?? null
  const last =
    newest === null || newest.state === 'no_data'
      ? null
      : { at: Math.floor(newest.atUs / 1_000), state: newest.state, seconds: newest.value, exitStatus }
  return {
    state: wordOf(state, last, at),
    expectedAt,
    missedAt: missedFrom(state)?.at ?? null,
    startedAt: running === null ? null : Math.floor(running.atUs / 1_000),
    last,
  }
}

function wordOf(state: ScheduleState, last: ScheduleView['last'], at: number): ScheduleView['state'] {
  const missedAt = missedFrom(state)?.at ?? null
  if ((missedAt !== null && missedAt <= at) || last?.state === 'problem') return 'down'
  if (state.running !== null) return 'started'
  if (state.expectedAt !== null && state.expectedAt <= at) return 'late'
  return last === null ? 'new' : 'up'
}
