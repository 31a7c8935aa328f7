// A preview as generation 3 writes it; `./watchkeeper template check` prints the same. Rules: docs/reference/v3.md, 3.11, 4.10 and 5.2.
import { Type } from 'typebox'
import type { KeyScope } from '#shared/contracts/account.ts'
import type { PreviewEntry, PreviewEvidence, PreviewIncident, PreviewRule } from '#shared/contracts/preview.ts'
import type { Template } from '#shared/contracts/template.ts'
import type { DecisionInput } from '#shared/contracts/verdict.ts'
import { instantOfMicroseconds } from '#shared/instants.ts'
import { unnoticedSilence } from '#shared/manifest/unnoticed-silence.ts'
import { timestamp, timestampOrNull } from '../instants.ts'
import { Answered, Instant, OrNull } from '../result-schema.ts'
import { TemplateObject, templateObject } from './template-object.ts'

/** `scope`: of the key that reads. */
export function previewObject(template: Template, rules: readonly PreviewRule[], scope: KeyScope | null) {
  return { template: templateObject(template, scope), rules: rules.map(ruleObject), warnings: unnoticedSilence(template) }
}

const ruleObject = ({ key, status, explanation, evidence, incidents, incidentsOmitted }: PreviewRule) => ({
  key,
  status,
  explanation,
  evidence: evidenceObject(evidence),
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

const entryObject = ({ at, kind, condition, explanation, evidence }: PreviewEntry) => ({
  at: timestamp(at),
  kind,
  condition,
  verdict: condition,
  explanation,
  evidence: evidence && evidenceObject(evidence),
})

const evidenceObject = ({ inputs, omitted, truncated }: PreviewEvidence) => ({
  inputs: inputs.map(inputObject),
  omitted,
  truncated,
})

/** Either `unresolved`, or `status` with what else was read. */
function inputObject({ signal, status, value, atUs, reason, unresolved, counted, baseline }: DecisionInput) {
  const more = { ...(counted === undefined ? {} : { counted }), ...(baseline === undefined ? {} : { baseline }) }
  if (status === undefined) return { signal, unresolved: unresolved ?? 'never reported', ...more }
  return {
    signal,
    status,
    ...(value === undefined ? {} : { value }),
    ...(atUs === undefined ? {} : { at: instantOfMicroseconds(atUs) }),
    ...(reason === undefined ? {} : { reason }),
    ...more,
  }
}

const explained = { examples: ['beat problem'] }

const Evidence = Answered('PreviewEvidence', {
  inputs: Type.Array(
    Type.Object({
      signal: Type.String({ examples: ['beat'] }),
      status: Type.Optional(Type.Enum(['ok', 'problem'])),
      value: Type.Optional(Type.Number()),
      at: Type.Optional(Instant),
      reason: Type.Optional(Type.String({ examples: ['disk full'] })),
      unresolved: Type.Optional(Type.String({ description: 'Why there is no usable reading.', examples: ['never reported'] })),
      counted: Type.Optional(Type.Object({ matching: Type.Integer(), required: Type.Integer(), within_seconds: Type.Integer() })),
      baseline: Type.Optional(
        Type.Object({
          days: Type.Integer(),
          required: Type.Integer(),
          samples: Type.Integer(),
          median: OrNull(Type.Number()),
        }),
      ),
    }),
  ),
  omitted: Type.Integer(),
  truncated: Type.Boolean(),
})

const Condition = Type.Enum(['ok', 'problem', 'no_data'])

const Incident = Answered('PreviewIncident', {
  opened_at: Instant,
  confirmed_at: OrNull(Instant),
  closed_at: OrNull(Instant),
  closed_reason: OrNull(Type.Enum(['recovered', 'rule_removed', 'resource_archived'])),
  history: Type.Array(
    Type.Object({
      at: Instant,
      kind: Type.Enum(['opened', 'confirmed', 'verdict_changed', 'closed']),
      condition: Condition,
      verdict: Condition,
      explanation: Type.String(explained),
      evidence: OrNull(Evidence),
    }),
  ),
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
