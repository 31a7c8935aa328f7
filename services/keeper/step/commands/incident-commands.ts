// Commands about an open incident: its acknowledgement (reference/incidents 6), and its view at an instant (v3 4.8 and 5.7). Pure. A closed
// incident is read from its stored document elsewhere.

import { nextStep } from '#machines/incident-outlook.ts'
import { statusWords } from '#machines/incident-records.ts'
import type { IncidentEvent } from '#machines/incident-types.ts'
import type { IncidentSnapshot } from '#shared/contracts/incidents/incident.ts'
import type { IncidentNow } from '#shared/contracts/incidents/incident-views.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { AcknowledgementView } from '#shared/contracts/subjects/subject-views.ts'
import { incidentRecord } from '#shared/incidents/incident-record.ts'
import { causeAfter } from '#shared/judging/incident-cause.ts'
import { sendToIncident } from '../incidents/drive-incident.ts'
import { windowEndOf } from '../incidents/drive-window.ts'
import { incidentDocument } from '../incidents/incident-documents.ts'
import { judge, judgeProvisionally } from '../judging/judge-subject.ts'
import { templateFault } from '../judging/resource-template.ts'
import type { Handler, StepContext } from '../types.ts'
import { refused } from './refusal.ts'

/** Records the person and the instant of the first acknowledgement. Reminders stop; the incident's status stays. */
export const acknowledgeIncident: Handler<'acknowledge-incident'> = (subject, { incidentId, by, via }, at, context) => {
  const rule = openRule(subject, incidentId)
  if (rule === undefined) return noOpenIncident
  const isFirst = rule.incident.context.acknowledgedAt === null
  const judgement = judge(subject, rule, subject.judgedAt, context)
  const event = { type: 'incident.acknowledged' as const, at, by, via }
  const next = isFirst ? sendToIncident({ subject, rule, judgement, at, context }, event) : subject
  return { subject: next, result: acknowledgementOf(openRule(next, incidentId) as OpenRule, isFirst) }
}

type OpenRule = RuleState & { incident: IncidentSnapshot }

const openRule = ({ rules }: SubjectDocument, incidentId: string): OpenRule | undefined =>
  rules.find((rule): rule is OpenRule => rule.incident?.context.incidentId === incidentId)

const noOpenIncident = refused('not_found', 'Incident not found', 'The subject has no such open incident')

function acknowledgementOf({ slug, incident: { value, context } }: OpenRule, recorded: boolean): AcknowledgementView {
  const { incidentId, acknowledgedAt, acknowledgedBy, troubleSince, confirmedAt, wellSince, closedAt } = context
  return {
    incidentId,
    ruleSlug: slug,
    status: statusWords[value],
    acknowledgedAt: acknowledgedAt as number,
    acknowledgedBy: acknowledgedBy as string,
    recorded,
    troubleSince,
    confirmedAt,
    wellSince,
    closedAt,
  }
}

/** Changes nothing. */
export const readIncident: Handler<'read-incident'> = (subject, { incidentId }, at, context) => {
  const rule = openRule(subject, incidentId)
  if (rule === undefined) return noOpenIncident
  const { judgement, isProvisional } = judgeProvisionally(subject, rule.key, at, context)
  const incident = { ...rule.incident, cause: causeAfter(subject.rules, rule, judgement) }
  const document = incidentDocument(subject, rule, incident, judgement)
  // Time changes nothing in a Resource whose Template is missing or damaged (v3 4.12).
  const isStill = templateFault(subject, context.templateOf) !== null
  const isDecided = judgement.verdict !== 'not_judged' && !isProvisional
  const result: IncidentNow = {
    incident: incidentRecord(document, subject),
    next: isStill ? null : nextStep(rule.incident, { isDecided, mutedTo: windowEndOf(subject) }),
  }
  return { subject, result }
}

type Closing = Extract<IncidentEvent, { type: 'rule.removed' | 'subject.archived' }>

/** Returns the subject without open incidents; with `isOver`, without those of the rules for which it returns true. */
export function closeIncidents(
  subject: SubjectDocument,
  event: Closing,
  context: StepContext,
  isOver: (rule: RuleState) => boolean = () => true,
): SubjectDocument {
  return subject.rules.reduce((left, rule) => {
    if (rule.incident === null || !isOver(rule)) return left
    const judgement = judge(left, rule, left.judgedAt, context)
    return sendToIncident({ subject: left, rule, judgement, at: event.at, context }, event)
  }, subject)
}
