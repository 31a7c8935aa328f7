// The schedule of a signal as a Resource answers it, and the instants at which a run is expected and missed. Pure. Reference:
// docs/reference/v3.md, 3.24 and 4.17.
import type { ScheduleState } from '#shared/contracts/observations/schedule-state.ts'
import type { ScheduledSignal } from '#shared/contracts/resources/schedule.ts'
import type { Answers, MetaReference, TemplateAnswer } from '#shared/contracts/resources/template.ts'
import { second } from '#shared/limits/limits.ts'
import { ownMember } from '#shared/text/own-member.ts'
import { runAfterEnd } from './next-run.ts'

/** What a signal expects. `cron` null: runs come every `periodMs`. */
export interface Schedule {
  periodMs: number | null
  cron: string | null
  zone: string
  graceMs: number
  /** Whether the first run is expected although none has ended. */
  isFirstExpected: boolean
}

/** Returns the schedule with the answers of a Resource. Throws if an answer is missing, because the Resource cannot be judged then. */
export function scheduleOf({ key, schedule }: ScheduledSignal, answers: Answers): Schedule {
  const { periodSeconds, cron, zone, graceSeconds, first } = schedule
  const expression = cron === null ? '' : textOf(cron, answers)
  const period = periodSeconds === null ? null : answered(periodSeconds, answers)
  const grace = answered(graceSeconds, answers)
  if (typeof grace !== 'number' || (expression === '' && typeof period !== 'number'))
    throw new Error(`the schedule of ${key} holds no number`)
  return {
    periodMs: expression === '' ? (period as number) * second : null,
    cron: expression === '' ? null : expression,
    zone: zone === null ? 'UTC' : textOf(zone, answers) || 'UTC',
    graceMs: grace * second,
    isFirstExpected: answered(first, answers) === 'expect',
  }
}

const answered = <T extends TemplateAnswer>(value: T | MetaReference, answers: Answers): T | TemplateAnswer | undefined =>
  typeof value === 'object' && 'meta' in value ? ownMember(answers, value.meta) : value

const textOf = (value: string | MetaReference, answers: Answers): string => String(answered(value, answers) ?? '').trim()

/** Returns the instant at which the next run is expected after an end at `endMs`, ms; null: none ever is. */
export const expectedAfter = ({ periodMs, cron, zone }: Schedule, endMs: number): number | null =>
  cron === null ? endMs + (periodMs as number) : runAfterEnd(cron, zone, endMs)

/** Returns words that are others for a schedule that expects other runs. */
export const timingOf = ({ periodMs, cron, zone }: Schedule): string => (cron === null ? `${periodMs} ms` : `${cron} ${zone}`)

/** Why a run is missed: it did not come, or it came and did not end. `at`: the instant from which it is, ms. */
export interface Missed {
  at: number
  why: { expectedAt: number } | { startedAtUs: number }
}

/** Returns the instant from which the signal is missed if nothing more comes; null: time alone never makes it so. */
export function missedFrom({ expectedAt, running, graceMs }: ScheduleState): Missed | null {
  const expected = expectedAt === null ? null : { at: expectedAt + graceMs, why: { expectedAt } }
  const ended = running === null ? null : { at: running.graceFrom + graceMs, why: { startedAtUs: running.atUs } }
  if (expected === null || ended === null) return expected ?? ended
  return ended.at < expected.at ? ended : expected
}
