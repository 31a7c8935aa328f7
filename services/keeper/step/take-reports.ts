// Observations of one command, of either generation's language: stamped where the sender gave no instant, taken one after the other. Pure.
import type { Command, CommandOf, ReportedObservation } from '#shared/contracts/command.ts'
import type { ObservationIdDocument, PushedObservationDocument, SeriesDocument } from '#shared/contracts/observation.ts'
import type { Reply } from '#shared/contracts/reply.ts'
import type { Receipt, SubjectDocument } from '#shared/contracts/subject.ts'
import { pushedPrefix } from '#shared/ids.ts'
import { changeBetween } from './change.ts'
import { observe } from './observe.ts'
import { remembered, stillAwaited } from './receipts.ts'
import { refusal } from './refusal.ts'
import { reportObservation } from './report-observation.ts'
import { nothingCustom } from './signal-commands.ts'
import type { SignalNumbers } from './signal-numbers.ts'
import type { NewestReport, Step, StoredReports, Surrounding } from './types.ts'

export type Reporting = CommandOf<'report-observation' | 'report-observations' | 'observe'>

export const isReporting = (command: Command): command is Reporting =>
  command.kind === 'report-observation' || command.kind === 'report-observations' || command.kind === 'observe'

interface TakenReport {
  subject: SubjectDocument
  row: PushedObservationDocument
  series: SeriesDocument | null
  place?: ObservationIdDocument | null
}

/** One sent Observation; taking it in answers its result, and what it made. */
interface OneReport {
  isUnstamped: boolean
  report(
    subject: SubjectDocument,
    stampUs: number,
    at: number,
    surrounding: Surrounding,
  ): { result: unknown; taken: TakenReport | null }
}

function reportsIn(command: Reporting): OneReport[] {
  if (command.kind === 'observe') return command.observations.map(one => observedOne(one, command.source ?? 'api'))
  const reports = command.kind === 'report-observation' ? [command] : command.observations
  return reports.map(one => ({
    isUnstamped: one.observedAtUs === null,
    report: (subject, stampUs, at, surrounding) => {
      const stamped = { ...one, observedAtUs: one.observedAtUs ?? stampUs, isStampedHere: one.observedAtUs === null }
      const outcome = reportObservation(subject, stamped, at, surrounding)
      if ('refused' in outcome) return { result: outcome.refused, taken: null }
      return { result: { ok: true, observation: outcome.view }, taken: outcome }
    },
  }))
}

const observedOne = (one: CommandOf<'observe'>['observations'][number], source: 'api' | 'address'): OneReport => ({
  isUnstamped: one.atUs === null,
  report: (subject, stampUs, at, surrounding) => {
    const stamped = { ...one, atUs: one.atUs ?? stampUs, isStampedHere: one.atUs === null, source }
    const outcome = observe(subject, stamped, at, surrounding)
    if ('refused' in outcome) return { result: outcome.refused, taken: null }
    return 'repeated' in outcome ? { result: outcome.repeated, taken: null } : { result: outcome.result, taken: outcome }
  },
})

/**
 * Observations in their order. Each is known by its identity, so a repetition needs no receipt, unless one of them was stamped here:
 * a repeated command gets the stamp that it got first.
 */
export function takeReports(subject: SubjectDocument, command: Reporting, now: number, surrounding: Surrounding): Step {
  const before = stampOf(subject, command.id)
  const at = before?.at ?? now
  const stampUs = before?.stampUs ?? Math.max(at * 1_000, (subject.custom?.stampedUs ?? 0) + 1)
  const reports = reportsIn(command)
  const results: unknown[] = []
  const pushed: PushedObservationDocument[] = []
  const series: SeriesDocument[] = []
  const places: ObservationIdDocument[] = []
  const made = reports.length > 1 ? new CommandReports(surrounding.stored) : null
  const within = made === null ? surrounding : { ...surrounding, stored: made }
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
  // A subject that is only reported on would carry the answers to its creation for ever.
  const receipts = stillAwaited(next.receipts, surrounding.now)
  if (next !== subject && receipts !== next.receipts) next = { ...next, receipts }
  return { subject: next, change, observation: null, pushed, places, series, reply }
}

/** Whether the subject's document alone has what was reported: a signal that was declared, or the reading of a website. */
const isOwned = (before: SubjectDocument, after: SubjectDocument): boolean =>
  after.custom?.signals !== before.custom?.signals || after.readings !== before.readings

/** Documents made by the observations of one command. Later ones find them as if they were stored; of the same document the last counts. */
class CommandReports implements StoredReports {
  readonly #stored: StoredReports
  readonly #rows = new Map<string, PushedObservationDocument>()
  readonly #series = new Map<string, SeriesDocument>()
  readonly #places = new Map<string, ObservationIdDocument>()
  /** By what the ids of a signal's rows begin with. */
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

  /** Copied once a signal, then kept up to date. */
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

function withStamps(subject: SubjectDocument, receipt: Receipt, lastUs: number): SubjectDocument {
  const { custom } = subject
  const stampedUs = Math.max(custom?.stampedUs ?? 0, lastUs)
  return { ...subject, custom: { ...(custom ?? nothingCustom), stampedUs }, receipts: remembered(subject.receipts, receipt) }
}

/** How a report of this id was stamped before; null: it is new. */
export const stampOf = ({ receipts }: SubjectDocument, commandId: string): Receipt | null =>
  receipts.find(receipt => receipt.id === commandId && receipt.reply === null) ?? null

function replyTo(command: Reporting, results: unknown[]): Reply {
  if (command.kind !== 'report-observation') return { ok: true, result: { results } }
  const [only] = results as ReportedObservation[]
  if (only === undefined) return refusal('malformed', 'No observation')
  return only.ok ? { ok: true, result: only.observation } : { ok: false, error: only.error }
}
