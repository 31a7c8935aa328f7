// step(subject, input, surrounding): the whole of what a keeper decides. Pure: no clock, no bus, no store, no randomness; the
// same inputs give the same next subject, observations and replies anywhere.
import type { Command, CommandOf } from '#shared/contracts/command.ts'
import type { Reply } from '#shared/contracts/reply.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { earliest } from '#shared/judging/judgement.ts'
import { limits } from '#shared/limits.ts'
import { customSubjectView, subjectView } from '#shared/subject-view.ts'
import { isOver, refuseArchived } from './archive.ts'
import { changeBetween } from './change.ts'
import { createSubject } from './create-subject.ts'
import { windowEndOf } from './drive-window.ts'
import { takeFirstReport } from './first-report.ts'
import { isDueBy, judgeSubject } from './judge-subject.ts'
import { obey, withReceipt } from './obey.ts'
import { refusal } from './refusal.ts'
import { createResource } from './resource-commands.ts'
import { takeResult } from './take-result.ts'
import type { Change, Input, Obeyed, Step, Surrounding } from './types.ts'
import { templateFault } from './unusable-template.ts'
import { asCommitted, createWebsite } from './website-commands.ts'

/** One input applied to one subject; null: the subject does not exist. Deadlines due by the input's instant are stepped first. */
export function step(subject: SubjectDocument | null, input: Input, surrounding: Surrounding): Step {
  if (subject === null || subject.deletedAt !== null) return stepAbsent(subject, input, surrounding)
  if (input.kind === 'deadline') return passDeadlines(subject, input.at, surrounding)
  if (input.kind === 'command') {
    const reply = replyBefore(subject, input.command.id)
    if (reply !== null) return { subject, change: 'nothing', observation: null, reply }
  }
  if (isOver(subject, input)) return refuseArchived(subject, input, surrounding)
  const isCaughtUp = !isDueBy(subject, input.at) || isSparedFrom(subject, input, surrounding)
  const caughtUp = !isCaughtUp ? passDeadlines(subject, input.at, surrounding) : unchanged(subject)
  const stepped =
    input.kind === 'result'
      ? takeResult(caughtUp.subject as SubjectDocument, input, surrounding)
      : obey(caughtUp.subject as SubjectDocument, input.command, input.at, surrounding)
  return { ...stepped, change: larger(caughtUp.change, stepped.change) }
}

/**
 * Commands that judge nothing are carried out on a Resource whose Template is missing or damaged (v3 4.12). Its deadlines stay due.
 */
function isSparedFrom(subject: SubjectDocument, input: Input, { templateOf }: Surrounding): boolean {
  return input.kind === 'command' && judgeNothing.has(input.command.kind) && templateFault(subject, templateOf) !== null
}

const judgeNothing: ReadonlySet<Command['kind']> = new Set([
  'read-resource',
  'read-incident',
  'archive-resource',
  'rebind-resource',
  'delete-subject',
  'acknowledge-incident',
  'set-maintenance',
  'end-maintenance',
])

/**
 * Steps the deadlines up to and including `until`, each at its own instant: holds are inclusive. A silence that is held back stays
 * due and keeps no hold behind it from being passed. What is left behind the bound (hundreds of inputs that fell silent while nobody
 * looked) is judged once, at `until`: the subject must go on.
 */
function passDeadlines(subject: SubjectDocument, until: number, surrounding: Surrounding): Step {
  let next = subject
  let at = subject.dueAt
  for (let passed = 0; at !== null && at <= until; passed++) {
    const judgedAt = passed < limits.keeper.deadlinesPerInput ? at : until
    next = judgeSubject(next, judgedAt, surrounding)
    at = nextDeadline(next, judgedAt)
  }
  return { subject: next, change: changeBetween(subject, next), observation: null, reply: null }
}

/** The earliest deadline behind `at`; null: none. */
export function nextDeadline(subject: SubjectDocument, at: number): number | null {
  const { dueAt, laterAt = null, rules } = subject
  const deadlines = [dueAt, laterAt, windowEndOf(subject), ...rules.map(rule => rule.incident?.context.deadlineAt ?? null)]
  return earliest(deadlines.filter(deadline => deadline !== null && deadline > at))
}

/** Of what does not exist, only a create makes something; a repeated one after a deletion is answered as its receipt says. */
function stepAbsent(subject: SubjectDocument | null, input: Input, surrounding: Surrounding): Step {
  const nothing = unchanged(subject)
  if (input.kind !== 'command') return nothing
  const reply = subject && replyBefore(subject, input.command.id)
  if (reply !== null) return { ...nothing, reply }
  if (subject === null && input.command.kind === 'first-report')
    return takeFirstReport(null, input.subjectId, input.command, input.at, surrounding)
  if (subject !== null || !isCreate(input.command)) return { ...nothing, reply: refusal('not_found', 'Subject not found') }
  return create(input.subjectId, input.command, input.at, surrounding)
}

/** What a command with this id was answered; null: it is carried out. */
function replyBefore(subject: SubjectDocument, commandId: string): Reply | null {
  const reply = subject.receipts.find(receipt => receipt.id === commandId)?.reply ?? null
  return reply === null ? null : (JSON.parse(reply) as Reply)
}

type Create = CommandOf<'create-website' | 'create-subject' | 'create-resource'>

const isCreate = (command: Command): command is Create =>
  command.kind === 'create-website' || command.kind === 'create-subject' || command.kind === 'create-resource'

function create(subjectId: string, command: Create, at: number, surrounding: Surrounding): Step {
  const obeyed = created(subjectId, command, at, surrounding)
  if ('refused' in obeyed) return { ...unchanged(null), reply: obeyed.refused }
  const reply: Reply = { ok: true, result: obeyed.result }
  return { subject: withReceipt(obeyed.subject, command.id, surrounding.now, reply), change: 'commit', observation: null, reply }
}

function created(subjectId: string, command: Create, at: number, surrounding: Surrounding): Obeyed {
  if (command.kind === 'create-resource') return createResource(subjectId, command, at, surrounding)
  if (command.kind === 'create-subject') {
    const subject = createSubject(subjectId, command, at)
    return { subject, result: customSubjectView(subject) }
  }
  const subject = createWebsite(subjectId, command, at, surrounding)
  return { subject, result: subjectView(asCommitted(subject)) }
}

const unchanged = (subject: SubjectDocument | null): Step => ({ subject, change: 'nothing', observation: null, reply: null })

const weight: Record<Change, number> = { nothing: 0, freshness: 1, commit: 2 }
const larger = (one: Change, other: Change) => (weight[one] >= weight[other] ? one : other)
