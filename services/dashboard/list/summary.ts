// The summary of all monitors as one line, and the filters with their words, tones and counts. Pure.
import type { MonitorCounts } from '#shared/contracts/session/session-monitors.ts'
import { counted, grouped } from '../data/format.ts'
import { stateOf, type Tone } from '../words/statuses.ts'

/** Statuses of trouble, the worst first. */
const troubleStatuses = ['down', 'no_data', 'pending', 'recovering', 'partly_known'] as const

export type ListStatus =
  | 'all'
  | 'trouble'
  | 'down'
  | 'no_data'
  | 'pending'
  | 'recovering'
  | 'partly_known'
  | 'unknown'
  | 'up'
  | 'maintenance'

export const listStatuses: readonly ListStatus[] = ['all', 'trouble', ...troubleStatuses, 'unknown', 'up', 'maintenance']

export const totalOf = ({ maintenance, ...statuses }: MonitorCounts): number =>
  Object.values(statuses).reduce((sum, count) => sum + count, 0)

/** Returns the number of monitors with a status of trouble. Monitors that were not judged yet do not count. */
export const troubleOf = (counts: MonitorCounts): number => troubleStatuses.reduce((sum, status) => sum + counts[status], 0)

/** Returns the tone of the worst status among all monitors. */
export function worstOf(counts: MonitorCounts): Tone {
  const worst = troubleStatuses.find(status => counts[status] > 0)
  return stateOf(worst ?? 'up').tone
}

/** Returns the summary as a sentence, for the heading and for screen readers. */
export function summarySentence(counts: MonitorCounts): string {
  const total = totalOf(counts)
  if (total === 0) return 'Nothing is watched yet.'
  const bad = troubleOf(counts)
  if (bad > 0) return `${counted(bad, 'monitor')} of ${grouped(total)} ${bad === 1 ? 'needs' : 'need'} a look.`
  if (counts.up === 0) return `${counted(total, 'monitor')}, none judged yet.`
  return total === 1 ? 'The monitor is up.' : `All ${grouped(counts.up)} monitors are up.`
}

/** Returns the number of rows that a filter shows. */
export function countOf(status: ListStatus, counts: MonitorCounts): number {
  if (status === 'all') return totalOf(counts)
  return status === 'trouble' ? troubleOf(counts) : counts[status]
}

/** Returns the word and the tone of a filter. The tone is null if the filter shows rows of several states. */
export function filterMark(status: ListStatus): { word: string; tone: Tone | null } {
  if (status === 'all') return { word: 'All', tone: null }
  return status === 'trouble' ? { word: 'Not up', tone: null } : stateOf(status)
}

/** Returns the filters that get a button: `all`, `trouble`, the chosen filter, and every filter with rows. */
export const shownFilters = (counts: MonitorCounts, chosen: ListStatus): ListStatus[] =>
  listStatuses.filter(status => status === 'all' || status === 'trouble' || status === chosen || countOf(status, counts) > 0)
