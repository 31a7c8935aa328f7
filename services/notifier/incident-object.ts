// The `incident` object of a plain webhook's body (spec C, Events; `lifecycle` and `confirmation` by spec D 3).
import type { AlertDocument, AlertFacts } from '#shared/contracts/alert.ts'
import type { EvidenceInput } from '#shared/contracts/verdict.ts'
import { limits } from '#shared/limits.ts'
import { cut } from '#shared/plain-text.ts'

export interface IncidentObject {
  id: string
  rule: string
  verdict: 'problem' | 'no_data' | 'ok'
  /** What the rule tells a person to do; null where it says nothing. */
  action: string | null
  transition: 'confirmed' | 'closed'
  lifecycle: 'open' | 'closed'
  confirmation: 'confirmed' | 'unconfirmed'
  at: string
  resource: { key: string; name: string; template: string | null; fields: Record<string, unknown>; fields_omitted: number }
  evidence: { inputs: IncidentInput[]; omitted: number; truncated: boolean }
  evidence_note: string
}

type IncidentInput = { signal: string; status: 'ok' | 'problem'; at: string | null } | { signal: string; unresolved: string }

const evidenceNote =
  'Recorded at the moment the transition was decided: a single reading for each input the rule declares. ' +
  'Other observations may have contributed, and things may have changed since.'

const bounds = limits.notifier.evidence
const verdicts = { problem: 'problem', no_data: 'no_data', recovery: 'ok' } as const

/** A reminder repeats the latest transition, with the instant at which that took effect. `id` is the public incident id. */
export function incidentObject(alert: AlertDocument, id: string): IncidentObject {
  const { facts } = alert
  const closed = alert.kind === 'recovery'
  const effectiveAt = (closed ? facts.closedAt : facts.confirmedAt) ?? alert.decidedAt
  return {
    id,
    rule: facts.ruleKey,
    verdict: verdicts[alert.kind],
    // The alert's facts carry no action text: the rules that website monitoring maintains have none.
    action: null,
    transition: closed ? 'closed' : 'confirmed',
    lifecycle: closed ? 'closed' : 'open',
    confirmation: facts.confirmedAt === null ? 'unconfirmed' : 'confirmed',
    at: new Date(effectiveAt).toISOString(),
    resource: {
      key: facts.subjectSlug,
      name: facts.subjectName,
      template: facts.template,
      ...boundedFields(facts),
    },
    evidence: boundedEvidence(alert),
    evidence_note: evidenceNote,
  }
}

function boundedFields({ fields, fieldsOmitted }: Pick<AlertFacts, 'fields' | 'fieldsOmitted'>) {
  const all = Object.entries(fields)
  const kept = all
    .slice(0, bounds.fields)
    .map(([key, value]) => [key, typeof value === 'string' ? cut(value, bounds.textCharacters) : value])
  return { fields: Object.fromEntries(kept) as Record<string, unknown>, fields_omitted: fieldsOmitted + all.length - kept.length }
}

function boundedEvidence({ facts }: AlertDocument): IncidentObject['evidence'] {
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

function incidentInput({ input, value, at, reason }: EvidenceInput, prefix: string): IncidentInput {
  const signal = prefix + input
  if (value === 'unknown') return { signal, unresolved: cut(reason ?? 'nothing reported', bounds.textCharacters) }
  return { signal, status: value, at: at === null ? null : new Date(at).toISOString() }
}
