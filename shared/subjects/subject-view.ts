// Conversion of subjects' documents to the views that commands and reads return, so that keeper and directory return the same. Pure. The
// signal and the policy of a website check are not stored, because both follow from the check.

import type { MaintenanceContext, WindowView } from '#shared/contracts/incidents/maintenance.ts'
import type { FailureMode, StoredCheck } from '#shared/contracts/subjects/check.ts'
import type { Policy } from '#shared/contracts/subjects/policy.ts'
import type { SignalState } from '#shared/contracts/subjects/signal.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type {
  CustomSubjectSummary,
  CustomSubjectView,
  RuleView,
  SignalView,
  SubjectView,
} from '#shared/contracts/subjects/subject-views.ts'
import { limits, second } from '#shared/limits/limits.ts'

export function subjectView(subject: SubjectDocument): SubjectView {
  const { id, rev, workspaceId, slug, name, kind, template, check, createdAt, updatedAt } = subject
  return { id, rev, workspaceId, slug, name, kind, template, check, createdAt, updatedAt }
}

/** Delays of monitors that have no delays of their own, ms. */
export interface DefaultHolds {
  confirmAfterMs: number
  closeAfterMs: number
}

export const usualHolds: DefaultHolds = { confirmAfterMs: limits.policy.holdMs, closeAfterMs: limits.policy.holdMs }

/** Returns a subject with its signals and rules in the order of their creation, but first the signal and the rule of the website check. */
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

/**
 * Returns true if the view of the subject fits into one message on the bus. Callers check this before they add or enlarge a signal or a
 * rule.
 */
export const viewFits = (subject: SubjectDocument): boolean =>
  new TextEncoder().encode(JSON.stringify(customSubjectView(subject))).length <= limits.subject.viewBytes

export function customSubjectSummary(subject: SubjectDocument): CustomSubjectSummary {
  const { id, workspaceId, slug, name } = subject
  return { id, workspaceId, slug, name, signalCount: signalsOf(subject).length, ruleCount: subject.rules.length }
}

/**
 * Returns the signals that generation 2 shows. The signal of a website check has the subject's slug and name (reference/custom-subjects
 * 2.3).
 */
export const signalsOf = (subject: Pick<SubjectDocument, 'slug' | 'name' | 'check' | 'custom'>): SignalView[] => [
  ...(subject.check === null ? [] : [{ slug: subject.slug, name: subject.name, kind: 'platform_http' as const, meta: '{}' }]),
  ...(subject.custom?.signals ?? []).filter(isOfGeneration2).map(signalView),
]

/** A signal that generation 2 shows. */
export type Signal2 = SignalState & { kind: SignalView['kind'] }

/** Returns false for signals of a Template and signals that a sender of generation 3 declared. */
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

const needs: Record<FailureMode, Policy['need']> = { at_least_one: 'any', majority: 'majority', all: 'all' }

/** Returns the built-in rule in the language of authored rules: one input for each location, and the failure mode as quorum. */
function reachabilityPolicy(slug: string, check: StoredCheck | null, holds: DefaultHolds): Policy {
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
