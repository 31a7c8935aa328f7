// Ids of roll-ups: subject, source, hour or day, then the time. The subject leads, unlike in the id of a check's observation: what is read
// at once (400 days of one source) and what is removed at once (a subject, a source, what is older than 400 days of it) is one range.
import { fromBase62, idLength, toBase62 } from '#shared/ids.ts'
import { day, hour } from '#shared/limits.ts'

/** What reported: a location by its id, or a signal by its key. */
export interface Source {
  kind: 'location' | 'signal'
  id: string
}

export type Level = 'hour' | 'day'

const kindLetters = { location: 'l', signal: 's' } as const
const levelLetters = { hour: 'h', day: 'd' } as const

/** How many ms the row of a level spans, and its single buckets. */
export const spans = { hour: { row: hour, bucket: hour / 12 }, day: { row: day, bucket: hour } } as const

/** What all rows of a source and level begin with. */
export const rowPrefix = (subjectId: string, { kind, id }: Source, level: Level): string =>
  `${levelPrefix(subjectId, kind, level)}${id}.`

/** What the rows of all sources of a kind and level begin with. */
export const levelPrefix = (subjectId: string, kind: Source['kind'], level: Level): string =>
  subjectId + kindLetters[kind] + levelLetters[level]

/** `at` (ms) lies in the row. */
export function rollUpId(subjectId: string, source: Source, level: Level, at: number): string {
  const hourOfDay = level === 'hour' ? toBase62(Math.floor((at % day) / hour), 1) : ''
  return rowPrefix(subjectId, source, level) + toBase62(Math.floor(at / day), 3) + hourOfDay
}

/** The source, and when the row begins (ms). */
export function parseRollUpId(id: string): { source: Source; at: number } {
  const dot = id.indexOf('.')
  const kind = id[idLength.subject] === kindLetters.location ? 'location' : 'signal'
  const hourOfDay = id.length > dot + 4 ? fromBase62(id.slice(dot + 4)) : 0
  return {
    source: { kind, id: id.slice(idLength.subject + 2, dot) },
    at: fromBase62(id.slice(dot + 1, dot + 4)) * day + hourOfDay * hour,
  }
}

/** Ids of rows that begin from `from` to before `to` (ms, whole hours or days of the level). */
export const rowRange = (subjectId: string, source: Source, level: Level, from: number, to: number) => ({
  gte: rollUpId(subjectId, source, level, from),
  lt: rollUpId(subjectId, source, level, to),
})
