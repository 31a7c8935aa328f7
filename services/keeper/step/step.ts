// Step of a keeper: `step(subject, input, context)` makes every decision. Pure: no clock, bus, store or randomness, so the same inputs
// always give the same next subject, observations and replies.

import type { Reply } from '#shared/contracts/ask/reply.ts'
import type { Command, CommandOf } from '#shared/contracts/subjects/command.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { earliest } from '#shared/judging/judgement.ts'
import { limits } from '#shared/limits/limits.ts'
import { customSubjectView, subjectView } from '#shared/subjects/subject-view.ts'
import { changeBetween, unchanged } from './change.ts'
import { judgedWithMarks, withMarks } from './checks/unmade-checks.ts'
import { isOver, refuseArchived } from './commands/archive.ts'
import { handleCommand } from './commands/handle-command.ts'
import { replyBefore, withIdempotencyRecord } from './commands/idempotency.ts'
import { refusal } from './commands/refusal.ts'
import { createResource } from './commands/resource-commands.ts'
import { asCommitted, createSubject, createWebsite } from './commands/subject-commands.ts'
import { windowEndOf } from './incidents/drive-window.ts'
import { keepAnswers } from './incidents/keep-answers.ts'
import { isDueBy, judgeSubject } from './judging/judge-subject.ts'
import { templateFault } from './judging/resource-template.ts'
import { takeFirstReport } from './observations/first-report.ts'
import { takeResult } from './observations/take-result.ts'
import type { Change, Handled, Input, Step, StepContext } from './types.ts'

/**
 * Applies one input to one subject; `subject` is null if it does not exist. First steps the deadlines that are due by the input's instant.
 */
export const step = (subject: SubjectDocument | null, input: Input, context: StepContext): Step =>
  keepAnswers(stepped(subject, input, context), input)

function stepped(subject: SubjectDocument | null, input: Input, context: StepContext): Step {
  if (subject === null || subject.deletedAt !== null) return stepAbsent(subject, input, context)
  if (input.kind === 'deadline') return stepDeadline(subject, input.at, context)
  if (input.kind === 'command') {
    const reply = replyBefore(subject, input.command.id)
    if (reply !== null) return unchanged(subject, reply)
  }
  if (isOver(subject, input)) return refuseArchived(subject, input, context)
  const isCaughtUp = !isDueBy(subject, input.at) || isSparedFrom(subject, input, context)
  const caughtUp = !isCaughtUp ? passDeadlines(subject, input.at, context) : unchanged(subject)
  const taken =
    input.kind === 'result'
      ? takeResult(caughtUp.subject as SubjectDocument, input, context)
      : marked(handleCommand(caughtUp.subject as SubjectDocument, input.command, input.at, context), input.at, context)
  return { ...taken, change: larger(caughtUp.change, taken.change) }
}

/** Returns the step of a command with the checks marked that nobody makes. */
function marked(taken: Step, at: number, context: StepContext): Step {
  if (taken.subject === null || taken.subject.deletedAt !== null) return taken
  const subject = withMarks(taken.subject, at, context)
  return subject === taken.subject ? taken : { ...taken, subject: judgedWithMarks(subject, at, context), change: 'commit' }
}

/** Steps the deadlines up to and including `until`. What probers can check now holds for all of them. */
function stepDeadline(subject: SubjectDocument, until: number, context: StepContext): Step {
  const withPresent = withMarks(subject, until, context)
  const passed = passDeadlines(withPresent, until, context)
  if (withPresent === subject || passed.subject === null) return passed
  return { ...passed, subject: judgedWithMarks(passed.subject, until, context), change: 'commit' }
}

/**
 * Returns whether the input is a command that judges nothing, on a Resource whose Template is missing or damaged (v3 4.12). This command is
 * carried out without stepping deadlines, which stay due.
 */
function isSparedFrom(subject: SubjectDocument, input: Input, { templateOf }: StepContext): boolean {
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
 * Steps the deadlines up to and including `until`, each at its own instant. Silence that is held back stays due, while later deadlines are
 * still stepped. A pause may silence hundreds of inputs, so the number of deadlines stepped one by one is bounded. All further deadlines
 * are judged together, at `until`.
 */
function passDeadlines(subject: SubjectDocument, until: number, context: StepContext): Step {
  let next = subject
  let at = subject.dueAt
  for (let passed = 0; at !== null && at <= until; passed++) {
    const judgedAt = passed < limits.keeper.deadlinesPerInput ? at : until
    next = judgeSubject(next, judgedAt, context)
    at = nextDeadline(next, judgedAt)
  }
  return { ...unchanged(next), change: changeBetween(subject, next) }
}

/** Returns the earliest deadline after `at`; null: none. */
export function nextDeadline(subject: SubjectDocument, at: number): number | null {
  const { dueAt, laterAt = null, rules } = subject
  const deadlines = [dueAt, laterAt, windowEndOf(subject), ...rules.map(rule => rule.incident?.context.deadlineAt ?? null)]
  return earliest(deadlines.filter(deadline => deadline !== null && deadline > at))
}

/**
 * Steps an input for an absent subject. Only a create command makes a subject. A create command that is repeated after the deletion gets
 * its recorded reply.
 */
function stepAbsent(subject: SubjectDocument | null, input: Input, context: StepContext): Step {
  if (input.kind !== 'command') return unchanged(subject)
  const reply = subject && replyBefore(subject, input.command.id)
  if (reply !== null) return unchanged(subject, reply)
  if (subject === null && input.command.kind === 'first-report')
    return takeFirstReport(null, input.subjectId, input.command, input.at, context)
  if (subject !== null || !isCreate(input.command)) return unchanged(subject, refusal('not_found', 'Subject not found'))
  return create(input.subjectId, input.command, input.at, context)
}

type Create = CommandOf<'create-website' | 'create-subject' | 'create-resource'>

const isCreate = (command: Command): command is Create =>
  command.kind === 'create-website' || command.kind === 'create-subject' || command.kind === 'create-resource'

function create(subjectId: string, command: Create, at: number, context: StepContext): Step {
  const handled = created(subjectId, command, at, context)
  if ('refused' in handled) return unchanged(null, handled.refused)
  const reply: Reply = { ok: true, result: handled.result }
  const made = withIdempotencyRecord(handled.subject, command.id, context.now, reply)
  return marked({ ...unchanged(made, reply), change: 'commit' }, at, context)
}

function created(subjectId: string, command: Create, at: number, context: StepContext): Handled {
  if (command.kind === 'create-resource') return createResource(subjectId, command, at, context)
  if (command.kind === 'create-subject') {
    const subject = createSubject(subjectId, command, at)
    return { subject, result: customSubjectView(subject) }
  }
  const subject = createWebsite(subjectId, command, at, context)
  return { subject, result: subjectView(asCommitted(subject)) }
}

const weight: Record<Change, number> = { nothing: 0, freshness: 1, commit: 2 }
const larger = (one: Change, other: Change) => (weight[one] >= weight[other] ? one : other)
