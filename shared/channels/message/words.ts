// Texts of messages, for the built-in body and for payload templates. Pure. Every returned foreign text is one line without control
// characters. Reference: docs/reference/v3.md, 10.7 and 10.8.
import type { AlertDocument, AlertProblem, TableKind } from '#shared/contracts/incidents/alert.ts'
import { causeText } from '#shared/incidents/cause-text.ts'
import { limits } from '#shared/limits/limits.ts'
import { humanDuration } from '#shared/time/durations.ts'
import { jobTitle } from './job-words.ts'
import { oneLine } from './one-line.ts'

export type LocationName = (locationId: string) => string

/** Makes foreign text safe for the receiver. */
export type Guard = (text: string) => string

const { errorCharacters, nameCharacters, keyCharacters, explanationCharacters, evidence: evidenceBounds } = limits.notifier

/** The reason, and the name of the place in brackets. */
const causeCharacters = evidenceBounds.textCharacters + nameCharacters + 3

export const testTitle = 'Test message'
export const testWords = `${testTitle}. Nothing is wrong.`

const asItIs: Guard = text => text

export function titleOf(alert: AlertDocument, guard: Guard = asItIs): string {
  const { kind, facts } = alert
  if (facts.isTest) return testTitle
  const name = guard(subjectOf(alert))
  if (facts.job !== undefined && kind !== 'acknowledged' && kind !== 'withdrawn')
    return jobTitle(name, kind, facts.job, facts.ruleKey)
  const by = guard(oneLine(facts.acknowledgedBy ?? '', nameCharacters))
  const action = guard(actionOf(alert))
  if (action === '' || facts.saysDown) {
    return {
      opened: `${name} may be down`,
      problem: `${name} is down`,
      no_data: `${name} — no data`,
      recovery: `${name} is back up`,
      acknowledged: `${name} — taken by ${by}`,
      withdrawn: `${name} — withdrawn`,
    }[kind]
  }
  const about = `${name}: ${facts.ruleKey}`
  return {
    opened: `${about} opened — ${action}`,
    problem: `${about} — ${action}`,
    no_data: `${about} — no data`,
    recovery: `${about} is over`,
    acknowledged: `${about} — taken by ${by}`,
    withdrawn: `${about} — withdrawn`,
  }[kind]
}

export const subjectOf = ({ facts }: AlertDocument): string => oneLine(facts.subjectName, nameCharacters)

export const resourceKeyOf = ({ facts }: AlertDocument): string => oneLine(facts.resourceKey ?? facts.subjectSlug, keyCharacters)

/** Returns the action text of a Template's rule; empty for other rules. */
export const actionOf = ({ facts }: AlertDocument): string => oneLine(facts.action ?? '', errorCharacters)

export const explanationOf = ({ facts }: AlertDocument): string => oneLine(facts.explanation, explanationCharacters)

/** Returns the address of the subject's page, which shows its timeline. */
export const linkOf = ({ subjectId }: AlertDocument, publicUrl: string): string =>
  `${publicUrl}/subjects/${encodeURIComponent(subjectId)}`

/** Returns the topic of a message. An opening or an acknowledgement has the topic of its incident: problem or no data. */
function topicOf({ kind, facts }: AlertDocument): TableKind {
  if (kind !== 'opened' && kind !== 'acknowledged' && kind !== 'withdrawn') return kind
  return facts.condition === 'no_data' ? 'no_data' : 'problem'
}

/**
 * Returns the names of the locations that the message is about: the failing, silent or recovered locations. A custom subject has no
 * locations.
 */
export function placesOf(alert: AlertDocument, nameOf: LocationName): string[] {
  const { failing, unknown, ok } = alert.facts
  const ids = { problem: failing, no_data: unknown, recovery: ok }[topicOf(alert)]
  return ids.map(id => oneLine(nameOf(id), errorCharacters))
}

/** Returns a text with the number of failing or silent locations and the names of the failing locations; empty for a single location. */
export function extentOf(alert: AlertDocument, nameOf: LocationName, guard: Guard = asItIs): string {
  const { facts } = alert
  const topic = topicOf(alert)
  const total = facts.failing.length + facts.unknown.length + facts.ok.length
  const places = placesOf(alert, nameOf).map(guard)
  if (total < 2 || topic === 'recovery' || places.length === 0) return ''
  if (topic === 'no_data') return `No reports from ${places.length} of ${total} locations`
  return `Failing from ${places.length} of ${total} locations — ${places.join(', ')}`
}

