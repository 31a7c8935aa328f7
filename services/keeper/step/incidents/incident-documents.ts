// Documents of an incident: the document that readers of the incident get, its history entries, its alerts. Pure.
import { incidentVersion } from '#machines/incident.ts'
import { isListed, statusWords, tookEffectAt } from '#machines/incident-records.ts'
import type { Announcement } from '#machines/incident-types.ts'
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type {
  HistoryDocument,
  HistoryKind,
  IncidentContext,
  IncidentDocument,
  IncidentSnapshot,
  IncidentWords,
} from '#shared/contracts/incidents/incident.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { facetsOf } from '#shared/incidents/incident-facets.ts'
import type { Judgement } from '#shared/judging/judgement.ts'
import { limits } from '#shared/limits/limits.ts'
import { templateRuleOf } from '../judging/resource-template.ts'
import type { TemplateOf } from '../types.ts'
import { alertFacts } from './alert-facts.ts'

/** Returns the document that readers of the incident get, with the `rev` that this commit gives the incident's subject. */
export function incidentDocument(
  subject: SubjectDocument,
  rule: RuleState,
  held: IncidentSnapshot,
  judgement: Judgement,
): IncidentDocument {
  const { context } = held
  const isOpen = held.value !== 'closed'
  return {
    id: context.incidentId,
    rev: subject.rev + 1,
    subjectId: subject.id,
    resourceKey: subject.slug,
    workspaceId: subject.workspaceId,
    ruleKey: rule.key,
    ...held.words,
    ruleShown: rule.policy.language === 'reachability' ? rule.key : held.words.rule.key,
    number: Number(context.incidentId.split('.')[1]),
    open: isOpen ? 1 : 0,
    facets: facetsOf({ isOpen, isConfirmed: context.confirmedAt !== null, isAcknowledged: context.acknowledgedAt !== null }),
    status: statusWords[held.value],
    condition: context.condition,
    troubleSince: context.troubleSince,
    confirmedAt: context.confirmedAt,
    wellSince: context.wellSince,
    closedAt: context.closedAt,
    closedReason: context.closedReason,
    acknowledgedAt: context.acknowledgedAt,
    acknowledgedBy: context.acknowledgedBy,
    acknowledgedVia: context.acknowledgedVia,
    effectiveAt: context.effectiveAt,
    explanation: judgement.explanation,
    evidence: judgement.evidence,
    ...(held.cause === undefined ? {} : { cause: held.cause }),
    deadlineAt: context.deadlineAt,
  }
}

/** Returns the texts of the rule that an incident copies when it opens. */
export function incidentWords(subject: SubjectDocument, rule: RuleState, templateOf: TemplateOf): IncidentWords {
  const { action } = templateRuleOf(subject, rule, templateOf) ?? { action: null }
  return { rule: { key: rule.slug, name: rule.name }, action }
}

export interface Recorded {
  kind: HistoryKind
  event: HistoryDocument['event']
  /** The incident before the event; null: the event opened the incident. */
  before: IncidentContext | null
}

/** Returns the record of one transition. The record suffices to replay the transition and to show its reason. */
export function historyDocument(
  subject: SubjectDocument,
  incident: IncidentSnapshot,
  judgement: Judgement,
  { kind, event, before }: Recorded,
): HistoryDocument {
  return {
    id: `${incident.context.incidentId}.${incident.transitions}`,
    rev: 1,
    incidentId: incident.context.incidentId,
    subjectId: subject.id,
    sequence: incident.transitions,
    listed: isListed(event, before, incident.context) ? 1 : 0,
    kind,
    at: tookEffectAt(event, incident.context),
    machine: incident.machine,
    version: incidentVersion,
    event,
    state: incident.value,
    deadlineAt: incident.context.deadlineAt,
    condition: incident.context.condition,
    verdict: judgement.verdict,
    explanation: judgement.explanation,
    evidence: judgement.evidence,
  }
}

/** Returns one message to send. Its facts never change afterwards. `templateOf` null: its Template has no words for it. */
export function alertDocument(
  subject: SubjectDocument,
  incident: IncidentSnapshot,
  judgement: Judgement,
  order: Announcement & { now: number; templateOf: TemplateOf | null },
): AlertDocument {
  const { incidentId } = incident.context
  return {
    id: `${incidentId}.a${incident.alerts}`,
    rev: 1,
    workspaceId: subject.workspaceId,
    subjectId: subject.id,
    incidentId,
    number: incident.alerts,
    kind: order.kind,
    reminder: order.reminder,
    held: order.held ? 'maintenance' : null,
    decidedAt: order.now,
    facts: alertFacts(subject, incident, judgement, order),
    state: 'open',
    deliveries: null,
    expireAt: order.now + limits.keeper.alertMs,
  }
}
