// Sentences about the signals and rules of custom subjects. Pure.
import type { OutlookStep, RuleTrialObject } from '#shared/contracts/session/session-incidents.ts'
import { duration } from '../data/format.ts'
import { stateOf } from './statuses.ts'

/** Returns sentences about what a rule would do if it were saved now, and what would follow by time alone. */
export function trialWords({ at, incident, verdict, open_now: isOpen }: RuleTrialObject): string {
  if (incident === null) {
    if (isOpen) return 'Its open incident closes at once.'
    return verdict === 'not_judged' ? 'No incident opens until it can decide.' : 'No incident opens.'
  }
  const { word } = stateOf(incident.state)
  const now = isOpen ? `Its open incident is ${word}` : `An incident opens at once, as ${word}`
  const step = incident.by_time
  if (step === null) return `${now}.`
  const left = Date.parse(step.at) - Date.parse(at)
  return `${now}. ${left <= 0 ? 'At once' : `After ${duration(left)}`} ${stepWords(step)}.`
}

function stepWords({ event, to, announces, held }: OutlookStep): string {
  const sent = held ? 'the message is held back by maintenance' : 'people are notified'
  if (event === 'reminder.due') return `a reminder is due, and ${sent}`
  const what = event === 'recovery.elapsed' ? 'it closes' : `it is confirmed as ${stateOf(to).word}`
  return `${what}, and ${announces === null ? 'nobody is notified' : sent}`
}

/** What the signals of a kind are. */
export const kindWords: Readonly<Record<'custom_heartbeat' | 'custom_event' | 'platform_http', string>> = {
  custom_heartbeat: 'Reports on a schedule; silence can become no data.',
  custom_event: 'Reports when something happens; silence means nothing.',
  platform_http: 'The checks of this website.',
}

/** The members of a rule's document, for a person who writes one. */
export const ruleLanguage = `inputs         each reads a signal of this monitor, or with "from" the verdict of another rule
mode           "status": fails if the newest report says problem
               "latest_value": compares its number, as in "compare": ">", "threshold": 90
match          reads only reports with a label, as in {"host": "db1"}; * is any value
no_data_after  without a report for this long, the input is unknown
need           how many inputs must fail: any, majority, all, or at_least with "at_least": 2
confirm_after  a problem that lasts this long is sent
close_after    ok for this long closes the incident
               times are texts such as 90s, 5m or 1h30m`
