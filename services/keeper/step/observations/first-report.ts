// First report on a Resource: one step creates both the Resource and its Observation, or neither (v3 8.4). Pure.

import type { ObservedResult } from '#shared/contracts/resources/resource-views.ts'
import type { CommandOf } from '#shared/contracts/subjects/command.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { invalid, newResource } from '../commands/resource-commands.ts'
import { judgeSubject } from '../judging/judge-subject.ts'
import type { Step, StepContext } from '../types.ts'
import { takeReports } from './take-reports.ts'

type FirstReport = CommandOf<'first-report'>

/**
 * Creates the Resource and judges it together with its first Observation, so that a rule about silence has a report. If another first
 * report has created the Resource, only adds the Observation. A trial changes nothing.
 */
export function takeFirstReport(
  subject: SubjectDocument | null,
  subjectId: string,
  command: FirstReport,
  at: number,
  context: StepContext,
): Step {
  const unchanged = { subject, change: 'nothing' as const, observation: null }
  if (subject !== null && !isWithinBounds(subject, command)) return { ...unchanged, reply: otherTemplate(command) }
  const made = subject === null ? newResource(subjectId, { ...command, labels: {} }, at, context) : { subject }
  if ('refused' in made) return { ...unchanged, reply: made.refused }
  const observe = { kind: 'observe' as const, id: command.id, source: 'address' as const, observations: [command.observation] }
  const step = takeReports(made.subject, observe, at, context)
  if (command.isTrial || !isTaken(step)) return { ...unchanged, reply: step.reply }
  if (subject !== null || step.subject === null) return step
  // Judges here, because an Observation that no rule reads causes no judgement.
  return { ...step, subject: judgeSubject(step.subject, at, context), change: 'commit' }
}

/** Returns whether the address that accepted the report may be used for Resources of this Resource's Template. */
const isWithinBounds = ({ template }: SubjectDocument, { boundTo }: FirstReport): boolean =>
  boundTo === null || template?.split('@', 1)[0] === boundTo

const otherTemplate = ({ boundTo }: FirstReport) =>
  invalid('resource', `This address reports on Resources of the Template ${boundTo} alone`)

function isTaken({ reply }: Step): boolean {
  if (reply?.ok !== true) return false
  const [only] = (reply.result as { results: ObservedResult[] }).results
  return only?.ok === true
}
