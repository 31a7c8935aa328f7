// Closing the open incidents of a subject by a command: nobody is told of such an end (docs/reference/v3.md, 5.4). Pure.
import type { IncidentEvent } from '#machines/incident.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { tellIncident } from './drive-incident.ts'
import { judge } from './judge-subject.ts'
import type { Surrounding } from './types.ts'

type Closing = Extract<IncidentEvent, { type: 'rule.removed' | 'subject.archived' }>

/** The subject without an open incident. */
export function closeIncidents(subject: SubjectDocument, event: Closing, surrounding: Surrounding): SubjectDocument {
  return subject.rules.reduce((left, rule) => {
    if (rule.incident === null) return left
    const judgement = judge(left, rule, left.judgedAt, surrounding)
    return tellIncident({ subject: left, rule, judgement, at: event.at, surrounding }, event)
  }, subject)
}
