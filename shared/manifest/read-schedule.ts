// Scheduled signals of a Template: valid declarations, and the answers that a schedule may read. Pure. Reference: docs/reference/v3.md, 3.24.
import {
  firstRuns,
  type ScheduledSignal,
  type SignalSchedule,
  scheduleKind,
  scheduleSeconds,
} from '#shared/contracts/resources/schedule.ts'
import type {
  Answers,
  AnyTemplate,
  Manifest,
  MetaReference,
  Template,
  TemplateField,
  TemplateSignal,
} from '#shared/contracts/resources/template.ts'
import { expressionFault, zoneFault } from '#shared/schedule/next-run.ts'
import { ownMember } from '#shared/text/own-member.ts'
import { isReference } from './check-options.ts'
import { refuse } from './manifest-refusal.ts'

type SentSignal = Manifest['signals'][number]

/** Returns the signal. Throws ManifestRefusal for its first fault; `place`: its path in the manifest. */
export function readScheduledSignal(sent: SentSignal, place: string, fields: readonly TemplateField[]): ScheduledSignal {
  const { key, schedule, every_seconds, help } = sent
  if (every_seconds != null)
    throw refuse(`${place}.every_seconds`, 'A schedule signal has schedule in the place of every_seconds')
  if (schedule == null)
    throw refuse(`${place}.schedule`, 'A schedule signal needs schedule: period_seconds or cron, and grace_seconds')
  const { period_seconds: period = null, cron = null, zone = null, grace_seconds: grace, first } = schedule
  const at = (member: string) => `${place}.schedule.${member}`
  requireField(period, at('period_seconds'), fields, seconds)
  if (period === null && cron === null) throw refuse(at('period_seconds'), 'A schedule has period_seconds or cron')
  if (period !== null && cron !== null && !isReference(cron))
    throw refuse(at('cron'), 'A schedule has period_seconds or cron; both, if cron is a field whose empty text means the period')
  requireField(cron, at('cron'), fields, texts)
  if (typeof cron === 'string') requireNoFault(at('cron'), 'cron', expressionFault(cron))
  if (zone !== null && cron === null) throw refuse(at('zone'), 'Only a schedule with cron has a zone')
  requireField(zone, at('zone'), fields, texts)
  if (typeof zone === 'string') requireNoFault(at('zone'), 'zone', zoneFault(zone))
  requireField(grace, at('grace_seconds'), fields, seconds)
  requireField(first ?? null, at('first'), fields, firsts)
  return {
    ...{ key, kind: scheduleKind, everySeconds: null, help: help ?? '' },
    schedule: { periodSeconds: period, cron, zone, graceSeconds: grace, first: first ?? 'wait' },
  }
}

interface Fitting {
  takes(field: TemplateField): boolean
  what: string
}

const seconds: Fitting = { takes: ({ type }) => wholeNumbers.has(type), what: 'must hold whole seconds' }
const texts: Fitting = { takes: ({ type }) => type === 'string' || type === 'enum', what: 'must be a string or an enum' }
const firsts: Fitting = {
  takes: ({ type, options }) => type === 'enum' && options.every(option => firstRuns.some(word => word === option)),
  what: `must be an enum of ${firstRuns.join(' and ')}`,
}
const wholeNumbers: ReadonlySet<TemplateField['type']> = new Set(['integer', 'duration', 'duration_seconds'])

/** Throws ManifestRefusal if `value` is a reference to a field that does not fit or may have no value. */
function requireField(value: unknown, place: string, fields: readonly TemplateField[], { takes, what }: Fitting): void {
  if (!isReference(value)) return
  const field = fields.find(({ key }) => key === value.meta)
  if (field === undefined) throw refuse(`${place}.meta`, `The Template declares no field '${value.meta}'`)
  if (!takes(field)) throw refuse(`${place}.meta`, `The field '${value.meta}' ${what}`)
  if (!field.required && field.default === null)
    throw refuse(`${place}.meta`, `The field '${value.meta}' must be required or have a default`)
}

function requireNoFault(place: string, name: string, fault: string | null): void {
  if (fault !== null) throw refuse(place, `${name} ${fault}`)
}

/** Returns the scheduled signals, in the order of the Template. */
export const scheduledSignalsOf = ({ signals }: Pick<AnyTemplate, 'signals'>): ScheduledSignal[] =>
  signals.filter((signal: TemplateSignal): signal is ScheduledSignal => signal.kind === scheduleKind)

/** Throws ManifestRefusal with the key of the first field whose answer a schedule of the Template refuses. The fields accept all answers. */
export function requireSchedulable(template: Pick<Template, 'signals'>, answers: Answers): void {
  for (const { schedule } of scheduledSignalsOf(template)) requireAnswers(schedule, answers)
}

function requireAnswers({ periodSeconds, cron, zone, graceSeconds }: SignalSchedule, answers: Answers): void {
  const { minimum, maximum } = scheduleSeconds
  const bounded = (value: unknown) =>
    Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum
      ? null
      : `must be ${minimum} to ${maximum} seconds`
  requireAnswer(periodSeconds, answers, bounded)
  requireAnswer(cron, answers, value => (isEmpty(value) && periodSeconds !== null ? null : expressionFault(String(value))))
  requireAnswer(zone, answers, value => (isEmpty(value) ? null : zoneFault(String(value))))
  requireAnswer(graceSeconds, answers, bounded)
}

const isEmpty = (value: unknown): boolean => typeof value === 'string' && value.trim() === ''

function requireAnswer(
  stated: number | string | MetaReference | null,
  answers: Answers,
  faultOf: (value: unknown) => string | null,
): void {
  if (!isReference(stated)) return
  const fault = faultOf(ownMember(answers, stated.meta))
  if (fault !== null) throw refuse(stated.meta, `Field '${stated.meta}' ${fault}`)
}
