// Shows an open Incident as it stands at an instant (docs/reference/v3.md, 4.8 and 5.7). Changes nothing. Pure.
import { nextStep } from '#machines/incident-next.ts'
import type { CommandOf } from '#shared/contracts/command.ts'
import type { IncidentNow } from '#shared/contracts/incident-views.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { incidentRecord } from '#shared/incident-record.ts'
import { windowEndOf } from './drive-window.ts'
import { incidentDocument } from './incident-documents.ts'
import { judgeWithDoubt } from './judge-subject.ts'
import { refused } from './refusal.ts'
import type { Obeyed, Surrounding } from './types.ts'
import { templateFault } from './unusable-template.ts'

/** Refused where the incident is not open in this subject: a closed one is answered from what is stored of it. */
export function readIncident(
  subject: SubjectDocument,
  { incidentId }: CommandOf<'read-incident'>,
  at: number,
  surrounding: Surrounding,
): Obeyed {
  const rule = subject.rules.find(candidate => candidate.incident?.context.incidentId === incidentId)
  if (rule?.incident == null) return refused('not_found', 'Incident not found', 'The subject has no such open incident')
  const { judgement, isDoubtful } = judgeWithDoubt(subject, rule.key, at, surrounding)
  const document = incidentDocument(subject, rule, rule.incident, judgement)
  // Time does nothing to a Resource whose Template is missing or damaged (v3 4.12).
  const isStill = templateFault(subject, surrounding.templateOf) !== null
  const isDecided = judgement.verdict !== 'not_judged' && !isDoubtful
  const result: IncidentNow = {
    incident: incidentRecord(document, subject),
    next: isStill ? null : nextStep(rule.incident, { isDecided, mutedTo: windowEndOf(subject) }),
  }
  return { subject, result }
}
