// Which command does what. A command is carried out once: its answer is kept with the subject and given again to whoever repeats it.
import type { Command, CommandOf, ReportedObservation } from '#shared/contracts/command.ts'
import type { PushedObservationDocument, SeriesDocument } from '#shared/contracts/observation.ts'
import type { Reply } from '#shared/contracts/reply.ts'
import type { Receipt, SubjectDocument } from '#shared/contracts/subject.ts'
import { acknowledgeIncident } from './acknowledge.ts'
import { changeBetween } from './change.ts'
import { cancelMaintenance, moveMaintenance, startMaintenance } from './maintenance-commands.ts'
import { remembered, stillAwaited } from './receipts.ts'
import { type Refusal, refusal, refused } from './refusal.ts'
import { reportObservation } from './report-observation.ts'
import { createRule, deleteRule, replaceRule } from './rule-commands.ts'
import { createSignal, deleteSignal, updateSignal } from './signal-commands.ts'
import type { NewestReport, Obeyed, Step, StoredReports, Surrounding } from './types.ts'
import { deleteSubject, updateWebsite } from './website-commands.ts'

type Reporting = CommandOf<'report-observation' | 'report-observations'>
type Changing = Exclude<Command, Reporting>

/** Carries out a command to a subject that exists. Whoever asks has looked whether its id was answered before. */
export function obey(subject: SubjectDocument, command: Command, at: number, surrounding: Surrounding): Step {
  if (command.kind === 'report-observation' || command.kind === 'report-observations')
    return report(subject, command, at, surrounding)
  const refusedFor = kindRefusal(subject, command)
  const obeyed = refusedFor ?? carryOut(subject, command, at, surrounding)
  if ('refused' in obeyed) return { subject, change: 'nothing', observation: null, reply: obeyed.refused }
  const reply: Reply = { ok: true, result: obeyed.result }
  if (obeyed.subject === subject) return { subject, change: 'nothing', observation: null, reply }
  const remembering = withReceipt(obeyed.subject, command.id, surrounding.now, reply)
  return { subject: remembering, change: 'commit', observation: null, reply }
}

/** The subject with the command's answer, given at `at`, among its receipts: a command may have waited for long. */
export function withReceipt(subject: SubjectDocument, id: string, at: number, reply: Reply): SubjectDocument {
  return { ...subject, receipts: remembered(subject.receipts, { id, at, reply: JSON.stringify(reply) }) }
}

/** The two families refuse each other's subjects (spec A, Rules per route 6; B, What the service does); null: it is not refused. */
function kindRefusal(subject: SubjectDocument, command: Changing): { refused: Refusal } | null {
  const { kind } = command
  if (kind === 'delete-subject') return (command.subjectKind ?? subject.kind) === subject.kind ? null : elsewhere(subject)
  if (kind === 'acknowledge-incident' || kind === 'create-website' || kind === 'create-subject') return null
  if (kind === 'update-website') return subject.kind === 'website' ? null : elsewhere(subject)
  if (subject.kind === 'custom') return null
  // Maintenance of a website monitor is an action of the dashboard (spec B, Route rules 4): the gateway says who may.
  if (kind === 'start-maintenance' || kind === 'move-maintenance' || kind === 'cancel-maintenance') return null
  // Only `convert` makes a website a custom subject, for good.
  const converts = (kind === 'create-signal' || kind === 'create-rule') && command.convert
  return converts ? null : elsewhere(subject)
}

/** Says to which family the subject belongs. */
function elsewhere({ kind, slug }: SubjectDocument): { refused: Refusal } {
  if (kind === 'custom') {
    const details = `This subject is maintained by hand; use /v2/subjects/${encodeURIComponent(slug)}`
    return refused('invalid_state', 'Custom subjects are managed elsewhere', details)
  }
  const details = 'This subject is a website monitor; use /v1/rules or /v2/monitoring/websites'
  return refused('invalid_state', 'Website subjects are managed elsewhere', details)
}

