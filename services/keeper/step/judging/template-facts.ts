// Facts of an alert about a Template's rule, copied from the revision and the evidence when the alert is decided. They contain no secret.
// Pure.
import { availability } from '#shared/checks/template-parts.ts'
import type { AlertFacts, AlertRouting, TemplateFacts } from '#shared/contracts/incidents/alert.ts'
import type { IncidentContext } from '#shared/contracts/incidents/incident.ts'
import { checkKind, type Template, type TemplateRule } from '#shared/contracts/resources/template.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { DecisionInput, Evidence } from '#shared/contracts/subjects/verdict.ts'
import { cannotWord } from '#shared/judging/read-input.ts'
import { messageFields } from '#shared/secrecy/message-fields.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { locationOfKey } from '#shared/subjects/resource-signals.ts'
import { jobFacts } from '../schedules/job-facts.ts'
import type { TemplateOf } from '../types.ts'
import { templateRuleOf } from './resource-template.ts'

interface Decided {
  context: IncidentContext
  evidence: Evidence
}

/** Returns no facts for rules without a Template. Throws if the Template is missing or does not declare the rule. */
export function templateFacts(
  subject: SubjectDocument,
  rule: RuleState,
  { context, evidence }: Decided,
  templateOf: TemplateOf,
): Partial<TemplateFacts & Pick<AlertFacts, 'fields' | 'fieldsOmitted' | 'failing' | 'unknown' | 'ok'>> {
  const declared = templateRuleOf(subject, rule, templateOf)
  if (declared === null) return {}
  const template = templateOf(subject)
  const { omitted, truncated } = evidence
  const job = jobFacts(subject, template, evidence)
  const inputs = evidence.inputs.flatMap(({ reading }) => (reading === undefined ? [] : [withoutSecrets(reading)]))
  return {
    ...answeredFields(subject, template),
    ...placesOf(declared, template, evidence),
    ...(template.isSystem && declared.key === availability ? { saysDown: true as const } : {}),
    action: declared.action === null ? null : redactedText(declared.action),
    routing: routingOf(declared),
    resourceKey: subject.slug,
    reasons: reasonsOf(inputs),
    comparisons: { inputs, omitted, truncated },
    condition: context.condition,
    ...(job === null ? {} : { job }),
  }
}

/**
 * Returns the Locations by what was found there, if the rule is that one checked signal fails, and its evidence has every Location. One
 * that cannot make the check does not count.
 */
function placesOf({ decision }: TemplateRule, { signals }: Template, { inputs, omitted }: Evidence) {
  const isFailure =
    'field' in decision && decision.field === 'status' && decision.operator === 'eq' && decision.operand === 'problem'
  const isChecked = isFailure && signals.some(({ key, kind }) => key === decision.signal && kind === checkKind)
  if (!isChecked || omitted > 0) return {}
  const able = inputs.filter(({ reading }) => !reading?.unresolved?.startsWith(cannotWord))
  const named = (value: string) => able.filter(input => input.value === value).map(({ input }) => locationOfKey(input))
  return { failing: named('problem'), unknown: named('unknown'), ok: named('ok') }
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
