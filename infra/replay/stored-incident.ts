// A stored incident against its records: the document that is read, and for an open one the machine as its subject holds it. No record
// determines the document's `rev`, `workspaceId`, `resourceKey` and the rule's words, `ruleShown` among them. Of a closed one no record
// determines its `ruleKey` beyond whether that is the built-in rule's. Pure.

import { isDeepStrictEqual } from 'node:util'
import { statusWords } from '#machines/incident-records.ts'
import type { HeldIncident } from '#shared/contracts/ask/ask-subjects.ts'
import type { HistoryDocument, IncidentContext, IncidentDocument, IncidentState } from '#shared/contracts/incidents/incident.ts'
import { facetsOf } from '#shared/incidents/incident-facets.ts'
import { judgementFaults } from './recorded-judgement.ts'

/** State to which the records lead. */
export interface Reached {
  state: IncidentState
  context: IncidentContext
  /** Messages that the machine ordered on the way. */
  alerts: number
  last: HistoryDocument
  first: HistoryDocument
}

/** `held`: undefined where nobody looked, null where no subject holds the incident as open. */
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
  return [...inFields, ...saidFaults(incident, reached, held), ...(held === undefined ? [] : heldFaults(incident, reached, held))]
}

/**
 * Explanation and evidence are those of the last judgement, which makes a record only where it moves the incident: of a closed one
 * they are the last record's, of an open one perhaps those of the verdict that its subject holds. Without the subject it is known
 * only that such a verdict moves nothing.
 */
function saidFaults(
  incident: IncidentDocument,
  { state, context, last }: Reached,
  held: HeldIncident | null | undefined,
): string[] {
  const verdict = held?.verdict ?? null
  const isAsRecorded = isSaid(incident, last)
  if (state === 'closed' || held === null) return isAsRecorded ? [] : [notLed('its last record')]
  const verdicts = verdict === null ? [context.condition, 'not_judged'] : [verdict.verdict]
  if (verdict !== null && !(isAsRecorded && isToldAlone(last)) && !isSaid(incident, verdict))
    return [notLed('the verdict of its rule')]
  if (isAsRecorded) return []
  const { explanation, evidence } = incident
  const moves = verdict !== null && verdict.verdict !== context.condition && verdict.verdict !== 'not_judged'
  const fits = verdicts.some(word => judgementFaults({ verdict: word, explanation, evidence }, incident.ruleKey).length === 0)
  return fits && !moves ? [] : [notLed('any verdict that leaves it where it is')]
}

/** An acknowledgement brings a judgement of its own, which is not kept as the rule's verdict. */
const isToldAlone = ({ event }: HistoryDocument) => event.type === 'incident.acknowledged'

const notLed = (by: string) => `the explanation and evidence of the stored incident are not those of ${by}`

const isSaid = (
  incident: IncidentDocument,
  { explanation, evidence }: Pick<HistoryDocument, 'explanation' | 'evidence'>,
): boolean => incident.explanation === explanation && isDeepStrictEqual(incident.evidence, evidence)

function heldFaults(
  incident: IncidentDocument,
  { state, context, alerts, first, last }: Reached,
  held: HeldIncident | null,
): string[] {
  if (held === null) return state === 'closed' ? [] : ['no subject holds the incident, though it is open']
  if (state === 'closed') return ['its subject still holds the incident, though it is closed']
  const { snapshot } = held
  const replayed = { machine: 'incident', version: first.version, value: state, transitions: last.sequence, alerts }
  const contexts = Object.entries(context).map(
    ([field, value]) => [field, snapshot.context[field as keyof IncidentContext], value] as const,
  )
  const values = Object.entries(replayed).map(
    ([field, value]) => [field, snapshot[field as keyof typeof replayed], value] as const,
  )
  const owner = held.ruleKey === incident.ruleKey ? [] : [`rule ${held.ruleKey} holds the incident, not ${incident.ruleKey}`]
  const faults = [...values, ...contexts]
    .filter(([, stored, value]) => stored !== value)
    .map(
      ([field, stored, value]) =>
        `its subject holds it with ${field} ${text(field, stored)}, its records lead to ${text(field, value)}`,
    )
  return [...owner, ...faults]
}

const latestAt = 8_640_000_000_000_000

/** Returns a field's value for the text of a fault: an instant as people read one. */
export function text(field: string, value: unknown): string {
  if (value === null) return 'none'
  const isInstant = /^(at|deadline)$|(At|Since)$/.test(field) && typeof value === 'number' && Math.abs(value) <= latestAt
  return isInstant ? new Date(value).toISOString() : String(value)
}
