// What one entry of a scheduled signal does to its schedule: the running mark, the newest end, the next expected run. Pure. Reference:
// docs/reference/v3.md, 17.12.
import type { PingAction } from '#shared/contracts/observations/ping.ts'
import type { ScheduleState } from '#shared/contracts/observations/schedule-state.ts'
import { expectedAfter, type Schedule } from '#shared/schedule/schedule.ts'

/** One entry. `run`: id that start and end of a run share; null: none. `seconds`: duration that the sender states; null: none. */
export interface RunEntry {
  atUs: number
  action: PingAction
  run: string | null
  exitStatus: number | null
  seconds: number | null
}

/** The schedule after the entry; the same object: it changed nothing. `seconds`: how long the run took; null: not known. */
export interface Moved {
  state: ScheduleState
  seconds: number | null
}

export function moveSchedule(state: ScheduleState, entry: RunEntry, schedule: Schedule): Moved {
  const { action, atUs, run, exitStatus } = entry
  if (action === 'log') return { state, seconds: null }
  const { running, endedAtUs } = state
  const isStale = endedAtUs !== null && atUs < endedAtUs
  if (action === 'start') {
    const isOld = isStale || (running !== null && atUs < running.atUs)
    const started = { atUs, run, graceFrom: msOf(atUs) }
    return { state: isOld ? state : { ...state, running: started }, seconds: null }
  }
  const ended = running !== null && atUs >= running.atUs ? running : null
  const isSameRun = ended !== null && ended.run === run
  const measured = isSameRun && ended !== null ? thousandths(atUs - ended.atUs) : null
  const seconds = entry.seconds ?? measured
  const clears = ended !== null && (action === 'fail' || isSameRun || run === null)
  const cleared = clears ? { ...state, running: null } : state
  if (isStale) return { state: cleared, seconds }
  const success = action === 'success' ? { atUs, seconds } : state.success
  return {
    state: { ...cleared, endedAtUs: atUs, exitStatus, success, expectedAt: expectedAfter(schedule, msOf(atUs)) },
    seconds,
  }
}

const msOf = (atUs: number): number => Math.floor(atUs / 1_000)

/** Microseconds as seconds with three decimals. */
const thousandths = (us: number): number => Math.round(us / 1_000) / 1_000
