// Check of both stored forms of an incident against the incident's records. The forms are the document that reads return and, if the
// incident is open, the snapshot in its subject. Pure. Some fields are not checked, because records do not determine them: `rev`,
// `workspaceId`, `resourceKey`, `ruleShown` and the names of the rule. For a closed incident, the check only compares `ruleKey` with the
// built-in key. Of `cause` only the form is checked, and that both stored forms agree: a report may change it without a record.

import { isDeepStrictEqual } from 'node:util'
import { statusWords } from '#machines/incident-records.ts'
import type { HeldIncident } from '#shared/contracts/ask/ask-subjects.ts'
import type {
  HistoryDocument,
  IncidentCause,
  IncidentContext,
  IncidentDocument,
  IncidentState,
} from '#shared/contracts/incidents/incident.ts'
import { facetsOf } from '#shared/incidents/incident-facets.ts'
import { judgementFaults } from './recorded-judgement.ts'

export interface Reached {
  state: IncidentState
  context: IncidentContext
  /** Number of messages that the machine has requested. */
  alerts: number
  last: HistoryDocument
  first: HistoryDocument
}

/**
 * Returns the faults of a stored incident. `held`: the incident in its subject's document; null: no subject has the incident; undefined:
 * the subject was not read.
 */
export function storedFaults(incident: IncidentDocument, reached: Reached, held: HeldIncident | null | undefined): string[] {
  const { state, context } = reached
  const { condition, troubleSince, confirmedAt, wellSince, closedAt, closedReason } = context
  const { acknowledgedAt, acknowledgedBy, acknowledgedVia } = context
  const replayed = {
    id: `${incident.subjectId}.${incident.number}`,
    open: state === 'closed' ? 0 : 1,
    facets: facetsOf({ isOpen: state !== 'closed', isConfirmed: confirmedAt !== null, isAcknowledged: acknowledgedAt !== null }),
    status: statusWords[state],
    condition,
    troubleSince,
    confirmedAt,
    wellSince,
    closedAt,
    closedReason,
    acknowledgedAt,
    acknowledgedBy,
    acknowledgedVia,
    effectiveAt: context.effectiveAt,
    deadlineAt: context.deadlineAt,
  } satisfies Partial<IncidentDocument>
  const inFields = Object.entries(replayed).flatMap(([field, value]) => {
    const stored = incident[field as keyof typeof replayed]
    return stored === value
      ? []
      : [`the stored incident has ${field} ${text(field, stored)}, its records lead to ${text(field, value)}`]
  })
  return [
    ...inFields,
    ...explanationFaults(incident, reached, held),
    ...(incident.cause == null || isCause(incident.cause) ? [] : ['the cause of the stored incident has a wrong form']),
    ...(held === undefined ? [] : heldFaults(incident, reached, held)),
  ]
}

/**
 * Returns the faults of explanation and evidence, which come from the last judgement. If the last judgement caused no transition, it has no
 * record. The incident's explanation and evidence must then equal those that the subject stores with the rule's verdict. If the subject was
 * not read, explanation and evidence must fit some verdict that causes no transition.
 */
function explanationFaults(
  incident: IncidentDocument,
  { state, context, last }: Reached,
  held: HeldIncident | null | undefined,
): string[] {
  const verdict = held?.verdict ?? null
  const isAsRecorded = hasJudgementOf(incident, last)
  if (state === 'closed' || held === null) return isAsRecorded ? [] : [notExplainedBy('its last record')]
  const verdicts = verdict === null ? [context.condition, 'not_judged'] : [verdict.verdict]
  if (verdict !== null && !(isAsRecorded && isOfAcknowledgement(last)) && !hasJudgementOf(incident, verdict))
    return [notExplainedBy('the verdict of its rule')]
  if (isAsRecorded) return []
  const { explanation, evidence } = incident
  const moves = verdict !== null && verdict.verdict !== context.condition && verdict.verdict !== 'not_judged'
  const fits = verdicts.some(word => judgementFaults({ verdict: word, explanation, evidence }, incident.ruleKey).length === 0)
  return fits && !moves ? [] : [notExplainedBy('any verdict that leaves the incident unchanged')]
}

/**
 * Returns true if an acknowledgement caused the record's judgement. The verdict of this judgement is not stored as the verdict of the rule.
 */
const isOfAcknowledgement = ({ event }: HistoryDocument) => event.type === 'incident.acknowledged'

const notExplainedBy = (by: string) => `the explanation and evidence of the stored incident are not those of ${by}`

const hasJudgementOf = (
  incident: IncidentDocument,
  { explanation, evidence }: Pick<HistoryDocument, 'explanation' | 'evidence'>,
): boolean => incident.explanation === explanation && isDeepStrictEqual(incident.evidence, evidence)

function heldFaults(
  incident: IncidentDocument,
  { state, context, alerts, first, last }: Reached,
  held: HeldIncident | null,
): string[] {
  if (held === null) return state === 'closed' ? [] : ['the incident is open, but no subject has it']
  if (state === 'closed') return ['the incident is closed, but its subject still has it']
  const { snapshot } = held
  const replayed = { machine: 'incident', version: first.version, value: state, transitions: last.sequence, alerts }
  const contexts = Object.entries(context).map(
    ([field, value]) => [field, snapshot.context[field as keyof IncidentContext], value] as const,
  )
  const values = Object.entries(replayed).map(
    ([field, value]) => [field, snapshot[field as keyof typeof replayed], value] as const,
  )
  const causes = isDeepStrictEqual(snapshot.cause, incident.cause) ? [] : ['its subject has it with another cause']
  const owner = held.ruleKey === incident.ruleKey ? [] : [`rule ${held.ruleKey} has the incident, not ${incident.ruleKey}`]
  const faults = [...values, ...contexts]
    .filter(([, stored, value]) => stored !== value)
    .map(
      ([field, stored, value]) =>
        `its subject has it with ${field} ${text(field, stored)}, its records lead to ${text(field, value)}`,
    )
  return [...owner, ...faults, ...causes]
}

/** Returns whether a stored cause has the form of one. Without an input, the cause is the explanation of the rule. */
function isCause({ input, isLocation, reason, at, isSilence }: IncidentCause): boolean {
  const isOfRule = input === null && isLocation === false && at === null
  const isOfInput = typeof input === 'string' && typeof isLocation === 'boolean' && (at === null || Number.isFinite(at))
  return (isOfRule || isOfInput) && typeof reason === 'string' && typeof isSilence === 'boolean'
}

const latestAt = 8_640_000_000_000_000

/** Returns the value of a field for the text of a fault. An instant is shown as a date. */
export function text(field: string, value: unknown): string {
  if (value === null) return 'none'
  const isInstant = /^(at|deadline)$|(At|Since)$/.test(field) && typeof value === 'number' && Math.abs(value) <= latestAt
  return isInstant ? new Date(value).toISOString() : String(value)
}
