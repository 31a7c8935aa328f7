// Acknowledgement of an incident: person and instant are recorded once, reminders stop, the status stays (reference/incidents 6). Pure.

import type { IncidentContext } from '#shared/contracts/incidents/incident.ts'
import type { CommandOf } from '#shared/contracts/subjects/command.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { AcknowledgementView } from '#shared/contracts/subjects/subject-views.ts'
import { tellIncident } from '../incidents/drive-incident.ts'
import { statusWords } from '../incidents/incident-documents.ts'
import { judge } from '../judging/judge-subject.ts'
import type { Handled, StepContext } from '../types.ts'
import { refused } from './refusal.ts'

/** Refuses an incident that is not open in this subject: the reply about a closed incident is made from its stored document. */
export function acknowledgeIncident(
  subject: SubjectDocument,
  command: CommandOf<'acknowledge-incident'>,
  at: number,
  context: StepContext,
): Handled {
  const rule = subject.rules.find(candidate => candidate.incident?.context.incidentId === command.incidentId)
  if (rule?.incident == null) return refused('not_found', 'Incident not found', 'The subject has no such open incident')
  const isFirst = rule.incident.context.acknowledgedAt === null
  const judgement = judge(subject, rule, subject.judgedAt, context)
  const event = { type: 'incident.acknowledged' as const, at, by: command.by, via: command.via }
  const next = isFirst ? tellIncident({ subject, rule, judgement, at, context }, event) : subject
  const told = next.rules.find(candidate => candidate.key === rule.key) as RuleState
  return { subject: next, result: acknowledgementOf(told, isFirst) }
}

function acknowledgementOf({ slug, incident }: RuleState, recorded: boolean): AcknowledgementView {
  const held = incident as NonNullable<RuleState['incident']>
  const context: IncidentContext = held.context
  return {
    incidentId: context.incidentId,
    ruleSlug: slug,
    status: statusWords[held.value],
    acknowledgedAt: context.acknowledgedAt as number,
    acknowledgedBy: context.acknowledgedBy as string,
    recorded,
    troubleSince: context.troubleSince,
    confirmedAt: context.confirmedAt,
    wellSince: context.wellSince,
    closedAt: context.closedAt,
  }
}
