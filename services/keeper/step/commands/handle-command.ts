// Dispatch of commands. A command is carried out once: its reply is kept with the subject, and a retry gets the same reply.

import type { Reply } from '#shared/contracts/ask/reply.ts'
import { resourceCommands } from '#shared/contracts/resources/resource-commands.ts'
import type { Command, CommandOf } from '#shared/contracts/subjects/command.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { readIncident } from '../incidents/read-incident.ts'
import { tryRule } from '../judging/try-rule.ts'
import { takeFirstReport } from '../observations/first-report.ts'
import { isReporting, type Reporting, takeReports } from '../observations/take-reports.ts'
import type { Handled, Step, StepContext } from '../types.ts'
import { acknowledgeIncident } from './acknowledge.ts'
import { archiveResource } from './archive.ts'
import { remembered } from './idempotency.ts'
import { cancelMaintenance, endMaintenance, moveMaintenance, setMaintenance, startMaintenance } from './maintenance-commands.ts'
import { rebindResource } from './rebind.ts'
import { type Refusal, refused } from './refusal.ts'
import { readResource, updateResource } from './resource-commands.ts'
import { createRule, deleteRule, replaceRule } from './rule-commands.ts'
import { createSignal, deleteSignal, updateSignal } from './signal-commands.ts'
import { deleteSubject, updateWebsite } from './website-commands.ts'

type Changing = Exclude<Command, Reporting | CommandOf<'first-report'>>

/** Carries out a command to an existing subject. The caller has checked that the command's id has no recorded reply. */
export function handleCommand(subject: SubjectDocument, command: Command, at: number, context: StepContext): Step {
  if (isReporting(command)) return takeReports(subject, command, at, context)
  if (command.kind === 'first-report') return takeFirstReport(subject, subject.id, command, at, context)
  const refusedFor = kindRefusal(subject, command)
  const handled = refusedFor ?? carryOut(subject, command, at, context)
  if ('refused' in handled) return { subject, change: 'nothing', observation: null, reply: handled.refused }
  const reply: Reply = { ok: true, result: handled.result }
  if (handled.subject === subject) return { subject, change: 'nothing', observation: null, reply }
  const remembering = withIdempotencyRecord(handled.subject, command.id, context.now, reply)
  return { subject: remembering, change: 'commit', observation: null, reply }
}

/** Returns the subject with the command's reply of `at` among its idempotency records. The command may have waited for long. */
export function withIdempotencyRecord(subject: SubjectDocument, id: string, at: number, reply: Reply): SubjectDocument {
  return { ...subject, idempotency: remembered(subject.idempotency, { id, at, reply: JSON.stringify(reply) }) }
}

/** Returns the refusal of a command of one family for a subject of the other (reference/custom-subjects 1.1 and 1.7); null: not refused. */
function kindRefusal(subject: SubjectDocument, command: Changing): { refused: Refusal } | null {
  const { kind } = command
  if (kind === 'delete-subject') return (command.subjectKind ?? subject.kind) === subject.kind ? null : elsewhere(subject)
  if (kind === 'acknowledge-incident' || kind === 'create-website' || kind === 'create-subject') return null
  if (ofGeneration3.has(kind)) return null
  if (kind === 'update-website') return subject.kind === 'website' ? null : elsewhere(subject)
  if (subject.kind === 'custom') return null
  // Maintenance of a website monitor has other routes (reference/website-monitors 1.2): the gateway checks the rights.
  if (kind === 'start-maintenance' || kind === 'move-maintenance' || kind === 'cancel-maintenance') return null
  if (kind === 'try-rule') return null
  // Only `convert` makes a website a custom subject, for good.
  const converts = (kind === 'create-signal' || kind === 'create-rule') && command.convert
  return converts ? null : elsewhere(subject)
}

/** Commands of generation 3, which accept subjects of every kind. */
const ofGeneration3: ReadonlySet<Command['kind']> = new Set(resourceCommands.map(({ properties }) => properties.kind.const))

/** Returns a refusal that names the family of the subject. */
function elsewhere({ kind, slug }: SubjectDocument): { refused: Refusal } {
  if (kind === 'custom') {
    const details = `This subject is maintained by hand; use /v2/subjects/${encodeURIComponent(slug)}`
    return refused('invalid_state', 'Custom subjects are managed elsewhere', details)
  }
  const details = 'This subject is a website monitor; use /v1/rules or /v2/monitoring/websites'
  return refused('invalid_state', 'Website subjects are managed elsewhere', details)
}

/** A command takes effect no earlier than the last judgement: see `judgedAt` of the subject. */
function carryOut(subject: SubjectDocument, command: Changing, at: number, context: StepContext): Handled {
  const effectiveAt = Math.max(at, subject.judgedAt)
  switch (command.kind) {
    case 'create-website':
    case 'create-subject':
    case 'create-resource':
      return refused('invalid_state', 'Subject exists')
    case 'update-resource':
      return updateResource(subject, command, effectiveAt, context)
    case 'read-resource':
      return readResource(subject, effectiveAt, context)
    case 'read-incident':
      return readIncident(subject, command, effectiveAt, context)
    case 'archive-resource':
      return archiveResource(subject, effectiveAt, context)
    case 'rebind-resource':
      return rebindResource(subject, command, effectiveAt, context)
    case 'set-maintenance':
      return setMaintenance(subject, command, at, context)
    case 'end-maintenance':
      return endMaintenance(subject, at, context)
    case 'update-website':
      return updateWebsite(subject, command, effectiveAt, context)
    case 'delete-subject':
      return { subject: deleteSubject(subject, effectiveAt, context), result: { id: subject.id } }
    case 'create-signal':
      return createSignal(subject, command, at)
    case 'update-signal':
      return updateSignal(subject, command, at)
    case 'delete-signal':
      return deleteSignal(subject, command, at)
    case 'create-rule':
      return createRule(subject, command, effectiveAt, context)
    case 'replace-rule':
      return replaceRule(subject, command, effectiveAt, context)
    case 'delete-rule':
      return deleteRule(subject, command, effectiveAt, context)
    case 'try-rule':
      return tryRule(subject, command, effectiveAt, context)
    case 'acknowledge-incident':
      return acknowledgeIncident(subject, command, at, context)
    case 'start-maintenance':
      return startMaintenance(subject, command, at)
    case 'move-maintenance':
      return moveMaintenance(subject, command, at)
    case 'cancel-maintenance':
      return cancelMaintenance(subject, at)
  }
}
