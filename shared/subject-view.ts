// Subjects as commands and reads answer them, made from their documents: the keeper and the directory answer the same. Pure.
// The signal and the rule's policy of website monitoring are stored nowhere: both follow from the subject's check.
import type { MaintenanceContext } from '#shared/contracts/maintenance.ts'
import type { Policy } from '#shared/contracts/policy.ts'
import type { SignalState } from '#shared/contracts/signal.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subject.ts'
import type {
  CustomSubjectSummary,
  CustomSubjectView,
  RuleView,
  SignalView,
  SubjectView,
  WindowView,
} from '#shared/contracts/subject-views.ts'
import { type FailureMode, type WebsiteCheck, websiteTemplate } from '#shared/contracts/website.ts'
import { limits, second } from '#shared/limits.ts'

export function subjectView(subject: SubjectDocument): SubjectView {
  const { id, rev, workspaceId, slug, name, kind, template, check, createdAt, updatedAt } = subject
  return { id, rev, workspaceId, slug, name, kind, template, check, createdAt, updatedAt }
}

/** The holds of monitors that name none themselves, ms. */
export interface DefaultHolds {
  confirmAfterMs: number
  closeAfterMs: number
}

const usualHolds: DefaultHolds = { confirmAfterMs: limits.policy.holdMs, closeAfterMs: limits.policy.holdMs }

/** A subject with its signals and rules in the order in which they were made, website monitoring's own first. */
export function customSubjectView(subject: SubjectDocument, holds = usualHolds): CustomSubjectView {
  const { id, workspaceId, slug, name, kind, template, createdAt } = subject
  return {
    id,
    workspaceId,
    slug,
    name,
    kind,
    template,
    signals: signalsOf(subject),
    rules: subject.rules.map(rule => ruleView(subject, rule, holds)),
    maintenance: subject.maintenance && windowView(subject.maintenance.context),
    createdAt,
  }
}

/** Whether a subject still fits the bus: asked before a signal or rule is added or grows. */
export const viewFits = (subject: SubjectDocument): boolean =>
  new TextEncoder().encode(JSON.stringify(customSubjectView(subject))).length <= limits.subject.viewBytes

export function customSubjectSummary(subject: SubjectDocument): CustomSubjectSummary {
  const { id, workspaceId, slug, name } = subject
  return { id, workspaceId, slug, name, signalCount: signalsOf(subject).length, ruleCount: subject.rules.length }
}

/** The platform's signal has the subject's slug and name (spec D 1, Observation intake). */
export const signalsOf = (subject: Pick<SubjectDocument, 'slug' | 'name' | 'check' | 'custom'>): SignalView[] => [
  ...(subject.check === null ? [] : [{ slug: subject.slug, name: subject.name, kind: 'platform_http' as const, meta: '{}' }]),
  ...(subject.custom?.signals ?? []).filter(isOfGeneration2).map(signalView),
]

/** A signal that generation 2 shows. */
export type Signal2 = SignalState & { kind: SignalView['kind'] }

/** It shows none that a Template or a sender of generation 3 declared. */
export const isOfGeneration2 = (signal: SignalState): signal is Signal2 =>
  signal.kind === 'custom_heartbeat' || signal.kind === 'custom_event'

export const signalView = ({ slug, name, kind, meta }: Signal2): SignalView => ({ slug, name, kind, meta })

export function ruleView(subject: Pick<SubjectDocument, 'slug' | 'check'>, rule: RuleState, holds = usualHolds): RuleView {
  const { slug, name, policyVersion } = rule
  const isBuiltIn = rule.policy.language !== 'inputs'
  const policy = rule.policy.language === 'inputs' ? rule.policy.document : reachabilityPolicy(subject.slug, subject.check, holds)
  return { slug, name, builtIn: isBuiltIn, policyVersion, policy }
}

export const windowView = ({ startedAt, endsAt, cancelledAt, by }: MaintenanceContext): WindowView => ({
  startedAt,
  endsAt,
  cancelledAt,
  by,
})

/** Whether generations 1 and 2 know the subject: a website monitor, or one made by hand (spec D 3, first lines). */
export const isOfGenerations1And2 = ({ template }: Pick<SubjectDocument, 'template'>): boolean =>
  template === null || template === websiteTemplate

const needs: Record<FailureMode, Policy['need']> = { at_least_one: 'any', majority: 'majority', all: 'all' }

/** The built-in rule in the language of authored ones: one input a location (its id), the quorum is the monitor's agreement. */
function reachabilityPolicy(slug: string, check: WebsiteCheck | null, holds: DefaultHolds): Policy {
  const holdMs = (seconds: number | null | undefined, usualMs: number) =>
    typeof seconds === 'number' ? seconds * second : usualMs
  return {
    inputs: (check?.locations ?? []).map(location => ({
      signal: slug,
      from: null,
      mode: 'status',
      compare: null,
      threshold: null,
      match: { location },
      noDataAfterMs: null,
    })),
    need: needs[check?.failure_mode ?? 'majority'],
    atLeast: null,
    confirmAfterMs: holdMs(check?.confirm_after, holds.confirmAfterMs),
    closeAfterMs: holdMs(check?.recover_after, holds.closeAfterMs),
  }
}
