// Three sentences that explain an incident: its cause and start, the notified destinations, the next transition. Foreign texts in the
// sentences are reduced to one line. Pure.
import { oneLine } from '#shared/text/one-line.ts'
import type { Explanation, Notice } from './explanation-object.ts'

/** Largest number of destinations that a sentence names. */
const named = 5

export function sentencesOf(explanation: Explanation): string {
  return [why, whoKnows, whatNext].map(sentence => `${oneLine(sentence(explanation)).replace(/[.\s]+$/, '')}.`).join(' ')
}

function why({ incident }: Explanation): string {
  const { resource, rule, lifecycle, confirmed_at: confirmedAt, opened_at: openedAt, closed_at: closedAt } = incident
  const place = `${incident.cause === null ? '' : `${incident.cause}: `}${resource.name} (${resource.key})`
  if (lifecycle === 'closed') {
    return `${place} had an Incident of the rule ${rule} from ${openedAt} to ${closedAt}, closed as ${incident.closed_reason}: ${incident.explanation}`
  }
  const standing = confirmedAt === null ? 'not confirmed yet' : `confirmed at ${confirmedAt}`
  return `${place} has an Incident of the rule ${rule} open since ${openedAt}, ${standing}, and ${conditions[incident.condition]}: ${incident.explanation}`
}

const conditions: Record<string, string> = {
  problem: 'its rule finds a problem',
  no_data: 'its rule has no data',
  ok: 'it is recovering',
}

function whoKnows({ incident, told, not_told: notTold }: Explanation): string {
  const { acknowledgement: taken } = incident
  const by = taken === null ? 'nobody has taken it on' : `${taken.by} took it on at ${taken.at} by ${taken.via}`
  const kept = notTold.length === 0 ? '' : `; not told: ${listed(notTold)}`
  return `${told.length === 0 ? 'Nobody was told' : `Told: ${listed(told)}`}${kept}; ${by}`
}

function listed(notices: readonly Notice[]): string {
  const shown = notices.slice(0, named).map(({ destination, event, reason }) => {
    return `${destination ?? 'no destination'} (${event}${reason === null ? '' : `: ${reason}`})`
  })
  const more = notices.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function whatNext({ incident, next, maintenance }: Explanation): string {
  if (incident.lifecycle === 'closed') return 'Nothing follows: it is closed'
  const step = next === null ? 'Time alone changes nothing, the next Observations decide' : steps[next.what](next.at)
  const held = maintenance === null ? '' : `; maintenance by ${maintenance.by} holds messages back until ${maintenance.until}`
  return `${step}${held}${incident.action === null ? '' : `; its rule asks for: ${incident.action}`}`
}

const steps = {
  confirm: (at: string) => `It is confirmed at ${at} if it lasts`,
  close: (at: string) => `It closes at ${at} if it stays well`,
  remind: (at: string) => `The next reminder is due at ${at}`,
}
