// What an alert says of its subject, frozen when it is decided. It carries no secret: no request body, no credentials of an address
// (spec E 0). Pure.
import type { AlertFacts, AlertKind } from '#shared/contracts/alert.ts'
import type { IncidentSnapshot } from '#shared/contracts/incident.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import type { Evidence } from '#shared/contracts/verdict.ts'
import type { WebsiteMeta } from '#shared/contracts/website.ts'
import type { Judgement } from '#shared/judging/judgement.ts'
import { redactedText, redactedUrl } from '#shared/redaction.ts'

export function alertFacts(
  subject: SubjectDocument,
  { context }: IncidentSnapshot,
  judgement: Judgement,
  kind: AlertKind,
): AlertFacts {
  const evidence = withoutSecrets(judgement.evidence)
  const { inputs } = evidence
  const rule = subject.rules.find(candidate => candidate.key === context.ruleKey)
  const ofLocations = rule?.builtIn === true
  const named = (value: string) => inputs.filter(input => ofLocations && input.value === value).map(input => input.input)
  const failing = inputs.find(input => input.value === 'problem')
  return {
    subjectName: subject.name,
    subjectSlug: subject.slug,
    ruleKey: ofLocations ? context.ruleKey : (rule?.slug ?? context.ruleKey),
    template: subject.template,
    url: subject.meta === null ? '' : redactedUrl(subject.meta.url),
    ...shownFields(subject.meta),
    evidence,
    failing: named('problem'),
    unknown: named('unknown'),
    ok: named('ok'),
    error: kind === 'recovery' ? '' : (failing?.reason ?? ''),
    explanation: judgement.explanation,
    troubleSince: context.troubleSince,
    confirmedAt: context.confirmedAt,
    wellSince: context.wellSince,
    closedAt: context.closedAt,
  }
}

/** An address and a request body may be secret, and stay out whatever they are. */
const hiddenFields: ReadonlySet<string> = new Set(['url', 'data'] satisfies (keyof WebsiteMeta)[])

/** Single values alone: a list is left out and counted, as is what may be secret (spec E 10.9). */
function shownFields(meta: WebsiteMeta | null): Pick<AlertFacts, 'fields' | 'fieldsOmitted'> {
  const all = Object.entries(meta ?? {})
  const shown = all.filter(([key, value]) => !hiddenFields.has(key) && !Array.isArray(value))
  return { fields: Object.fromEntries(shown), fieldsOmitted: all.length - shown.length }
}

/** Senders quote addresses in their errors. */
const withoutSecrets = (evidence: Evidence): Evidence => ({
  ...evidence,
  inputs: evidence.inputs.map(input => ({ ...input, reason: input.reason === null ? null : redactedText(input.reason) })),
})
