// Timeline of the demo: the events so far, and waits for later events. Every event is observed from outside of the services: on the bus, or
// by the receiver of a message.

import { Compile } from 'typebox/schema'
import type { Bus } from '#shared/bus/port.ts'
import { parseObservation, subjects } from '#shared/bus/subjects.ts'
import type { HistoryDocument, IncidentDocument, IncidentState } from '#shared/contracts/incidents/incident.ts'
import type { News } from '#shared/contracts/news.ts'
import { CheckResult } from '#shared/contracts/observations/check.ts'
import type { Message } from './outside.ts'

export interface CheckHappening {
  kind: 'check'
  /** Instant at which the event was seen, ms since the epoch. */
  at: number
  result: CheckResult
}

export interface TransitionHappening {
  kind: 'transition'
  at: number
  transition: HistoryDocument
  incident: IncidentDocument | null
  /** State before the transition; null: the transition opened the incident. */
  from: IncidentState | null
}

export interface MessageHappening {
  kind: 'message'
  at: number
  message: Message
  about: TransitionHappening
}

export type Happening = CheckHappening | TransitionHappening | MessageHappening

export interface Timeline {
  note(happening: Happening): void
  /**
   * Resolves with the `count`th event for which `fits` returns true. Events before this call count too. Rejects with TimedOut when the
   * signal aborts. `what`: name of the event in the error.
   */
  until<T extends Happening>(what: string, fits: (happening: Happening) => happening is T, count?: number): Promise<T>
}

/** Error for an expected event that did not come in time. Its message names the event. */
export class TimedOut extends Error {}

export function createTimeline(signal: AbortSignal, onHappening: (happening: Happening) => void): Timeline {
  const noted: Happening[] = []
  const waiting = new Set<() => void>()
  return {
    note: happening => {
      noted.push(happening)
      onHappening(happening)
      for (const look of [...waiting]) look()
    },
    until: <T extends Happening>(what: string, fits: (happening: Happening) => happening is T, count = 1) => {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const look = () => {
        const found = noted.filter(fits)[count - 1]
        if (found !== undefined) resolve(found)
        else if (signal.aborted) reject(new TimedOut(what))
      }
      waiting.add(look)
      signal.addEventListener('abort', look, { once: true })
      look()
      return promise.finally(() => {
        waiting.delete(look)
        signal.removeEventListener('abort', look)
      })
    },
  }
}

export const isCheck =
  (ok: boolean, rev = 0) =>
  (happening: Happening): happening is CheckHappening =>
    happening.kind === 'check' && happening.result.ok === ok && happening.result.rev >= rev

export const isInState =
  (state: IncidentState) =>
  (happening: Happening): happening is TransitionHappening =>
    happening.kind === 'transition' && happening.transition.state === state

export const isMessage =
  (transition: Message['transition']) =>
  (happening: Happening): happening is MessageHappening =>
    happening.kind === 'message' && happening.message.transition === transition

const results = Compile(CheckResult)

/**
 * Adds each reported check and each transition to the timeline. Resolves when the bus has the subscriptions to checks and to transitions.
 * The subscriptions end with the connection.
 */
export async function watchInstallation(bus: Bus, now: () => number, timeline: Timeline): Promise<void> {
  await bus.subscribe(subjects.allObservations, ({ subject, body }) => {
    if (parseObservation(subject) !== null && results.Check(body)) timeline.note({ kind: 'check', at: now(), result: body })
  })
  const states = new Map<string, IncidentState>()
  await bus.subscribe(subjects.allStates, ({ body }) => {
    const news = body as News
    if (news.kind !== 'transition') return
    const { transition, incident } = news
    const from = states.get(transition.incidentId) ?? null
    states.set(transition.incidentId, transition.state as IncidentState)
    timeline.note({ kind: 'transition', at: now(), transition, incident, from })
  })
}
