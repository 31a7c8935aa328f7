// Dispatch of commands. A command is carried out once: its reply is stored in the subject, and a retry gets the same reply.

import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { Command, CommandOf } from '#shared/contracts/subjects/command.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { isChecked } from '#shared/contracts/subjects/subject-kind.ts'
import { unchanged } from '../change.ts'
import { tryRule } from '../judging/try-rule.ts'
import { takeFirstReport } from '../observations/first-report.ts'
import { isReporting, type Reporting, takeReports } from '../observations/take-reports.ts'
import { takePing } from '../schedules/take-ping.ts'
import type { Handled, Handler, Step, StepContext } from '../types.ts'
import { archiveResource } from './archive.ts'
import { withIdempotencyRecord } from './idempotency.ts'
import { acknowledgeIncident, readIncident } from './incident-commands.ts'
import { cancelMaintenance, endMaintenance, moveMaintenance, setMaintenance, startMaintenance } from './maintenance-commands.ts'
import { rebindResource } from './rebind.ts'
import { type Refusal, refused } from './refusal.ts'
import { resealSecrets } from './reseal.ts'
import { shown, updateResource } from './resource-commands.ts'
import { createRule, deleteRule, replaceRule } from './rule-commands.ts'
import { createSignal, deleteSignal, updateSignal } from './signal-commands.ts'
import { deleteSubject, updateWebsite } from './subject-commands.ts'

type Changing = Exclude<Command, Reporting | CommandOf<'first-report' | 'ping'>>

/** Carries out a command to an existing subject. The caller has checked that the command's id has no recorded reply. */
export function handleCommand(subject: SubjectDocument, command: Command, at: number, context: StepContext): Step {
  if (isReporting(command)) return takeReports(subject, command, at, context)
  if (command.kind === 'first-report') return takeFirstReport(subject, subject.id, command, at, context)
  if (command.kind === 'ping') return takePing(subject, command, at, context)
  const handled = isAccepted(subject, command) ? carryOut(subject, command, at, context) : elsewhere(subject)
  if ('refused' in handled) return unchanged(subject, handled.refused)
  const reply: Reply = { ok: true, result: handled.result }
  if (handled.subject === subject) return unchanged(subject, reply)
  return { ...unchanged(withIdempotencyRecord(handled.subject, command.id, context.now, reply), reply), change: 'commit' }
}

/** Commands that change signals and rules of a custom subject. */
const ofCustomSubjects: ReadonlySet<Command['kind']> = new Set([
  'create-signal',
  'update-signal',
  'delete-signal',
  'create-rule',
  'replace-rule',
  'delete-rule',
])

/** Returns whether the subject's kind accepts the command (reference/custom-subjects 1.1 and 1.7). */
function isAccepted({ kind }: SubjectDocument, command: Changing): boolean {
  if (command.kind === 'delete-subject') return (command.subjectKind ?? kind) === kind
  if (command.kind === 'update-website') return isChecked(kind)
  // Only `convert` makes a website a custom subject, for good.
  return kind === 'custom' || !ofCustomSubjects.has(command.kind) || ('convert' in command && command.convert)
}

/** Returns a refusal that names the kind of the subject. */
function elsewhere({ kind, slug }: SubjectDocument): { refused: Refusal } {
  if (kind === 'custom') {
    const details = `This subject is maintained by hand; use /v2/subjects/${encodeURIComponent(slug)}`
    return refused('invalid_state', 'Custom subjects are managed elsewhere', details)
  }
  const details = 'This subject is a website monitor; use /v1/rules or /v2/monitoring/websites'
  return refused('invalid_state', 'Website subjects are managed elsewhere', details)
}

const refuseExisting = () => refused('invalid_state', 'Subject exists')

const handlers: { readonly [K in Changing['kind']]: Handler<K> } = {
  'create-website': refuseExisting,
  'create-subject': refuseExisting,
  'create-resource': refuseExisting,
  'update-resource': updateResource,
  'reseal-secrets': resealSecrets,
  'read-resource': (subject, _command, at, context) => shown(subject, at, context),
  'read-incident': readIncident,
  'archive-resource': archiveResource,
  'rebind-resource': rebindResource,
  'set-maintenance': setMaintenance,
  'end-maintenance': endMaintenance,
  'update-website': updateWebsite,
  'delete-subject': (subject, _command, at, context) => ({
    subject: deleteSubject(subject, at, context),
    result: { id: subject.id },
  }),
  'create-signal': createSignal,
  'update-signal': updateSignal,
  'delete-signal': deleteSignal,
  'create-rule': createRule,
  'replace-rule': replaceRule,
  'delete-rule': deleteRule,
  'try-rule': tryRule,
  'acknowledge-incident': acknowledgeIncident,
  'start-maintenance': startMaintenance,
  'move-maintenance': moveMaintenance,
  'cancel-maintenance': cancelMaintenance,
}

/** Commands that store no verdict. They take effect at their own instant, even if the subject was judged at a later instant. */
const atTheirInstant: ReadonlySet<Command['kind']> = new Set([
  'reseal-secrets',
  'create-signal',
  'update-signal',
  'delete-signal',
  'acknowledge-incident',
  'set-maintenance',
  'end-maintenance',
  'start-maintenance',
  'move-maintenance',
  'cancel-maintenance',
])

/**
 * Carries out the command. A command that judges nothing takes effect at its own instant. Any other command takes effect no earlier than
 * the subject's last judgement (`judgedAt`).
 */
function carryOut(subject: SubjectDocument, command: Changing, at: number, context: StepContext): Handled {
  const handle = handlers[command.kind] as Handler<Changing['kind']>
  return handle(subject, command, atTheirInstant.has(command.kind) ? at : Math.max(at, subject.judgedAt), context)
}
