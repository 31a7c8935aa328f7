// Result of a preview in the form of generation 3. `./watchkeeper template check` prints the same object. Reference: docs/reference/v3.md,
// 3.11, 4.10 and 5.2.
import { Type } from 'typebox'
import type { PreviewEntry, PreviewEvidence, PreviewIncident, PreviewRule } from '#shared/contracts/resources/preview.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { DecisionInput, EvidenceInput } from '#shared/contracts/subjects/verdict.ts'
import { unnoticedSilence } from '#shared/manifest/decision-reads.ts'
import { timestamp, timestampOrNull } from '../../body/instants.ts'
import { Answered, Instant, OrNull } from '../../body/result-schema.ts'
import { Evidence, evidenceObject } from '../incidents/evidence-object.ts'
import { ClosedReason, transition, writeTransition } from '../incidents/incident-object.ts'
import { TemplateObject, templateObject } from './template-object.ts'

export function previewObject(template: Template, rules: readonly PreviewRule[], isRedacted: boolean) {
  return { template: templateObject(template, isRedacted), rules: rules.map(ruleObject), warnings: unnoticedSilence(template) }
}

const ruleObject = ({ key, status, explanation, evidence, incidents, incidentsOmitted }: PreviewRule) => ({
  key,
  status,
  explanation,
  evidence: evidenceOf(evidence),
  incidents: incidents.map(incidentObject),
  ...(incidentsOmitted === 0 ? {} : { incidents_omitted: incidentsOmitted }),
})

const incidentObject = ({ openedAt, confirmedAt, closedAt, closedReason, history, historyOmitted }: PreviewIncident) => ({
  opened_at: timestamp(openedAt),
  confirmed_at: timestampOrNull(confirmedAt),
  closed_at: timestampOrNull(closedAt),
  closed_reason: closedReason,
  history: history.map(entryObject),
  ...(historyOmitted === 0 ? {} : { history_omitted: historyOmitted }),
})

const entryObject = (entry: PreviewEntry) =>
  writeTransition({ ...entry, verdict: entry.condition, evidence: entry.evidence && evidenceOf(entry.evidence) })

const evidenceOf = ({ inputs, ...bounds }: PreviewEvidence) =>
  evidenceObject({ ...bounds, inputs: inputs.map(recordedInput) }, false)

const recordedInput = (reading: DecisionInput): EvidenceInput => ({
  input: reading.signal,
  value: reading.status ?? 'unknown',
  at: null,
  reason: reading.reason ?? reading.unresolved ?? null,
  reading,
})

const explained = { examples: ['beat problem'] }

const Incident = Answered('PreviewIncident', {
  opened_at: Instant,
  confirmed_at: OrNull(Instant),
  closed_at: OrNull(Instant),
  closed_reason: OrNull(ClosedReason),
  history: Type.Array(Type.Object(transition)),
  history_omitted: Type.Optional(Type.Integer({ description: 'Its oldest entries, left out of a large answer.' })),
})

export const PreviewObject = Answered('Preview', {
  template: TemplateObject,
  rules: Type.Array(
    Type.Object({
      key: Type.String({ examples: ['failing'] }),
      status: OrNull(Type.Enum(['problem', 'ok', 'no_data'])),
      explanation: OrNull(Type.String(explained)),
      evidence: Evidence,
      incidents: Type.Array(Incident, { description: 'In the order in which they opened.' }),
      incidents_omitted: Type.Optional(Type.Integer({ description: 'The oldest ones, left out of a large answer.' })),
    }),
  ),
  warnings: Type.Array(
    Type.Object({
      signal: Type.String({ examples: ['beat'] }),
      text: Type.String({ examples: ['No rule notices when beat falls silent'] }),
    }),
    {
      description: 'One for each signal whose silence no rule would notice.',
    },
  ),
})
