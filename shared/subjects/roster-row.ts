// Conversion of a subject's document to a row of its workspace's roster, so that keeper and directory return the same. Pure.
import type { IncidentCause, IncidentSnapshot, IncidentState, NextStep } from '#shared/contracts/incidents/incident.ts'
import type { RosterIncident, RosterRow } from '#shared/contracts/subjects/roster.ts'
import type { RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { redactedCause } from '#shared/incidents/cause-text.ts'
import { causeOf } from '#shared/judging/incident-cause.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { statusOf } from '#shared/subjects/resource-view.ts'
import { watchedBy } from '#shared/subjects/watched-line.ts'

/** Returns the next step of an open incident by time alone, as `nextStep` of `machines/incident-outlook.ts`. */
export type NextStepOf = (
  incident: Pick<IncidentSnapshot, 'value' | 'context'>,
  outlook: { isDecided: boolean; mutedTo: number | null },
) => NextStep | null

/** Largest number of characters of an explanation in a row. */
const explanationCharacters = 200

/** Returns the row of a subject; null: the subject is archived or deleted, and has no row. */
export function rosterRow(subject: SubjectDocument, nextStepOf: NextStepOf): RosterRow | null {
  const { id, rev, slug: key, name, kind, template, archivedAt, deletedAt, maintenance } = subject
  if (archivedAt !== null || deletedAt !== null) return null
  const mutedTo = maintenance?.context.endsAt ?? null
  const isPartlyKnown = subject.rules.some(isCalm)
  const open = subject.rules.flatMap(openIncident).sort(byTrouble)
  // Where another rule is ok, one without data is the least of what is wrong.
  const worst = (isPartlyKnown ? open.find(({ incident }) => incident.value !== 'noData') : null) ?? open[0]
  const base = { id, rev, key, name, kind, template, ...watchedBy(subject), incidents: open.length, maintenanceUntil: mutedTo }
  if (worst === undefined) return { ...base, ...restingState(subject.rules), incident: null }
  const { value, context } = worst.incident
  const since = value === 'recovering' ? context.wellSince : value === 'pending' ? context.troubleSince : context.effectiveAt
  const status = isPartlyKnown && value === 'noData' ? 'partly_known' : statuses[value]
  return { ...base, status, since, why: null, incident: rosterIncident(worst, mutedTo, nextStepOf) }
}

/** Returns whether a rule is ok and has no open incident. */
const isCalm = (rule: RuleState): boolean => rule.verdict?.verdict === 'ok' && openIncident(rule).length === 0

interface Open {
  rule: RuleState
  incident: IncidentSnapshot & { value: Exclude<IncidentState, 'closed'> }
}

function openIncident(rule: RuleState): Open[] {
  const { incident } = rule
  if (incident === null || incident.value === 'closed') return []
  return [{ rule, incident: { ...incident, value: incident.value } }]
}

const statuses = { problem: 'down', noData: 'no_data', pending: 'pending', recovering: 'recovering' } as const
const order: readonly IncidentState[] = ['problem', 'noData', 'pending', 'recovering']

/** Sorts open incidents by severity, worst first, then by start. */
const byTrouble = ({ incident: one }: Open, { incident: other }: Open): number =>
  order.indexOf(one.value) - order.indexOf(other.value) || one.context.troubleSince - other.context.troubleSince

function rosterIncident({ rule, incident }: Open, mutedTo: number | null, nextStepOf: NextStepOf): RosterIncident {
  const { incidentId, acknowledgedAt: at, acknowledgedBy: by } = incident.context
  const isDecided = rule.verdict !== null && rule.verdict.verdict !== 'not_judged'
  return {
    id: incidentId,
    rule: incident.words.rule.key,
    cause: incident.cause == null ? null : redactedCause(incident.cause),
    explanation: redactedText(rule.verdict?.explanation ?? '').slice(0, explanationCharacters),
    acknowledged: at === null || by === null ? null : { at, by },
    next: nextStepOf(incident, { isDecided, mutedTo }),
  }
}

/**
 * Returns the state of a subject without an open incident, by the last verdicts of its rules. A rule that cannot decide does not hide that
 * another rule is ok. `since`: start of the latest of the verdicts that give the status.
 */
function restingState(rules: readonly RuleState[]): Pick<RosterRow, 'status' | 'since' | 'why'> {
  const said = rules.flatMap(rule =>
    rule.verdict === null ? [] : [{ rule, word: statusOf(rule.verdict), since: rule.verdict.since }],
  )
  for (const [word, status] of resting) {
    const found = said.filter(one => one.word === word).toSorted((one, other) => other.since - one.since)
    const [latest] = found
    if (latest === undefined) continue
    const isPartlyKnown = status === 'no_data' && rules.some(isCalm)
    return {
      status: isPartlyKnown ? 'partly_known' : status,
      since: latest.since,
      why: status === 'up' ? null : whyOf(latest.rule),
    }
  }
  return {
    status: 'unknown',
    since: null,
    why: ownWords(rules.length === 0 ? 'no rule judges it yet' : 'waiting for its first report'),
  }
}

/** A rule with the verdict problem or no data has an open incident, except during a judgement. */
const resting = [
  ['problem', 'pending'],
  ['no_data', 'no_data'],
  ['ok', 'up'],
] as const

/** Returns what a rule without an open incident finds wrong, or why it cannot decide. */
function whyOf({ verdict: last, policy }: RuleState): IncidentCause | null {
  if (last === null) return null
  const verdict = last.verdict === 'problem' ? 'problem' : 'no_data'
  const cause = causeOf({ ...last, verdict }, policy.language === 'reachability')
  return cause && redactedCause(cause)
}

const ownWords = (reason: string): IncidentCause => ({ input: null, isLocation: false, reason, at: null, isSilence: true })
