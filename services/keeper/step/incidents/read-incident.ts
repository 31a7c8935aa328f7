// View of an open Incident at an instant (docs/reference/v3.md, 4.8 and 5.7). Changes nothing. Pure.
import { nextStep } from '#machines/incident-next.ts'
import type { IncidentNow } from '#shared/contracts/incidents/incident-views.ts'
import type { CommandOf } from '#shared/contracts/subjects/command.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { incidentRecord } from '#shared/incidents/incident-record.ts'
import { refused } from '../commands/refusal.ts'
import { judgeProvisionally } from '../judging/judge-subject.ts'
import { templateFault } from '../judging/unusable-template.ts'
import type { Handled, StepContext } from '../types.ts'
import { windowEndOf } from './drive-window.ts'
import { incidentDocument } from './incident-documents.ts'

/** Refuses an incident that is not open in this subject: the reply about a closed incident is made from its stored document. */
export function readIncident(
  subject: SubjectDocument,
  { incidentId }: CommandOf<'read-incident'>,
  at: number,
  context: StepContext,
): Handled {
  const rule = subject.rules.find(candidate => candidate.incident?.context.incidentId === incidentId)
  if (rule?.incident == null) return refused('not_found', 'Incident not found', 'The subject has no such open incident')
  const { judgement, isProvisional } = judgeProvisionally(subject, rule.key, at, context)
  const document = incidentDocument(subject, rule, rule.incident, judgement)
  // Time changes nothing in a Resource whose Template is missing or damaged (v3 4.12).
  const isStill = templateFault(subject, context.templateOf) !== null
  const isDecided = judgement.verdict !== 'not_judged' && !isProvisional
  const result: IncidentNow = {
    incident: incidentRecord(document, subject),
    next: isStill ? null : nextStep(rule.incident, { isDecided, mutedTo: windowEndOf(subject) }),
  }
  return { subject, result }
}
