// Ids of roll-ups. An id consists of the subject, the source, the level (hour or day) and the time. So rows that are read or removed
// together form one range of ids: 400 days of a source, the expired rows of a source, all rows of a source or a subject. In contrast, the
// id of a check's observation begins with the day.

import { day, hour } from '#shared/limits/limits.ts'
import { fromBase62, idLength, toBase62 } from '#shared/text/ids.ts'

/** Source of the reports: a check by its location and suffix (shared/subjects/sources.ts), or a signal by its key. */
export interface Source {
  kind: 'location' | 'signal'
  id: string
}

export type Level = 'hour' | 'day'

const kindLetters = { location: 'l', signal: 's' } as const
const levelLetters = { hour: 'h', day: 'd' } as const

/** Length of a row's period and length of one of the row's buckets, by level; ms. */
export const spans = { hour: { row: hour, bucket: hour / 12 }, day: { row: day, bucket: hour } } as const

/** Returns the prefix of the ids of all rows of a source and level. */
export const rowPrefix = (subjectId: string, { kind, id }: Source, level: Level): string =>
  `${levelPrefix(subjectId, kind, level)}${id}.`

/** Returns the prefix of the ids of all rows of a kind of sources and a level. */
export const levelPrefix = (subjectId: string, kind: Source['kind'], level: Level): string =>
  subjectId + kindLetters[kind] + levelLetters[level]

/** Returns the id of the row that contains `at` (ms). */
export function rollUpId(subjectId: string, source: Source, level: Level, at: number): string {
  const hourOfDay = level === 'hour' ? toBase62(Math.floor((at % day) / hour), 1) : ''
  return rowPrefix(subjectId, source, level) + toBase62(Math.floor(at / day), 3) + hourOfDay
}

/** Returns the source, and the start of the row (ms). */
export function parseRollUpId(id: string): { source: Source; at: number } {
  const dot = id.indexOf('.')
  const kind = id[idLength.subject] === kindLetters.location ? 'location' : 'signal'
  const hourOfDay = id.length > dot + 4 ? fromBase62(id.slice(dot + 4)) : 0
  return {
    source: { kind, id: id.slice(idLength.subject + 2, dot) },
    at: fromBase62(id.slice(dot + 1, dot + 4)) * day + hourOfDay * hour,
  }
}

/** Returns the range of ids of the rows whose period begins at or after `from` and before `to` (ms, whole hours or days by the level). */
export const rowRange = (subjectId: string, source: Source, level: Level, from: number, to: number) => ({
  gte: rollUpId(subjectId, source, level, from),
  lt: rollUpId(subjectId, source, level, to),
})
