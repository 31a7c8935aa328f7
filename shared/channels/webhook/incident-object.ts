// Object `incident` in the body for a plain webhook. Pure. Reference: docs/reference/v3.md, 10.9.
import type { AlertDocument, AlertFacts, AlertKind } from '#shared/contracts/incidents/alert.ts'
import type { Condition, DecisionInput, EvidenceInput } from '#shared/contracts/subjects/verdict.ts'
import { limits } from '#shared/limits/limits.ts'
import { cut } from '#shared/text/plain-text.ts'
import { instantOfMicroseconds } from '#shared/time/instants.ts'

export interface IncidentObject {
  id: string
  rule: string
  verdict: Condition
  /** Instruction of the rule for people; null: the rule has none. */
  action: string | null
  transition: 'opened' | 'confirmed' | 'closed' | 'acknowledged'
  lifecycle: 'open' | 'closed'
  confirmation: 'confirmed' | 'unconfirmed'
  at: string
  resource: { key: string; name: string; template: string | null; fields: Record<string, unknown>; fields_omitted: number }
  evidence: { inputs: IncidentInput[]; omitted: number; truncated: boolean }
  evidence_note: string
  /** Page on which its reader takes the incident on. Absent: the destination does not want it. */
  acknowledge_url?: string
}

type IncidentInput = (
  | { signal: string; status: 'ok' | 'problem'; value?: number; at: string | null; reason?: string }
  | { signal: string; unresolved: string }
) &
  Pick<DecisionInput, 'counted' | 'baseline'>

const evidenceNote =
  'Recorded at the moment the transition was decided: a single reading for each input the rule declares. ' +
  'Other observations may have contributed, and things may have changed since.'

const bounds = limits.notifier.evidence
const verdicts: Record<AlertKind, Condition> = {
  opened: 'problem',
  problem: 'problem',
  no_data: 'no_data',
  recovery: 'ok',
  acknowledged: 'problem',
  withdrawn: 'problem',
}
const transitions: Record<AlertKind, IncidentObject['transition']> = {
  opened: 'opened',
  problem: 'confirmed',
  no_data: 'confirmed',
  recovery: 'closed',
  acknowledged: 'acknowledged',
  withdrawn: 'closed',
}

/**
 * Returns the incident as data. For a reminder, this is the latest transition, with the instant at which that transition took effect. `id`:
 * the public incident id. `acknowledgeUrl`: absent: none.
 */
export function incidentObject(alert: AlertDocument, id: string, acknowledgeUrl?: string): IncidentObject {
  const { facts, kind } = alert
  return {
    id,
    rule: facts.ruleKey,
    verdict: facts.condition ?? verdicts[kind],
    action: facts.action ?? null,
    transition: transitions[kind],
    lifecycle: kind === 'recovery' ? 'closed' : 'open',
    confirmation: facts.confirmedAt === null ? 'unconfirmed' : 'confirmed',
    at: new Date(effectiveAt(alert)).toISOString(),
    resource: {
      key: facts.resourceKey ?? facts.subjectSlug,
      name: facts.subjectName,
      template: facts.template,
      ...boundedFields(facts),
    },
    evidence: boundedEvidence(alert),
    evidence_note: evidenceNote,
    ...(acknowledgeUrl === undefined ? {} : { acknowledge_url: acknowledgeUrl }),
  }
}

/** Returns the instant at which the transition took effect, ms since the epoch. */
function effectiveAt({ kind, decidedAt, facts }: AlertDocument): number {
  if (kind === 'acknowledged') return decidedAt
  if (kind === 'opened') return facts.troubleSince
  return (kind === 'recovery' ? facts.closedAt : facts.confirmedAt) ?? decidedAt
}

function boundedFields({ fields, fieldsOmitted }: Pick<AlertFacts, 'fields' | 'fieldsOmitted'>) {
  const all = Object.entries(fields)
  const kept = all
    .slice(0, bounds.fields)
    .map(([key, value]) => [key, typeof value === 'string' ? cut(value, bounds.textCharacters) : value])
  return { fields: Object.fromEntries(kept) as Record<string, unknown>, fields_omitted: fieldsOmitted + all.length - kept.length }
}

function boundedEvidence({ facts }: AlertDocument): IncidentObject['evidence'] {
  if (facts.comparisons !== undefined) return boundedComparisons(facts.comparisons)
  const { inputs, omitted, truncated } = facts.evidence
  const kept = inputs.slice(0, bounds.inputs)
  const shortened = kept.some(({ value, reason }) => value === 'unknown' && [...(reason ?? '')].length > bounds.textCharacters)
  const locations = new Set([...facts.failing, ...facts.unknown, ...facts.ok])
  return {
    inputs: kept.map(one => incidentInput(one, locations.has(one.input) ? 'reachability@' : '')),
    omitted: omitted + inputs.length - kept.length,
    truncated: truncated || shortened || kept.length < inputs.length,
  }
}

function boundedComparisons({ inputs, omitted, truncated }: NonNullable<AlertFacts['comparisons']>): IncidentObject['evidence'] {
  const kept = inputs.slice(0, bounds.inputs)
  const isCut = (text = '') => [...text].length > bounds.textCharacters
  return {
    inputs: kept.map(comparisonInput),
    omitted: omitted + inputs.length - kept.length,
    truncated:
      truncated || kept.length < inputs.length || kept.some(({ reason, unresolved }) => isCut(reason) || isCut(unresolved)),
  }
}

function comparisonInput({ signal, status, value, atUs, reason, unresolved, counted, baseline }: DecisionInput): IncidentInput {
  const more = { ...(counted ? { counted } : {}), ...(baseline ? { baseline } : {}) }
  if (status === undefined) return { signal, unresolved: cut(unresolved ?? 'never reported', bounds.textCharacters), ...more }
  return {
    signal,
    status,
    ...(value === undefined ? {} : { value }),
    at: atUs === undefined ? null : instantOfMicroseconds(atUs),
    ...(reason === undefined ? {} : { reason: cut(reason, bounds.textCharacters) }),
    ...more,
  }
}

function incidentInput({ input, value, at, reason }: EvidenceInput, prefix: string): IncidentInput {
  const signal = prefix + input
  if (value === 'unknown') return { signal, unresolved: cut(reason ?? 'nothing reported', bounds.textCharacters) }
  return { signal, status: value, at: at === null ? null : new Date(at).toISOString() }
}
