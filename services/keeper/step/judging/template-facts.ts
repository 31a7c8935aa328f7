// Facts of an alert about a Template's rule, copied from the revision and the evidence when the alert is decided. They contain no secret.
// Pure.
import type { AlertFacts, AlertKind, AlertRouting, TemplateFacts } from '#shared/contracts/incidents/alert.ts'
import type { IncidentContext } from '#shared/contracts/incidents/incident.ts'
import type { Template, TemplateRule } from '#shared/contracts/resources/template.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { DecisionInput, Evidence } from '#shared/contracts/subjects/verdict.ts'
import { messageFields } from '#shared/secrecy/message-fields.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import type { TemplateOf } from '../types.ts'
import { templateRuleOf } from './resource-template.ts'

interface Decided {
  context: IncidentContext
  kind: AlertKind
  evidence: Evidence
}

/** Returns no facts for rules without a Template. Throws if the Template is missing or does not declare the rule. */
export function templateFacts(
  subject: SubjectDocument,
  rule: RuleState,
  { context, kind, evidence }: Decided,
  templateOf: TemplateOf,
): Partial<TemplateFacts & Pick<AlertFacts, 'fields' | 'fieldsOmitted'>> {
  const declared = templateRuleOf(subject, rule, templateOf)
  if (declared === null) return {}
  const { omitted, truncated } = evidence
  const inputs = evidence.inputs.flatMap(({ reading }) => (reading === undefined ? [] : [withoutSecrets(reading)]))
  return {
    ...answeredFields(subject, templateOf(subject)),
    action: declared.action === null ? null : redactedText(declared.action),
    routing: routingOf(declared),
    resourceKey: subject.slug,
    reasons: reasonsOf(inputs),
    comparisons: { inputs, omitted, truncated },
    condition: context.condition,
    ...(kind === 'acknowledged' && context.acknowledgedBy !== null ? { acknowledgedBy: context.acknowledgedBy } : {}),
  }
}

function routingOf({ routes, destination }: TemplateRule): AlertRouting {
  if (routes !== null) return { routes }
  return destination === null ? null : { destination }
}

/** Returns the reading without the addresses that senders quote in their reasons. */
const withoutSecrets = (reading: DecisionInput): DecisionInput =>
  reading.reason === undefined ? reading : { ...reading, reason: redactedText(reading.reason) }

/** Returns each reason once: several comparisons of one signal read the same reason. */
function reasonsOf(inputs: readonly DecisionInput[]): NonNullable<TemplateFacts['reasons']> {
  const reasons = new Map<string, { signal: string; text: string }>()
  for (const { signal, reason } of inputs) {
    if (reason !== undefined) reasons.set(JSON.stringify([signal, reason]), { signal, text: reason })
  }
  return [...reasons.values()]
}

/** Returns answers with a single value. Lists and possible secrets are left out and counted (v3 10.9). */
function answeredFields({ templated }: SubjectDocument, { fields }: Template): Pick<AlertFacts, 'fields' | 'fieldsOmitted'> {
  const isHidden = (key: string) =>
    fields.some(field => field.key === key && (field.secret || field.type === 'url' || field.type === 'text'))
  return messageFields(templated?.answers ?? {}, isHidden)
}
