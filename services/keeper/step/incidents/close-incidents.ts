// Closing of a subject's open incidents by a command, without a message (v3 5.4). Pure.
import type { IncidentEvent } from '#machines/incident-types.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { judge } from '../judging/judge-subject.ts'
import type { StepContext } from '../types.ts'
import { tellIncident } from './drive-incident.ts'

type Closing = Extract<IncidentEvent, { type: 'rule.removed' | 'subject.archived' }>

/** Returns the subject without open incidents. */
export function closeIncidents(subject: SubjectDocument, event: Closing, context: StepContext): SubjectDocument {
  return subject.rules.reduce((left, rule) => {
    if (rule.incident === null) return left
    const judgement = judge(left, rule, left.judgedAt, context)
    return tellIncident({ subject: left, rule, judgement, at: event.at, context }, event)
  }, subject)
}
