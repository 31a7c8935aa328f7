// Sentences about the possible next transitions of an incident, which its machine computed on the server. Pure.
import type { IncidentRecordObject, OutlookStep } from '#shared/contracts/session/session-incidents.ts'
import { duration, listed } from '../data/format.ts'
import { eventWords } from '../words/events.ts'
import { stateOf } from '../words/statuses.ts'

const messages: Readonly<Record<string, string>> = {
  opened: 'that it opened',
  problem: 'of the problem',
  no_data: 'that data are missing',
  recovery: 'that it recovered',
  acknowledged: 'that it was acknowledged',
}

const verdicts: Readonly<Record<string, string>> = {
  'problem.judged': 'If the rule finds a problem',
  'no_data.judged': 'If data go missing',
  'ok.judged': 'If the rule is ok again',
}

/**
 * Returns words about the transition at the deadline: `it is confirmed as Problem, …`. The returned words complete a sentence that begins
 * with the instant.
 */
export function byTimeWords(step: OutlookStep): string {
  if (step.event === 'reminder.due') return reminderWords(step)
  const what = step.event === 'recovery.elapsed' ? 'it closes' : `it is confirmed: ${stateOf(step.to).word}`
  return `${what}, and ${notifies(step)}`
}

function reminderWords({ reminder, recipients }: OutlookStep): string {
  const what = reminder ? 'a reminder' : 'the first message'
  if (recipients === null) return `${what} is sent`
  return recipients.length === 0
    ? `${what} is due, but no destination is meant for it`
    : `${what} is sent to ${listed(recipients)}`
}

/**
 * Returns a sentence about the transition that another verdict would cause now. `isConfirmed`: the incident was confirmed, so its recovery
 * is told when it closes.
 */
export function byReportWords(step: OutlookStep, isConfirmed: boolean): string {
  const word = stateOf(step.to).word
  const when = verdicts[step.event] ?? eventWords(step.event)
  if (step.announces === null && step.to !== 'closed') {
    const later = step.to === 'recovering' && isConfirmed ? '. The recovery is told when it closes' : ', without a message'
    return `${when}: ${word}${later}.`
  }
  return `${when}: ${step.to === 'closed' ? 'it closes' : word}, and ${notifies(step)}.`
}

function notifies({ announces, held, recipients }: OutlookStep): string {
  if (announces === null) return 'nobody is notified'
  const what = messages[announces] ?? ''
  if (held) return `the message ${what} is held back by maintenance`
  if (recipients?.length === 0) return 'nobody is notified, because no destination is meant for the message'
  const who = recipients === null ? 'people' : listed(recipients)
  return `${who} ${recipients?.length === 1 ? 'is' : 'are'} notified ${what}`
}

/** Returns a sentence about the record that follows `record`, for a replay. */
export function happenedNext(record: IncidentRecordObject, next: IncidentRecordObject | undefined): string {
  if (next === undefined) return record.state === 'closed' ? 'Nothing: it was over.' : 'Nothing yet.'
  const later = duration(Date.parse(next.event_at) - Date.parse(record.event_at))
  const same = next.state === record.state ? `stayed ${stateOf(next.state).word}` : `became ${stateOf(next.state).word}`
  return `${later} later it ${same}: ${eventWords(next.event)}.`
}
