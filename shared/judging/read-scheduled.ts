// Reading of one comparison of a scheduled signal: whether a run is missed, and the newest end while none is. Pure. Reference:
// docs/reference/v3.md, 4.17.
import type { HeardSignal } from '#shared/contracts/observations/heard-signal.ts'
import type { ScheduleState } from '#shared/contracts/observations/schedule-state.ts'
import type { Answers, Comparison } from '#shared/contracts/resources/template.ts'
import { missedFrom } from '#shared/schedule/schedule.ts'
import { type ComparisonReading, changes, type Moment, readComparison } from './read-comparison.ts'

/** `heard`: the ends of runs. `state` undefined: nothing has come, and nothing is expected. */
export function readScheduled(
  comparison: Comparison,
  { heard, state }: { heard: HeardSignal; state: ScheduleState | undefined },
  answers: Answers,
  moment: Moment,
): ComparisonReading {
  const missed = state === undefined ? null : missedFrom(state)
  const isMissed = missed !== null && missed.at <= moment.silenceAt
  const read = readComparison(comparison, null, heard, answers, moment)
  const due = changes([missed !== null && !isMissed ? missed.at : null, read.changesAt], moment)
  if (isMissed) {
    const unresolved = { why: 'missed' as const, ...missed.why }
    return { ...read, ...due, unresolved, isKnown: false, truth: comparison.field === 'missed' ? true : 'unknown' }
  }
  return comparison.field === 'missed' ? { ...read, ...due, truth: false } : { ...read, ...due }
}
