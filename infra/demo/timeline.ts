// Timeline of the demo: its events so far, and who waits for which. Every event was observed from outside: on the bus, or by the receiver
// of a message.

import { Compile } from 'typebox/compile'
import type { Bus } from '#shared/bus/port.ts'
import { parseObservation, subjects } from '#shared/bus/subjects.ts'
import type { HistoryDocument, IncidentDocument, IncidentState } from '#shared/contracts/incidents/incident.ts'
import type { News } from '#shared/contracts/news.ts'
import { CheckResult } from '#shared/contracts/observations/check.ts'
import type { Message } from './outside.ts'

export interface CheckHappening {
  kind: 'check'
  /** When it was seen, ms since the epoch. */
  at: number
  result: CheckResult
}

export interface TransitionHappening {
  kind: 'transition'
  at: number
  transition: HistoryDocument
  incident: IncidentDocument | null
  /** The state before; null where the transition opened the incident. */
  from: IncidentState | null
}

export interface MessageHappening {
  kind: 'message'
  at: number
  message: Message
  /** Object of the event. */
  about: TransitionHappening
}

export type Happening = CheckHappening | TransitionHappening | MessageHappening

export interface Timeline {
  note(happening: Happening): void
  /**
   * Resolves with the `count`th happening that fits, whether it was noted before or is yet to come. Rejects when the signal
   * aborts; `what` then says what was waited for.
   */
  until<T extends Happening>(what: string, fits: (happening: Happening) => happening is T, count?: number): Promise<T>
  /** The transitions so far, in order. */
  transitions(): TransitionHappening[]
}

/** Thrown where waiting ended without what was waited for. */
export class WaitedInVain extends Error {}

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
        else if (signal.aborted) reject(new WaitedInVain(what))
      }
      waiting.add(look)
      signal.addEventListener('abort', look, { once: true })
      look()
      return promise.finally(() => {
        waiting.delete(look)
        signal.removeEventListener('abort', look)
      })
    },
    transitions: () => noted.filter(isTransition),
  }
}

export const isTransition = (happening: Happening): happening is TransitionHappening => happening.kind === 'transition'

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

/** Resolves when both subscriptions are known to the server; they end with the connection. */
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
