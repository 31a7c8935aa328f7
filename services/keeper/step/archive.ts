// Archiving: a Resource of any kind ends for good and stays readable (docs/reference/v3.md, 6.4). Pure.
import type { Command } from '#shared/contracts/command.ts'
import type { Reply } from '#shared/contracts/reply.ts'
import type { ObservedResult } from '#shared/contracts/resource-views.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subject.ts'
import { closeIncidents } from './close-incidents.ts'
import { tellWindow } from './drive-window.ts'
import { judge, verdictOf } from './judge-subject.ts'
import { rebindResource } from './rebind.ts'
import { type Refusal, refusal } from './refusal.ts'
import { invalid, shown, updateResource } from './resource-commands.ts'
import type { Input, Obeyed, Step, Surrounding } from './types.ts'
import { assign, isWatched } from './website-commands.ts'

/** Its rules keep what they say now: nothing is judged any more. */
export function archiveResource(subject: SubjectDocument, at: number, surrounding: Surrounding): Obeyed {
  const settled = { ...subject, rules: subject.rules.map(rule => settle(subject, rule, surrounding)) }
  const closed = closeIncidents(settled, { type: 'subject.archived', at }, surrounding)
  const unheld = tellWindow(closed, { type: 'window.cancelled', at })
  return shown({ ...withoutChecks(unheld, at), archivedAt: at, updatedAt: at, dueAt: null }, at, surrounding)
}

function settle(subject: SubjectDocument, rule: RuleState, surrounding: Surrounding): RuleState {
  const { judgedAt } = subject
  return { ...rule, verdict: verdictOf(rule, judge(subject, rule, judgedAt, surrounding), judgedAt) }
}

/** Its settings and readings stay to be read. */
function withoutChecks(subject: SubjectDocument, at: number): SubjectDocument {
  if (!isWatched(subject)) return subject
  const { check, readings } = subject
  return { ...assign(subject, { ...check, locations: [] }, at), check, readings }
}

/** Commands that an archived Resource still takes: an acknowledgement finds no open incident, a creation finds the subject. */
const taken: ReadonlySet<Command['kind']> = new Set([
  'read-resource',
  'acknowledge-incident',
  'create-website',
  'create-subject',
  'create-resource',
])

/** Whether the subject is archived and the input is dropped or refused for it. */
export function isOver({ archivedAt }: SubjectDocument, input: Input): boolean {
  if (archivedAt === null) return false
  if (input.kind !== 'command') return true
  const { command } = input
  // It goes with its workspace. Generations 1 and 2 name the kind that they delete, and do not know it.
  if (command.kind === 'delete-subject') return command.subjectKind !== undefined
  return !taken.has(command.kind)
}

/** Reports of workers and deadlines are dropped, commands refused. Nothing changes. */
export function refuseArchived(subject: SubjectDocument, input: Input, surrounding: Surrounding): Step {
  const reply = input.kind === 'command' ? archivedReply(subject, input.command, input.at, surrounding) : null
  return { subject, change: 'nothing', observation: null, reply }
}

/** Generations 1 and 2 do not know it any more. Of generation 3 a field at fault is told before the state. */
function archivedReply(subject: SubjectDocument, command: Command, at: number, surrounding: Surrounding): Reply {
  switch (command.kind) {
    case 'observe':
      return { ok: true, result: { results: command.observations.map((): ObservedResult => takesNone(subject)) } }
    case 'first-report':
      return { ok: true, result: { results: [takesNone(subject)] } }
    case 'update-resource':
      return fieldFault(updateResource(subject, command, at, surrounding)) ?? archived(subject)
    case 'rebind-resource':
      return fieldFault(rebindResource(subject, command, at, surrounding)) ?? archived(subject)
    case 'archive-resource':
    case 'set-maintenance':
    case 'end-maintenance':
      return archived(subject)
    default:
      return refusal('not_found', 'Subject not found')
  }
}

const fieldFault = (outcome: Obeyed): Refusal | null => ('refused' in outcome ? outcome.refused : null)

const archived = ({ slug }: SubjectDocument): Refusal =>
  refusal('invalid_state', 'Resource archived', `Resource ${slug} is archived.`)

const takesNone = ({ slug }: SubjectDocument): Refusal =>
  invalid('resource', `Resource ${slug} is archived and accepts no Observations.`)
