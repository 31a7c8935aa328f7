// The time that an uptime counts, in words. Pure.
import type { DayBars } from '#shared/contracts/session/session-charts.ts'

/** Returns `23 Nov 2026` for `2026-11-23`, a day in UTC. */
export const utcDay = (day: string): string =>
  new Date(day).toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

/** Returns `90 days`, or the first day on which the monitor was watched if that was later. */
export function countedDays(days: DayBars['days']): string {
  const first = days.find(({ uptime }) => uptime !== null)
  if (first === undefined) return 'Not watched yet'
  return first === days[0] ? `${days.length} days` : `Since ${utcDay(first.day)}`
}
