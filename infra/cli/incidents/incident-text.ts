// One Incident as text: the path of its machine with the next deadline, and sentences that explain it. Pure.
import type { IncidentDetail } from '../api/look-up-api.ts'

export function drawing(incident: IncidentDetail): string[] {
  const { id, resource, rule, lifecycle, confirmation, condition, action, history } = incident
  return [
    ...(incident.cause === null ? [] : [`Cause: ${incident.cause}`]),
    `Incident ${id} of ${resource.key} ("${resource.name}"), rule ${rule}`,
    `  ${lifecycle}, ${confirmation}, ${condition}: ${incident.explanation}`,
    ...(action === null ? [] : [`  action: ${action}`]),
    ...takenLine(incident),
    '',
    ...path(incident),
    '',
    ...history.map(
      ({ at, kind, condition, explanation }) => `  ${at}  ${kind.padEnd(15)}  ${condition.padEnd(7)}  ${explanation}`,
    ),
    ...omitted(incident.history_omitted, 'entries'),
  ]
}

const takenLine = ({ acknowledgement: taken }: IncidentDetail): string[] =>
  taken === null ? [] : [`  taken by ${taken.by} at ${taken.at}`]

/** Returns two lines for each state: the event that led to the state, and the state itself. A last line shows the next deadline. */
function path({ path, path_omitted: count, next }: IncidentDetail): string[] {
  const lines = path.flatMap(({ state, at, event }, i) => [
    `  ${i === 0 ? '●' : '│'} ${event}`,
    `  ${i === path.length - 1 && next === null ? '■' : '▼'} [${state}] since ${at}`,
  ])
  const ahead = next === null ? [] : [`  ┆ ${nextText(next.what)} at ${next.at} unless something changes`]
  return [...lines, ...ahead, ...omitted(count, 'states')]
}

const nextText = (what: string): string =>
  ({ confirm: '▷ it is confirmed', close: '▷ it closes', remind: '▷ a reminder is sent' })[what] ?? what

const omitted = (count: number, things: string): string[] => (count === 0 ? [] : [`  … ${count} ${things} are left out`])

/** Returns sentences about the Incident: its cause, start and progress, the notified people, and the next event. */
export function explanation(incident: IncidentDetail): string[] {
  const { resource, rule, cause, explanation, opened_at: openedAt, history, acknowledgement, next, lifecycle } = incident
  const first = history[0]
  const changes = history.filter(({ kind }) => kind === 'verdict_changed').length
  const began = first === undefined || first.explanation === explanation ? '' : ` It began with: ${first.explanation}.`
  return [
    ...(cause === null ? [] : [`Cause: ${cause}.`]),
    `Rule ${rule} of ${resource.name} (${resource.key}) ${lifecycle === 'open' ? 'reads' : 'last read'}: ${explanation}.${began}`,
    `The Incident opened at ${openedAt}${changes === 0 ? '' : ` and changed its verdict ${changes === 1 ? 'once' : `${changes} times`}`}.`,
    standing(incident),
    ...inputs(incident),
    acknowledgement === null ? 'Nobody has taken it on.' : `${acknowledgement.by} took it on at ${acknowledgement.at}.`,
    ...(lifecycle === 'closed' ? [] : [next === null ? 'Nothing happens by time alone.' : nextSentence(next)]),
    ...(incident.action === null ? [] : [`What to do: ${incident.action}`]),
  ]
}

function standing({
  lifecycle,
  confirmed_at: confirmedAt,
  condition,
  closed_at: closedAt,
  closed_reason: reason,
}: IncidentDetail): string {
  if (lifecycle === 'closed') return `It closed at ${closedAt} (${(reason ?? '').replaceAll('_', ' ')}).`
  if (condition === 'ok') return 'It is recovering: the rule is well, and the recovery delay runs.'
  if (confirmedAt === null) return 'It is not confirmed yet, and nobody was notified of a problem.'
  return `It was confirmed at ${confirmedAt}, and is ${condition === 'no_data' ? 'without data' : 'a problem'} now.`
}

/** Returns the newest evidence of each input. */
function inputs({ history }: IncidentDetail): string[] {
  const evidence = history.findLast(entry => entry.evidence !== null)?.evidence
  if (evidence == null || evidence.inputs.length === 0) return []
  const parts = evidence.inputs.map(input => {
    if ('unresolved' in input) return `${input.signal} (${input.unresolved})`
    const details = [input.value === undefined ? '' : `value ${input.value}`, input.reason ?? '', input.at ?? ''].filter(Boolean)
    return `${input.signal} ${input.status}${details.length === 0 ? '' : ` (${details.join(', ')})`}`
  })
  // Uses a set, because two comparisons of one signal have the same input.
  return [`The evidence: ${[...new Set(parts)].join('; ')}${evidence.omitted > 0 ? `; and ${evidence.omitted} more` : ''}.`]
}

function nextSentence({ what, at }: NonNullable<IncidentDetail['next']>): string {
  if (what === 'confirm') return `Unless something changes, it is confirmed at ${at}.`
  return what === 'close' ? `Unless something changes, it closes at ${at}.` : `The next reminder is sent at ${at}.`
}
