// Which command does what. A command is carried out once: its answer is kept with the subject and given again to whoever repeats it.
import type { Command, CommandOf } from '#shared/contracts/command.ts'
import type { Reply } from '#shared/contracts/reply.ts'
import { resourceCommands } from '#shared/contracts/resource-commands.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { acknowledgeIncident } from './acknowledge.ts'
import { archiveResource } from './archive.ts'
import { takeFirstReport } from './first-report.ts'
import { cancelMaintenance, endMaintenance, moveMaintenance, setMaintenance, startMaintenance } from './maintenance-commands.ts'
import { readIncident } from './read-incident.ts'
import { rebindResource } from './rebind.ts'
import { remembered } from './receipts.ts'
import { type Refusal, refused } from './refusal.ts'
import { readResource, updateResource } from './resource-commands.ts'
import { createRule, deleteRule, replaceRule } from './rule-commands.ts'
import { createSignal, deleteSignal, updateSignal } from './signal-commands.ts'
import { isReporting, type Reporting, takeReports } from './take-reports.ts'
import type { Obeyed, Step, Surrounding } from './types.ts'
import { deleteSubject, updateWebsite } from './website-commands.ts'

type Changing = Exclude<Command, Reporting | CommandOf<'first-report'>>

/** Carries out a command to a subject that exists. Whoever asks has looked whether its id was answered before. */
export function obey(subject: SubjectDocument, command: Command, at: number, surrounding: Surrounding): Step {
  if (isReporting(command)) return takeReports(subject, command, at, surrounding)
  if (command.kind === 'first-report') return takeFirstReport(subject, subject.id, command, at, surrounding)
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
  if (ofGeneration3.has(kind)) return null
  if (kind === 'update-website') return subject.kind === 'website' ? null : elsewhere(subject)
  if (subject.kind === 'custom') return null
  // Maintenance of a website monitor is an action of the dashboard (spec B, Route rules 4): the gateway says who may.
  if (kind === 'start-maintenance' || kind === 'move-maintenance' || kind === 'cancel-maintenance') return null
  // Only `convert` makes a website a custom subject, for good.
  const converts = (kind === 'create-signal' || kind === 'create-rule') && command.convert
  return converts ? null : elsewhere(subject)
}

/** Its commands take subjects of every kind. */
const ofGeneration3: ReadonlySet<Command['kind']> = new Set(resourceCommands.map(({ properties }) => properties.kind.const))

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
    case 'create-resource':
      return refused('invalid_state', 'Subject exists')
    case 'update-resource':
      return updateResource(subject, command, effectiveAt, surrounding)
    case 'read-resource':
      return readResource(subject, effectiveAt, surrounding)
    case 'read-incident':
      return readIncident(subject, command, effectiveAt, surrounding)
    case 'archive-resource':
      return archiveResource(subject, effectiveAt, surrounding)
    case 'rebind-resource':
      return rebindResource(subject, command, effectiveAt, surrounding)
    case 'set-maintenance':
      return setMaintenance(subject, command, at, surrounding)
    case 'end-maintenance':
      return endMaintenance(subject, at, surrounding)
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
