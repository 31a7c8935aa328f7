// A rule and its trial in sentences. Pure.
import type { RuleTrialObject } from '#shared/contracts/session/session-incidents.ts'
import { duration } from '../data/format.ts'
import { stateOf } from '../words/statuses.ts'
import { notifiedWords, type Receivers } from './receivers.ts'
import type { RuleDocument, RuleInput } from './rule-document.ts'

/**
 * Returns words such as `Run reports a problem` or `Depth is above 100, with host=db1`. `nameOf` returns the name of the signal or rule
 * that the input reads.
 */
export function inputWords(input: RuleInput, nameOf: NameOf): string {
  if (input.from !== undefined) return `rule ${nameOf(input)} says problem`
  const labels = Object.entries(input.match ?? {}).map(([key, value]) => `${key}=${value}`)
  const compared = input.compare === '<' ? 'below' : 'above'
  const words = input.mode === 'latest_value' ? `is ${compared} ${input.threshold}` : 'reports a problem'
  return `${nameOf(input)} ${words}${labels.length === 0 ? '' : `, with ${labels.join(' and ')}`}`
}

type NameOf = (input: RuleInput) => string

const needs: Readonly<Record<string, string>> = { any: 'one of', majority: 'more than half of', all: 'all of' }

/** Returns a sentence such as `Problem if Run reports a problem.` */
export function ruleWords({ inputs, decision }: Pick<RuleDocument, 'inputs' | 'decision'>, nameOf: NameOf): string {
  if (inputs.length === 0) return 'It reads nothing, and says nothing.'
  const said = inputs.map(input => inputWords(input, nameOf))
  const need = needs[decision.need] ?? `at least ${decision.at_least} of`
  return inputs.length === 1 ? `Problem if ${said[0]}.` : `Problem if ${need}: ${said.join('; ')}.`
}

/** Returns sentences about the effects of saving the rule now, and about later effects by time alone. */
export function consequence(trial: RuleTrialObject, receivers: Receivers): string {
  const { incident, verdict, open_now: isOpen } = trial
  const its = isOpen ? 'Its open incident' : 'An incident'
  if (incident === null) {
    if (isOpen) return 'Its open incident closes at once.'
    return verdict === 'not_judged' ? 'No incident opens until it can decide.' : 'No incident opens.'
  }
  const { word } = stateOf(incident.state)
  const opens = isOpen ? `${its} is ${word}` : `${its} opens at once, as ${word}`
  if (incident.by_time === null) return `${opens}.`
  return `${opens}. ${byTime(trial, receivers)}.`
}

function byTime({ at, incident }: RuleTrialObject, receivers: Receivers): string {
  const step = incident?.by_time
  if (step == null) return ''
  const left = Date.parse(step.at) - Date.parse(at)
  const when = left <= 0 ? 'At once' : `After ${duration(left)}`
  const told = step.announces === null ? 'nobody is notified' : notifiedWords(receivers[kindOf(step.announces)])
  const message = step.held ? 'the message is held back by maintenance' : told
  if (step.event === 'reminder.due') return `${when} a reminder is due: ${message}`
  return step.event === 'recovery.elapsed'
    ? `${when} it closes, and ${message}`
    : `${when} it is confirmed as ${stateOf(step.to).word}, and ${message}`
}

const kindOf = (announces: string): keyof Receivers =>
  announces === 'recovery' || announces === 'no_data' ? announces : 'problem'

/** Returns sentences about the times at which a rule that has no problem now would send messages. */
export function wakes({ wait }: Pick<RuleDocument, 'wait'>, receivers: Receivers): string {
  return `A problem that lasts ${spaced(wait.confirm_after)} is confirmed, and ${notifiedWords(receivers.problem)}. It closes once all was well for ${spaced(wait.close_after)}.`
}

/** Returns `2 min` for `2m0s`. Returns a text of another form unchanged. */
export function spaced(text: string): string {
  const units: Readonly<Record<string, string>> = { h: 'h', m: 'min', s: 's', ms: 'ms' }
  const parts = [...text.matchAll(/([\d.]+)(ms|h|m|s)/g)].filter(([, n]) => Number(n) !== 0)
  if (parts.length === 0) return text
  return parts.map(([, n, unit = '']) => `${n} ${units[unit]}`).join(' ')
}
