// The schedules of a Resource after its answers or its Template changed. Pure. Reference: docs/reference/v3.md, 4.17.
import type { ScheduleState } from '#shared/contracts/observations/schedule-state.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { SubjectDocument, TemplateState } from '#shared/contracts/subjects/subject.ts'
import { scheduledSignalsOf } from '#shared/manifest/read-schedule.ts'
import { expectedAfter, type Schedule, scheduleOf, timingOf } from '#shared/schedule/schedule.ts'
import { ownMember } from '#shared/text/own-member.ts'

/** Returns the subject with one state for each scheduled signal of its Template. `at`: instant of the change, ms. */
export function withSchedules(subject: SubjectDocument, template: Template, at: number): SubjectDocument {
  const { templated } = subject
  if (templated === null) return subject
  const { schedules: before, ...rest } = templated
  const signals = scheduledSignalsOf(template)
  if (signals.length === 0) return before === undefined ? subject : { ...subject, templated: rest }
  const schedules = Object.fromEntries(
    signals.map(signal => {
      const known = ownMember(before ?? {}, signal.key) ?? begun(templated, signal.key)
      return [signal.key, changed(known, scheduleOf(signal, templated.answers), at)] as const
    }),
  )
  return { ...subject, templated: { ...rest, schedules } }
}

/** A signal that had another kind before counts from the newest Observation that it has. */
function begun({ heard }: TemplateState, signal: string): ScheduleState {
  const newest = ownMember(heard, signal)?.recent[0]
  return {
    ...{ timing: '', graceMs: 0, endedAtUs: newest?.atUs ?? null, exitStatus: null, success: null },
    ...{ expectedAt: null, running: null, pings: { startsAt: 0, stored: 0, newestAt: 0 }, bodies: 0 },
  }
}

/** A changed schedule counts from the change. A changed grace alone does so only where a run would be missed by it at once. */
function changed(state: ScheduleState, schedule: Schedule, at: number): ScheduleState {
  const timing = timingOf(schedule)
  const { graceMs } = schedule
  if (state.timing === timing && state.graceMs === graceMs) return state
  const { running, expectedAt, endedAtUs } = state
  const isOver = (from: number) => state.timing !== timing || from + graceMs <= at
  const isExpected = expectedAt !== null || endedAtUs !== null || schedule.isFirstExpected
  return {
    ...{ ...state, timing, graceMs },
    running: running !== null && isOver(running.graceFrom) ? { ...running, graceFrom: at } : running,
    expectedAt: !isExpected ? null : expectedAt === null || isOver(expectedAt) ? expectedAfter(schedule, at) : expectedAt,
  }
}
