// Conversion of a subject's document to a Resource of generation 3, so that keeper and directory return the same. Pure. Reference:
// docs/reference/v3.md, 4.8 and 6.6.
import type {
  ResourceRuleView,
  ResourceSignalView,
  ResourceView,
  RuleStatus,
} from '#shared/contracts/resources/resource-views.ts'
import { type Answers, checkKind, type Template } from '#shared/contracts/resources/template.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { Judgement } from '#shared/judging/judgement.ts'
import { second } from '#shared/limits/limits.ts'
import { comparisonsOf } from '#shared/manifest/read-decision.ts'
import { scheduleView } from '#shared/schedule/schedule-view.ts'
import { hidden } from '#shared/secrecy/redacted-value.ts'
import { isSealed } from '#shared/secrecy/sealed-form.ts'
import { checkedPairs } from '#shared/subjects/checked-pairs.ts'
import { resourceChecks } from '#shared/subjects/resource-checks.ts'
import { reportedKind } from '#shared/subjects/resource-signals.ts'
import { isFault, notJudged, type RevisionFault } from '#shared/subjects/stored-revisions.ts'
import { type DefaultHolds, usualHolds, windowView } from '#shared/subjects/subject-view.ts'
import { ownMember } from '#shared/text/own-member.ts'

/**
 * Returns the Resource. `revision`: its published Template; null: it has none. `holds`: delays of the installation. `at`: present instant, ms.
 * `judged`: function that returns the present judgement of a rule; absent: the last recorded judgement is used. Rules of a missing or damaged Template are not judged, and their explanation says so
 * (v3 4.12).
 */
export function resourceView(
  subject: SubjectDocument,
  revision: Template | RevisionFault | null,
  holds: DefaultHolds | undefined,
  at: number,
  judged?: (rule: RuleState) => Judgement,
): ResourceView {
  const template = isFault(revision) ? null : revision
  const fault = isFault(revision) && subject.archivedAt === null ? notJudged(subject.template, revision) : null
  const { id, rev, workspaceId, slug, name, kind, check, labels, createdAt, archivedAt, maintenance, templated } = subject
  return {
    id,
    rev,
    workspaceId,
    key: slug,
    name,
    kind,
    template: subject.template,
    answers: templated && shownAnswers(templated.answers),
    ...secretsIn(templated?.answers ?? {}),
    check,
    usualDelays: check === null ? null : delaysOf(holds ?? usualHolds),
    labels,
    createdAt,
    archivedAt,
    signals: signalsOf(subject, template, at),
    ...(templated?.checks === undefined ? {} : { checks: resourceChecks(subject) }),
    rules: subject.rules.map(rule => ({
      ...ruleView(rule, template, judged?.(rule)),
      ...(fault === null ? {} : { status: 'no_data' as const, explanation: fault, since: null }),
    })),
    maintenance: maintenance && windowView(maintenance.context),
  }
}

const delaysOf = ({ confirmAfterMs, closeAfterMs }: DefaultHolds) => ({
  confirmAfter: confirmAfterMs / second,
  recoverAfter: closeAfterMs / second,
})

/** Returns the answers without secrets, which are shown to nobody. */
const shownAnswers = (answers: Answers): Answers =>
  Object.values(answers).some(isSealed)
    ? Object.fromEntries(Object.entries(answers).map(([key, answer]) => [key, isSealed(answer) ? hidden : answer]))
    : answers

function secretsIn(answers: Answers): Pick<ResourceView, 'secrets'> {
  const sealed = Object.entries(answers).filter(([, answer]) => isSealed(answer))
  return sealed.length === 0 ? {} : { secrets: Object.fromEntries(sealed) }
}

function signalsOf(subject: SubjectDocument, template: Template | null, at: number): ResourceSignalView[] {
  const kind: ResourceSignalView['kind'] = subject.check === null ? checkKind : 'heartbeat'
  const platform = checkedPairs(subject).map(({ key }) => ({ id: key, key, kind, isPlatform: true }))
  const others = (subject.custom?.signals ?? []).map(signal => {
    const { key: id, slug: key } = signal
    return { id, key, kind: reportedKind(signal, template), isPlatform: false, ...scheduleIn(subject, key, at) }
  })
  return [...platform, ...others]
}

function scheduleIn({ templated }: SubjectDocument, signal: string, at: number): Pick<ResourceSignalView, 'schedule'> {
  const state = ownMember(templated?.schedules ?? {}, signal)
  return state === undefined ? {} : { schedule: scheduleView(state, ownMember(templated?.heard ?? {}, signal), at) }
}

function ruleView(rule: RuleState, template: Template | null, judgement: Judgement | undefined): ResourceRuleView {
  const declared = template?.rules.find(({ key }) => key === rule.key)
  const said = judgement ?? rule.verdict
  const status = said && statusOf(said)
  const recorded = rule.verdict && statusOf(rule.verdict)
  const incident = rule.incident
  return {
    key: rule.policy.language === 'inputs' ? rule.slug : rule.key,
    signals: declared === undefined ? [] : [...new Set(comparisonsOf(declared.decision).map(({ signal }) => signal))],
    status,
    explanation: status === null ? null : (said?.explanation ?? null),
    since: status !== null && recorded === status ? (rule.verdict?.since ?? null) : null,
    openIncident: incident?.context.incidentId ?? null,
    standing: incident === null || incident.value === 'closed' ? null : standings[incident.value],
    action: declared?.action ?? null,
    destination: declared?.destination ?? null,
    routes: declared?.routes ?? null,
  }
}

const standings = { pending: 'unconfirmed', problem: 'problem', noData: 'no_data', recovering: 'recovering' } as const

/**
 * Returns the status of a rule. `not_judged` becomes `no_data` once a signal of the rule has reported, so that a silent sender is not shown
 * as ok.
 */
export function statusOf({ verdict, isHeard }: Pick<Judgement, 'verdict' | 'isHeard'>): RuleStatus {
  if (verdict !== 'not_judged') return verdict
  return isHeard ? 'no_data' : null
}