/** Returns the error of the check; empty for a recovery, and for a check without an error. */
export const errorOf = ({ kind, facts }: AlertDocument): string =>
  kind === 'recovery' ? '' : oneLine(facts.error, errorCharacters)

export const reasonLinesOf = ({ facts }: AlertDocument): string[] =>
  (facts.reasons ?? [])
    .slice(0, evidenceBounds.inputs)
    .map(({ signal, text }) => `Reason: ${signal}: ${oneLine(text, evidenceBounds.textCharacters)}`)

/** Returns the time from the start of the trouble to the message. For a recovery, returns the whole length of the trouble. */
export function lastedOf({ kind, decidedAt, facts }: AlertDocument): string {
  const until = kind === 'recovery' ? (facts.closedAt ?? decidedAt) : decidedAt
  return humanDuration(until - facts.troubleSince)
}

/**
 * Returns a sentence about the length of the trouble; empty for a test. For an opening, the sentence says that the trouble is not confirmed.
 * For a recovery, it also says what was wrong. `isLate`: somebody else was notified before.
 */
export function durationLineOf(alert: AlertDocument, nameOf: LocationName, guard: Guard = asItIs, isLate = false): string {
  const { kind, reminder } = alert
  if (alert.facts.isTest) return ''
  const lasted = lastedOf(alert)
  if (kind === 'opened') return 'Not confirmed yet.'
  if (kind === 'withdrawn') return 'Its rule or what it watches was removed.'
  if (kind === 'recovery') {
    const { cause } = alert.facts
    const why = cause == null ? '.' : `: ${guard(oneLine(causeText(cause, nameOf), causeCharacters))}`
    return `It was down for ${lasted}${why}`
  }
  return reminder || isLate || kind === 'acknowledged' ? `Down for ${lasted} so far.` : `Down for ${lasted} before we alerted.`
}

/** Returns the name and the readings of an authored rule; empty for the rule of a website monitor. */
export function ruleLineOf(alert: AlertDocument): string {
  const { ruleName, problems, explanation } = alert.facts
  if (ruleName === '') return ''
  const says = problems.length === 0 ? explanation : problemsListed(problems)
  return `${subjectOf(alert)}: rule "${oneLine(ruleName, nameCharacters)}": ${says}`
}

/** Returns lines about the silence of a no-data message; empty for other messages. */
export function silenceLinesOf({ kind, decidedAt, facts }: AlertDocument): string[] {
  if (kind !== 'no_data') return []
  const { ruleName, failing, unknown, ok, silence, troubleSince } = facts
  const isUnassigned = ruleName === '' && facts.action == null && failing.length + unknown.length + ok.length === 0
  if (isUnassigned) return ['No location is assigned, so nothing is checked.', isUnknown]
  if (silence === null) return [`No usable reports since ${instantText(troubleSince, decidedAt)}. ${isUnknown}`]
  const { lastAt } = silence
  if (lastAt === null) return [`No reports so far. ${isUnknown}`]
  return [`No reports for ${humanDuration(decidedAt - lastAt)} (last at ${instantText(lastAt, decidedAt)}). ${isUnknown}`]
}

/** For a recovery, returns a line with the instant at which the trouble ended; empty for other messages. */
export function endLineOf({ kind, decidedAt, facts }: AlertDocument): string {
  return kind === 'recovery' ? `It ended at ${instantText(facts.closedAt ?? decidedAt, decidedAt)}.` : ''
}

const isUnknown = 'Whether it is up is unknown.'

function problemsListed(problems: readonly AlertProblem[]): string {
  const { namesListed } = limits.judging
  const listed = problems.slice(0, namesListed).map(problemWords).join(', ')
  return problems.length > namesListed ? `${listed} and ${problems.length - namesListed} more` : listed
}

function problemWords(problem: AlertProblem): string {
  if (problem.of === 'rule') return `rule "${oneLine(problem.name, nameCharacters)}" reports a problem`
  const { signal, number } = problem
  if (number === null) return `${signal} reports a problem`
  return `${signal} is ${number.value}, ${number.compare === '<' ? 'under' : 'over'} ${number.threshold}`
}

/** Returns an instant as `02:11:40 UTC`, with the date if the message was decided on another date. */
function instantText(at: number, decidedAt: number): string {
  const [day = '', time = ''] = new Date(at).toISOString().slice(0, -'.000Z'.length).split('T')
  const isSameDay = new Date(decidedAt).toISOString().startsWith(day)
  return isSameDay ? `${time} UTC` : `${day} ${time} UTC`
}
