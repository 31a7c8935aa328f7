// Intake of the Observations of one command, in their order. The keeper stamps Observations without an instant. Pure.

import type { Reply } from '#shared/contracts/ask/reply.ts'
import type {
  ObservationIdDocument,
  PushedObservationDocument,
  SeriesDocument,
} from '#shared/contracts/observations/observation.ts'
import type { Command, CommandOf, ReportedObservation } from '#shared/contracts/subjects/command.ts'
import type { IdempotencyRecord, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { pushedPrefix } from '#shared/text/ids.ts'
import { changeBetween } from '../change.ts'
import { remembered, stillAwaited } from '../commands/idempotency.ts'
import { refusal } from '../commands/refusal.ts'
import { nothingCustom } from '../commands/signal-commands.ts'
import type { SignalNumbers } from '../judging/signal-numbers.ts'
import type { NewestReport, Step, StepContext, StoredReports } from '../types.ts'
import { observe } from './observe.ts'
import { reportObservation } from './report-observation.ts'

export type Reporting = CommandOf<'report-observation' | 'report-observations' | 'observe'>

export const isReporting = (command: Command): command is Reporting =>
  command.kind === 'report-observation' || command.kind === 'report-observations' || command.kind === 'observe'

interface TakenReport {
  subject: SubjectDocument
  row: PushedObservationDocument
  series: SeriesDocument | null
  place?: ObservationIdDocument | null
}

/** One sent Observation. Its intake returns its result and its effects. */
interface OneReport {
  isUnstamped: boolean
  report(
    subject: SubjectDocument,
    stampUs: number,
    at: number,
    context: StepContext,
  ): { result: unknown; taken: TakenReport | null }
}

function reportsIn(command: Reporting): OneReport[] {
  if (command.kind === 'observe') return command.observations.map(one => observedOne(one, command.source ?? 'api'))
  const reports = command.kind === 'report-observation' ? [command] : command.observations
  return reports.map(one => ({
    isUnstamped: one.observedAtUs === null,
    report: (subject, stampUs, at, context) => {
      const stamped = { ...one, observedAtUs: one.observedAtUs ?? stampUs, isStampedHere: one.observedAtUs === null }
      const outcome = reportObservation(subject, stamped, at, context)
      if ('refused' in outcome) return { result: outcome.refused, taken: null }
      return { result: { ok: true, observation: outcome.view }, taken: outcome }
    },
  }))
}

const observedOne = (one: CommandOf<'observe'>['observations'][number], source: 'api' | 'address'): OneReport => ({
  isUnstamped: one.atUs === null,
  report: (subject, stampUs, at, context) => {
    const stamped = { ...one, atUs: one.atUs ?? stampUs, isStampedHere: one.atUs === null, stampUs, source }
    const outcome = observe(subject, stamped, at, context)
    if ('refused' in outcome) return { result: outcome.refused, taken: null }
    return 'repeated' in outcome ? { result: outcome.repeated, taken: null } : { result: outcome.result, taken: outcome }
  },
})

/**
 * Adds Observations in their order. A repeated command is recognized by the identities of its Observations. If the keeper stamped
 * Observations, the command also needs an idempotency record, so that a retry gets the same stamps.
 */
export function takeReports(subject: SubjectDocument, command: Reporting, now: number, context: StepContext): Step {
  const before = stampOf(subject, command.id)
  const at = before?.at ?? now
  const stampUs = stampUsOf(subject, command.id, now)
  const reports = reportsIn(command)
  const results: unknown[] = []
  const pushed: PushedObservationDocument[] = []
  const series: SeriesDocument[] = []
  const places: ObservationIdDocument[] = []
  const made = reports.length > 1 ? new CommandReports(context.stored) : null
  const within = made === null ? context : { ...context, stored: made }
  let next = subject
  for (const [i, take] of reports.entries()) {
    const outcome = take.report(next, stampUs + i, at, within)
    results.push(outcome.result)
    if (outcome.taken === null) continue
    next = outcome.taken.subject
    pushed.push(outcome.taken.row)
    if (outcome.taken.series !== null) series.push(outcome.taken.series)
    if (outcome.taken.place != null) places.push(outcome.taken.place)
    made?.note(outcome.taken)
  }
  const reply = replyTo(command, results)
  if (pushed.length > 0 && reports.some(one => one.isUnstamped)) {
    const stamp = { id: command.id, at, reply: null, stampUs }
    next = withStamps(next, stamp, stampUs + reports.length - 1)
    return { subject: next, change: 'commit', observation: null, pushed, places, series, reply }
  }
  const change = isOwned(subject, next) ? 'commit' : changeBetween(subject, next)
  // Drops expired records here, because a subject may receive nothing but reports and would keep the records of its creation for ever.
  const idempotency = stillAwaited(next.idempotency, context.now)
  if (next !== subject && idempotency !== next.idempotency) next = { ...next, idempotency }
  return { subject: next, change, observation: null, pushed, places, series, reply }
}

/** Returns whether the change is stored only in the subject's document: a declared signal, a schedule, or a reading of a website. */
const isOwned = (before: SubjectDocument, after: SubjectDocument): boolean =>
  after.custom?.signals !== before.custom?.signals ||
  after.templated?.schedules !== before.templated?.schedules ||
  after.readings !== before.readings

/**
 * Documents made by the observations of one command. Later observations find them like stored documents; the last version of a document
 * counts.
 */
class CommandReports implements StoredReports {
  readonly #stored: StoredReports
  readonly #rows = new Map<string, PushedObservationDocument>()
  readonly #series = new Map<string, SeriesDocument>()
  readonly #places = new Map<string, ObservationIdDocument>()
  /** Numbers of each signal, by the prefix of its rows' ids. */
  readonly #numbers = new Map<string, SignalNumbers>()

  constructor(stored: StoredReports) {
    this.#stored = stored
  }

  note({ row, series, place }: TakenReport): void {
    const before = this.pushed(row.id)?.value ?? null
    this.#rows.set(row.id, row)
    if (series !== null) this.#series.set(series.id, series)
    if (place != null) this.#places.set(place.id, place)
    for (const [prefix, numbers] of this.#numbers) if (row.id.startsWith(prefix)) numbers.note(row.id, before, row.value)
  }

  place(key: string): ObservationIdDocument | null {
    return this.#places.get(key) ?? this.#stored.place(key)
  }

  /** Returns the numbers of a signal. The numbers are copied at the first call, then updated. */
  numbers(subjectId: string, signalKey: string): SignalNumbers {
    const prefix = pushedPrefix(subjectId, signalKey)
    let numbers = this.#numbers.get(prefix)
    if (numbers === undefined) {
      numbers = this.#stored.numbers(subjectId, signalKey).copy()
      for (const { id, value } of this.#rows.values())
        if (id.startsWith(prefix)) numbers.note(id, this.#stored.pushed(id)?.value ?? null, value)
      this.#numbers.set(prefix, numbers)
    }
    return numbers
  }

  newest(subjectId: string, signalKey: string): readonly PushedObservationDocument[] {
    return this.#stored.newest(subjectId, signalKey)
  }

  pushed(id: string): PushedObservationDocument | null {
    return this.#rows.get(id) ?? this.#stored.pushed(id)
  }

  series(id: string): NewestReport | null {
    return this.#series.get(id) ?? this.#stored.series(id)
  }

  seriesOf(subjectId: string): readonly SeriesDocument[] {
    return this.#stored.seriesOf(subjectId)
  }
}

function withStamps(subject: SubjectDocument, record: IdempotencyRecord, lastUs: number): SubjectDocument {
  const { custom } = subject
  const stampedUs = Math.max(custom?.stampedUs ?? 0, lastUs)
  return { ...subject, custom: { ...(custom ?? nothingCustom), stampedUs }, idempotency: remembered(subject.idempotency, record) }
}

/** Returns the keeper's stamp for a command's first report without an instant, µs. `now`: present instant of the keeper, ms. */
export const stampUsOf = (subject: SubjectDocument, commandId: string, now: number): number =>
  stampOf(subject, commandId)?.stampUs ?? Math.max(now * 1_000, (subject.custom?.stampedUs ?? 0) + 1)

/** Returns the stamp that a command with this id got earlier; null: the command is new. */
export const stampOf = ({ idempotency }: SubjectDocument, commandId: string): IdempotencyRecord | null =>
  idempotency.find(record => record.id === commandId && record.reply === null) ?? null

function replyTo(command: Reporting, results: unknown[]): Reply {
  if (command.kind !== 'report-observation') return { ok: true, result: { results } }
  const [only] = results as ReportedObservation[]
  if (only === undefined) return refusal('malformed', 'No observation')
  return only.ok ? { ok: true, result: only.observation } : { ok: false, error: only.error }
}
