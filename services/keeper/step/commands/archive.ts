// Archiving: a Resource of any kind stops for good and stays readable (docs/reference/v3.md, 6.4). Pure.

import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { ObservedResult } from '#shared/contracts/resources/resource-views.ts'
import type { Command } from '#shared/contracts/subjects/command.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { unchanged } from '../change.ts'
import { sendToWindow } from '../incidents/drive-window.ts'
import { judge, verdictOf } from '../judging/judge-subject.ts'
import type { Handled, Handler, Input, Step, StepContext } from '../types.ts'
import { closeIncidents } from './incident-commands.ts'
import { rebindResource } from './rebind.ts'
import { type Refusal, refusal } from './refusal.ts'
import { invalid, shown, updateResource } from './resource-commands.ts'
import { withoutChecks } from './subject-commands.ts'

/** Archives the Resource. Its rules keep their present verdicts: nothing is judged any longer. */
export const archiveResource: Handler<'archive-resource'> = (subject, _command, at, context) => {
  const settled = { ...subject, rules: subject.rules.map(rule => settle(subject, rule, context)) }
  const closed = closeIncidents(settled, { type: 'subject.archived', at }, context)
  const unheld = sendToWindow(closed, { type: 'window.cancelled', at })
  return shown({ ...withoutChecks(unheld, at), archivedAt: at, updatedAt: at, dueAt: null }, at, context)
}

function settle(subject: SubjectDocument, rule: RuleState, context: StepContext): RuleState {
  const { judgedAt } = subject
  return { ...rule, verdict: verdictOf(rule, judge(subject, rule, judgedAt, context), judgedAt) }
}

/** Commands that an archived Resource handles as usual: an acknowledgement, for example, finds no open incident. */
const taken: ReadonlySet<Command['kind']> = new Set([
  'read-resource',
  'reseal-secrets',
  'acknowledge-incident',
  'create-website',
  'create-subject',
  'create-resource',
])

/** Returns whether the subject is archived and therefore drops or refuses the input. */
export function isOver({ archivedAt }: SubjectDocument, input: Input): boolean {
  if (archivedAt === null) return false
  if (input.kind !== 'command') return true
  const { command } = input
  // An archived subject is deleted only with its workspace. That deletion names no kind of subject. Deletions by generations 1 and 2 name a
  // kind.
  if (command.kind === 'delete-subject') return command.subjectKind !== undefined
  return !taken.has(command.kind)
}

/** Drops check results and deadlines, and refuses commands. Nothing changes. */
export function refuseArchived(subject: SubjectDocument, input: Input, context: StepContext): Step {
  const reply = input.kind === 'command' ? archivedReply(subject, input.command, input.at, context) : null
  return unchanged(subject, reply)
}

/**
 * Returns the reply to a command on an archived Resource. For generations 1 and 2 the Resource no longer exists. Generation 3 names an
 * invalid field first, and the archived state only if all fields are valid.
 */
function archivedReply(subject: SubjectDocument, command: Command, at: number, context: StepContext): Reply {
  switch (command.kind) {
    case 'observe':
      return { ok: true, result: { results: command.observations.map((): ObservedResult => takesNone(subject)) } }
    case 'first-report':
      return { ok: true, result: { results: [takesNone(subject)] } }
    case 'update-resource':
      return fieldFault(updateResource(subject, command, at, context)) ?? archived(subject)
    case 'rebind-resource':
      return fieldFault(rebindResource(subject, command, at, context)) ?? archived(subject)
    case 'archive-resource':
    case 'set-maintenance':
    case 'end-maintenance':
      return archived(subject)
    default:
      return refusal('not_found', 'Subject not found')
  }
}

const fieldFault = (outcome: Handled): Refusal | null => ('refused' in outcome ? outcome.refused : null)

const archived = ({ slug }: SubjectDocument): Refusal =>
  refusal('invalid_state', 'Resource archived', `Resource ${slug} is archived.`)

const takesNone = ({ slug }: SubjectDocument): Refusal =>
  invalid('resource', `Resource ${slug} is archived and accepts no Observations.`)
