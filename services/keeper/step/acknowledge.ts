// A person takes note of an incident: who and when is recorded once, reminders stop, its status stays (spec A, Rules per route 7). Pure.
import type { CommandOf } from '#shared/contracts/command.ts'
import type { IncidentContext } from '#shared/contracts/incident.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subject.ts'
import type { AcknowledgementView } from '#shared/contracts/subject-views.ts'
import { tellIncident } from './drive-incident.ts'
import { statusWords } from './incident-documents.ts'
import { judge } from './judge-subject.ts'
import { refused } from './refusal.ts'
import type { Obeyed, Surrounding } from './types.ts'

/** Refused where the incident is not open in this subject: a closed one is answered from what is stored of it. */
export function acknowledgeIncident(
  subject: SubjectDocument,
  command: CommandOf<'acknowledge-incident'>,
  at: number,
  surrounding: Surrounding,
): Obeyed {
  const rule = subject.rules.find(candidate => candidate.incident?.context.incidentId === command.incidentId)
  if (rule?.incident == null) return refused('not_found', 'Incident not found', 'The subject has no such open incident')
  const isFirst = rule.incident.context.acknowledgedAt === null
  const judgement = judge(subject, rule, subject.judgedAt, surrounding)
  const event = { type: 'incident.acknowledged' as const, at, by: command.by, via: command.via }
  const next = isFirst ? tellIncident({ subject, rule, judgement, at, surrounding }, event) : subject
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
