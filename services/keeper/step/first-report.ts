// The first report on a Resource: the Resource and its Observation are made in one step, or neither is (docs/reference/v3.md, 8.4). Pure.
import type { CommandOf } from '#shared/contracts/command.ts'
import type { ObservedResult } from '#shared/contracts/resource-views.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { judgeSubject } from './judge-subject.ts'
import { invalid, newResource } from './resource-commands.ts'
import { takeReports } from './take-reports.ts'
import type { Step, Surrounding } from './types.ts'

type FirstReport = CommandOf<'first-report'>

/**
 * The Resource is judged with its Observation first: a rule that looks for silence has something to hear. One that another first report has made
 * meanwhile only takes the Observation. A trial changes nothing.
 */
export function takeFirstReport(
  subject: SubjectDocument | null,
  subjectId: string,
  command: FirstReport,
  at: number,
  surrounding: Surrounding,
): Step {
  const unchanged = { subject, change: 'nothing' as const, observation: null }
  if (subject !== null && !isWithinBounds(subject, command)) return { ...unchanged, reply: otherTemplate(command) }
  const made = subject === null ? newResource(subjectId, { ...command, labels: {} }, at, surrounding) : { subject }
  if ('refused' in made) return { ...unchanged, reply: made.refused }
  const observe = { kind: 'observe' as const, id: command.id, source: 'address' as const, observations: [command.observation] }
  const step = takeReports(made.subject, observe, at, surrounding)
  if (command.isTrial || !isTaken(step)) return { ...unchanged, reply: step.reply }
  if (subject !== null || step.subject === null) return step
  // An Observation that no rule reads judges nothing by itself.
  return { ...step, subject: judgeSubject(step.subject, at, surrounding), change: 'commit' }
}

/** Whether the address reports on Resources of this one's Template. */
const isWithinBounds = ({ template }: SubjectDocument, { boundTo }: FirstReport): boolean =>
  boundTo === null || template?.split('@', 1)[0] === boundTo

const otherTemplate = ({ boundTo }: FirstReport) =>
  invalid('resource', `This address reports on Resources of the Template ${boundTo} alone`)

function isTaken({ reply }: Step): boolean {
  if (reply?.ok !== true) return false
  const [only] = (reply.result as { results: ObservedResult[] }).results
  return only?.ok === true
}
