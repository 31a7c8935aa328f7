// A preview as a list of events with instants: an Incident opens, messages are sent, the Incident closes. Pure. Titles of messages:
// docs/reference/v3.md, 10.7.
import { duration } from '../../data/format.ts'
import { type Draft, isObject, itemsAt, textAt, valueAt } from '../editor/draft.ts'
import type { Judged, PreviewIncident, PreviewRule } from '../editor/editor.ts'

export interface StoryStep {
  at: number
  /** Time since the first Observation, such as `+5 min`. */
  offset: string
  words: string
  /** The title of the message; null: no message is sent. */
  message: string | null
}

/** Name of the Resource in the titles, because the Resource of a preview has no name. */
const resource = 'Example'

export function storyOf(judged: Judged, rule: PreviewRule): StoryStep[] {
  const start = Date.parse(judged.observations[0]?.at ?? judged.at)
  const sent = itemsAt(judged.draft, 'rules').find(one => textAt(one, 'key') === rule.key)
  return rule.incidents.flatMap(incident =>
    stepsOf(incident, rule.key, textAt(sent, 'action'), toldOf(sent)).map(({ at, words, message }) => ({
      at: Date.parse(at),
      offset: `+${duration(Date.parse(at) - start)}`,
      words,
      message,
    })),
  )
}

interface Told {
  opened: boolean
  problem: boolean
  no_data: boolean
  recovery: boolean
}

/**
 * Returns the kinds of messages that the rule sends. A rule without `routes` sends all kinds except messages about the opening of an
 * Incident.
 */
function toldOf(rule: unknown): Told {
  const routes = valueAt(rule, 'routes')
  if (!Array.isArray(routes)) return { opened: false, problem: true, no_data: true, recovery: true }
  const names = new Set(
    routes.filter(isObject).flatMap(({ on }) => (Array.isArray(on) ? on : ['problem', 'no_data', 'recovery'])),
  )
  const isTold = (name: string) => names.has(name)
  return { opened: isTold('opened'), problem: isTold('problem'), no_data: isTold('no_data'), recovery: isTold('recovery') }
}

function stepsOf(incident: PreviewIncident, rule: string, action: string, told: Told) {
  const { opened_at: opened, confirmed_at: confirmed, closed_at: closed, history } = incident
  const isNoData = history.find(({ kind }) => kind === 'confirmed')?.condition === 'no_data'
  const isAtOnce = confirmed === opened
  const steps: { at: string; words: string; message: string | null }[] = []
  const title = (words: string) => `${resource}: ${rule}${words}`
  if (!isAtOnce) {
    const message = told.opened ? title(` opened — ${action}`) : null
    steps.push({ at: opened, words: 'An incident opens, unconfirmed', message })
  }
  if (confirmed !== null) {
    const message = told[isNoData ? 'no_data' : 'problem'] ? title(` — ${isNoData ? 'no data' : action}`) : null
    steps.push({ at: confirmed, words: isAtOnce ? 'An incident opens and is confirmed at once' : 'It is confirmed', message })
  }
  if (closed !== null) {
    const isTold = told.recovery && (confirmed !== null || told.opened)
    const words = confirmed === null ? 'It was healthy again before it was confirmed' : 'It is healthy again; the incident closes'
    steps.push({ at: closed, words, message: isTold ? title(' is over') : null })
  }
  return steps
}

/** Returns one sentence about the rule's result. */
export function outcomeOf(rule: PreviewRule): string {
  const confirmed = rule.incidents.filter(one => one.confirmed_at !== null).length
  if (rule.incidents.length === 0) return 'No incident opens.'
  if (confirmed === 0) return 'No incident is confirmed: nobody is woken.'
  return confirmed === 1 ? 'One incident is confirmed.' : `${confirmed} incidents are confirmed.`
}

export const statusWord: Readonly<Record<string, string>> = { problem: 'Problem', ok: 'OK', no_data: 'Cannot decide' }

/** Returns true if the rule's list of routes is empty, so that no message is sent. */
export const isSilent = (draft: Draft, key: string): boolean => {
  const rule = itemsAt(draft, 'rules').find(one => textAt(one, 'key') === key)
  const routes = valueAt(rule, 'routes')
  return Array.isArray(routes) && routes.length === 0
}