/** What is judged by it takes effect no earlier than what is judged already: see `judgedAt` of the subject. */
function carryOut(subject: SubjectDocument, command: Changing, at: number, surrounding: Surrounding): Obeyed {
  const effectiveAt = Math.max(at, subject.judgedAt)
  switch (command.kind) {
    case 'create-website':
    case 'create-subject':
      return refused('invalid_state', 'Subject exists')
    case 'update-website':
      return updateWebsite(subject, command, effectiveAt, surrounding)
    case 'delete-subject':
      return { subject: deleteSubject(subject, effectiveAt, surrounding), result: { id: subject.id } }
    case 'create-signal':
      return createSignal(subject, command, at)
    case 'update-signal':
      return updateSignal(subject, command, at)
    case 'delete-signal':
      return deleteSignal(subject, command, at)
    case 'create-rule':
      return createRule(subject, command, effectiveAt, surrounding)
    case 'replace-rule':
      return replaceRule(subject, command, effectiveAt, surrounding)
    case 'delete-rule':
      return deleteRule(subject, command, effectiveAt, surrounding)
    case 'acknowledge-incident':
      return acknowledgeIncident(subject, command, at, surrounding)
    case 'start-maintenance':
      return startMaintenance(subject, command, at)
    case 'move-maintenance':
      return moveMaintenance(subject, command, at)
    case 'cancel-maintenance':
      return cancelMaintenance(subject, at)
  }
}

/**
 * Observations in their order. Each is known by its identity, so a repetition needs no receipt, unless one of them was stamped here:
 * a repeated command gets the stamp that it got first.
 */
function report(subject: SubjectDocument, command: Reporting, now: number, surrounding: Surrounding): Step {
  const before = stampOf(subject, command.id)
  const at = before?.at ?? now
  const stampUs = before?.stampUs ?? Math.max(at * 1_000, (subject.custom?.stampedUs ?? 0) + 1)
  const reports = command.kind === 'report-observation' ? [command] : command.observations
  const results: ReportedObservation[] = []
  const pushed: PushedObservationDocument[] = []
  const series: SeriesDocument[] = []
  const made = reports.length > 1 ? new CommandReports(surrounding.stored) : null
  const within = made === null ? surrounding : { ...surrounding, stored: made }
  let next = subject
  for (const [i, one] of reports.entries()) {
    const stamped = { ...one, observedAtUs: one.observedAtUs ?? stampUs + i, isStampedHere: one.observedAtUs === null }
    const outcome = reportObservation(next, stamped, at, within)
    if ('refused' in outcome) {
      results.push(outcome.refused)
      continue
    }
    next = outcome.subject
    pushed.push(outcome.row)
    if (outcome.series !== null) series.push(outcome.series)
    made?.note(outcome)
    results.push({ ok: true, observation: outcome.view })
  }
  const reply = replyTo(command, results)
  if (pushed.length > 0 && reports.some(one => one.observedAtUs === null)) {
    const stamp = { id: command.id, at, reply: null, stampUs }
    next = withStamps(next, stamp, stampUs + reports.length - 1)
    return { subject: next, change: 'commit', observation: null, pushed, series, reply }
  }
  const change = changeBetween(subject, next)
  // Who only reports would carry the answers to its subject's making for ever.
  const receipts = stillAwaited(next.receipts, surrounding.now)
  if (next !== subject && receipts !== next.receipts) next = { ...next, receipts }
  return { subject: next, change, observation: null, pushed, series, reply }
}

/** What the observations of one command have made: its later ones find it as if it were stored. Of the same document the last counts. */
class CommandReports implements StoredReports {
  readonly #stored: StoredReports
  readonly #rows = new Map<string, PushedObservationDocument>()
  readonly #series = new Map<string, SeriesDocument>()

  constructor(stored: StoredReports) {
    this.#stored = stored
  }

  note({ row, series }: { row: PushedObservationDocument; series: SeriesDocument | null }): void {
    this.#rows.set(row.id, row)
    if (series !== null) this.#series.set(series.id, series)
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
  const custom = subject.custom && { ...subject.custom, stampedUs: Math.max(subject.custom.stampedUs, lastUs) }
  return { ...subject, custom, receipts: remembered(subject.receipts, receipt) }
}

/** How a report of this id was stamped before; null: it is new. */
export const stampOf = ({ receipts }: SubjectDocument, commandId: string): Receipt | null =>
  receipts.find(receipt => receipt.id === commandId && receipt.reply === null) ?? null

function replyTo(command: Reporting, results: ReportedObservation[]): Reply {
  if (command.kind === 'report-observations') return { ok: true, result: { results } }
  const [only] = results
  if (only === undefined) return refusal('malformed', 'No observation')
  return only.ok ? { ok: true, result: only.observation } : { ok: false, error: only.error }
}
