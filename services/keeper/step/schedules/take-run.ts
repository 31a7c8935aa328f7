// Effect of an Observation on a scheduled signal: it moves the schedule, and an end of a run is also the signal's reading. Pure. Reference:
// docs/reference/v3.md, 17.12 and 17.13.
import type { ScheduleState } from '#shared/contracts/observations/schedule-state.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { SignalState } from '#shared/contracts/subjects/signal.ts'
import type { SubjectDocument, TemplateState } from '#shared/contracts/subjects/subject.ts'
import { scheduledSignalsOf } from '#shared/manifest/read-schedule.ts'
import { scheduleOf } from '#shared/schedule/schedule.ts'
import { ownMember } from '#shared/text/own-member.ts'
import { judgeSubject } from '../judging/judge-subject.ts'
import { arrivalOf, countedUs, type Effect, type Taking, takeHeard } from '../observations/take-observed.ts'
import { type Moved, moveSchedule } from './move-schedule.ts'
import { entryOf, isMark } from './run-entry.ts'

/**
 * Returns the effect; null: the Observation is stored and was taken. Its row has the measured duration. Everything is in the subject's
 * document, so there is no series. Throws if the Template has no scheduled signal `slug`, or the Resource lacks it.
 */
export function takeRun(subject: SubjectDocument, slug: string, template: Template, taking: Taking): Effect | null {
  const { row, repeated, at, context } = taking
  const signal = subject.custom?.signals.find(one => one.slug === slug) as SignalState
  const state = scheduleStateOf(subject, slug)
  const { state: next, seconds } = movedBy(subject, slug, template, taking)
  const moved = withSchedule(subject, slug, next)
  if (isMark(row)) {
    if (next === state) return repeated === null ? { subject, series: null } : null
    return { subject: judgeSubject(moved, at, context), series: null }
  }
  const timed = row.value === null ? { ...row, value: seconds } : row
  const effect = takeHeard(moved, signal, template, { ...taking, row: timed })
  return effect && { ...effect, series: null, row: timed }
}

function movedBy(subject: SubjectDocument, slug: string, template: Template, taking: Taking): Moved {
  const state = scheduleStateOf(subject, slug)
  const declared = scheduledSignalsOf(template).find(({ key }) => key === slug)
  if (declared === undefined) throw new Error(`the Template schedules no signal ${slug}`)
  const entry = entryOf(taking.row, countedUs(taking.row, arrivalOf(taking)))
  const { answers } = subject.templated as TemplateState
  return entry === null ? { state, seconds: null } : moveSchedule(state, entry, scheduleOf(declared, answers))
}

/** Throws if the Resource has no such scheduled signal. */
export function scheduleStateOf({ id, templated }: SubjectDocument, slug: string): ScheduleState {
  const state = ownMember(templated?.schedules ?? {}, slug)
  if (state === undefined) throw new Error(`subject ${id} has no schedule of ${slug}`)
  return state
}

export function withSchedule(subject: SubjectDocument, slug: string, state: ScheduleState): SubjectDocument {
  const templated = subject.templated as TemplateState
  const { schedules } = templated
  return schedules?.[slug] === state
    ? subject
    : { ...subject, templated: { ...templated, schedules: { ...schedules, [slug]: state } } }
}
