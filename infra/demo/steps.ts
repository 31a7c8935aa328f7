// Sentences of the demo that explain each event to the person who watches. Pure. Every number comes from the event.

import { second } from '#shared/limits/limits.ts'
import { humanDuration } from '#shared/time/durations.ts'
import type { CheckHappening, Happening, MessageHappening, TransitionHappening } from './timeline.ts'

export type StepName =
  | 'start'
  | 'ready'
  | 'setup'
  | 'website'
  | 'check'
  | 'verdict'
  | 'machine'
  | 'deadline'
  | 'message'
  | 'summary'
  | 'next'
  | 'end'

export interface Step {
  name: StepName
  tone: 'plain' | 'good' | 'bad' | 'waiting'
  /** Headline, then lines with details. */
  lines: [string, ...string[]]
  /** The facts of `lines` as fields, for programs. */
  data: Record<string, unknown>
}

/**
 * Returns the steps that explain an event. A transition has several steps: the verdict, the machine's change of state, and the deadline, if
 * one is set.
 */
export function stepsOf(happening: Happening): Step[] {
  if (happening.kind === 'check') return [checkStep(happening)]
  if (happening.kind === 'message') return [messageStep(happening)]
  return [verdictStep(happening), machineStep(happening), ...deadlineStep(happening)]
}

const step = (name: StepName, tone: Step['tone'], lines: Step['lines'], data: Step['data']): Step => ({ name, tone, lines, data })

export const plain = (name: StepName, sentence: string): Step => step(name, 'plain', [sentence], {})

function checkStep({ result }: CheckHappening): Step {
  const { ok, error, statusCode, phases } = result
  const took = `${phases.totalMs.toFixed(1)} ms`
  const line = ok ? `ok: status ${statusCode} in ${took}` : `failed: ${error} (in ${took})`
  return step('check', ok ? 'good' : 'bad', [line], { ok, status_code: statusCode, error, total_ms: phases.totalMs })
}

const verdictWords: Record<string, string> = { not_judged: 'not judged', no_data: 'no data' }

function verdictStep({ transition }: TransitionHappening): Step {
  const { verdict, explanation } = transition
  const tone = verdict === 'ok' ? 'good' : verdict === 'problem' ? 'bad' : 'waiting'
  return step('verdict', tone, [`${verdictWords[verdict] ?? verdict}: ${explanation}`], { verdict, explanation })
}

const tones: Record<string, Step['tone']> = { pending: 'waiting', recovering: 'waiting', problem: 'bad', closed: 'good' }

function machineStep(happening: TransitionHappening): Step {
  const { transition, from } = happening
  const { state, kind, event, machine, at } = transition
  const move = `${from ?? 'no incident'} → ${state}, on the event ${event.type}`
  const data = { machine, from, state, event: event.type, kind, effective_at: instant(at) }
  return step('machine', tones[state] ?? 'waiting', [move, meaningOf(happening)], data)
}

function meaningOf({ transition, incident }: TransitionHappening): string {
  const { kind, event, at } = transition
  if (kind === 'pending') return 'It is not ok, but nobody is told before that has lasted.'
  if (kind === 'problem' && event.type === 'hold.elapsed')
    return `Confirmed as of ${timeOfDay(at)}, the hold's end: people are told.`
  if (kind === 'problem') return 'It fails again.'
  if (kind === 'no data') return 'Nothing usable arrives.'
  if (kind === 'recovering') return 'It is well again, and stays open until that has lasted.'
  if (kind !== 'closed') return `Recorded as "${kind}".`
  const { closedAt, wellSince } = incident ?? { closedAt: at, wellSince: null }
  if (closedAt !== null && closedAt === wellSince)
    return `closed_at = well_since = ${timeOfDay(closedAt)}, not the end of the hold.`
  return `closed_at is ${timeOfDay(closedAt ?? at)}.`
}

const deadlineWords: Record<string, string> = {
  pending: 'confirmed then, unless it is well again before',
  problem: 'a reminder, unless well or acknowledged before',
  recovering: 'closed then, unless it fails again before',
}

function deadlineStep({ transition, at }: TransitionHappening): Step[] {
  const { deadlineAt, state } = transition
  if (deadlineAt === null) return []
  const remainingMs = Math.max(0, deadlineAt - at)
  const line = `in ${shortDuration(remainingMs)}: ${deadlineWords[state] ?? 'it is looked at again'}`
  return [step('deadline', 'waiting', [line], { deadline_at: instant(deadlineAt), remaining_ms: remainingMs })]
}

function messageStep(happening: MessageHappening): Step {
  const { title, text, transition } = happening.message
  const lateMs = lateBy(happening)
  const lines: Step['lines'] = [title, ...text.split('\n'), `(The webhook got it ${lateMs} ms after the end of the hold.)`]
  return step('message', transition === 'closed' ? 'good' : 'bad', lines, { title, message: text, transition, late_ms: lateMs })
}

/** Returns the time from the instant of the transition's event to the arrival of its message, ms. */
const lateBy = ({ at, about }: MessageHappening): number => Math.max(0, at - about.transition.event.at)

/** Returns the last steps, which state the length of the outage, the delays of the messages, and the next command. */
export function summarySteps(opened: TransitionHappening, problem: MessageHappening, recovery: MessageHappening): Step[] {
  const downSince = opened.transition.at
  const downUntil = recovery.about.transition.at
  const downMs = downUntil - downSince
  const lateMs = [lateBy(problem), lateBy(recovery)]
  const summary: Step['lines'] = [
    `It was down for ${shortDuration(downMs)}, from ${timeOfDay(downSince)} to ${timeOfDay(downUntil)} UTC.`,
    `Two messages, ${lateMs[0]} ms and ${lateMs[1]} ms after their holds had ended.`,
  ]
  const data = { down_since: instant(downSince), down_until: instant(downUntil), down_ms: downMs, messages_late_ms: lateMs }
  const next = 'npm start runs it for real, and says how to add a website.'
  return [step('summary', 'plain', summary, data), step('next', 'plain', [next], { command: 'npm start' })]
}

export const shortDuration = (ms: number): string => (ms < 60 * second ? `${(ms / second).toFixed(1)} s` : humanDuration(ms))

const instant = (at: number): string => new Date(at).toISOString()
const timeOfDay = (at: number): string => instant(at).slice(11, 23)
