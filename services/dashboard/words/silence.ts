// The instant of a silence in a text of the API, and in words for people. Pure. The list needs no other words of `why.ts`.
import { isSameDay } from '../data/format.ts'

const silence = /\b(?:silent|nothing (?:was |has been )?reported) since (\d{4}-\d\d-\d\dT[\d:.]+Z)/

/** Returns the instant of the last report before the silence that a text of the API names, ms; null: it names none. */
export function silentSince(text: unknown): number | null {
  const found = typeof text === 'string' ? silence.exec(text)?.[1] : undefined
  return found === undefined ? null : Date.parse(found)
}

/** Returns `16:39:26 UTC`, with the day if it is not the day of `now`. */
export function utcTime(at: number, now: number): string {
  const text = new Date(at).toISOString()
  return `${isSameDay(at, now) ? '' : `${text.slice(0, 10)} `}${text.slice(11, 19)} UTC`
}

/** Replaces the instant of a silence in a text of the API by a time for people. Other texts stay as they are. */
export function plainWords(text: string, now: number): string {
  const since = silentSince(text)
  return since === null ? text : text.replace(silence, `no report since ${utcTime(since, now)}`)
}
