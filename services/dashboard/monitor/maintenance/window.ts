// The running maintenance window of a monitor: marks for the drawing of its machine, and its steps in words. Pure.
import { clockTime, countdown, instant, isSameDay } from '../../data/format.ts'
import { type Life, lifeOf, shareOf } from '../../drawing/life.ts'

/** The part of the window's snapshot that the page shows. Instants in ms. */
export interface Window {
  value: string
  context: { startedAt: number; endsAt: number; by: string; deadlineAt: number | null }
  steps: readonly { event: { type: string; at: number }; state: string; deadlineAt: number | null }[]
}

export function windowLife({ value, context: { startedAt, deadlineAt } }: Window, now: number): Life {
  const due =
    deadlineAt === null ? null : { text: `ends in ${countdown(deadlineAt - now)}`, share: shareOf(startedAt, deadlineAt, now) }
  return lifeOf([value], deadlineAt === null ? null : 'ranOut', due)
}

const when = (at: number, now: number): string => (isSameDay(at, now) ? clockTime(at) : instant(at))

/** Returns one sentence for every step of the window so far. */
export const stepWords = ({ steps, context: { by } }: Window, now: number): { at: number; words: string }[] =>
  steps.map(({ event: { type, at }, deadlineAt }) => {
    const until = deadlineAt === null ? '' : ` until ${when(deadlineAt, now)}`
    if (type === 'end.moved') return { at, words: `The end was moved:${until}.` }
    return { at, words: type === 'window.started' ? `Started by ${by},${until}.` : `${type}${until}.` }
  })
