// The Observation log as the session API serves it, and the address of one page of the log. Pure.

export interface Logged {
  id: string
  signal: string
  /** The id of a location; empty: the report came from no location. */
  location: string
  state: string
  value: number | null
  at: string
  source: string
  reason: string | null
  rejected: string | null
}

/** Number of rows in a page of the log. Further rows are read on request, so that the monitor's page stays short on a phone. */
export const logRows = 20

export interface LogFilters {
  isUnaccepted: boolean
  /** A day in the visitor's time zone, in the format of a date input; empty: any day. */
  day: string
  /** Instant before which rows are wanted; null: the newest rows are wanted. */
  before: string | null
}

export function logAddress(monitorId: string, { isUnaccepted, day, before }: LogFilters): string {
  const asked = new URLSearchParams({ limit: String(logRows) })
  if (isUnaccepted) asked.set('unaccepted', 'true')
  const [from, to] = dayRange(day)
  if (from !== null) asked.set('from', from)
  const end = before ?? to
  if (end !== null) asked.set('to', end)
  return `/session/monitors/${encodeURIComponent(monitorId)}/observations?${asked}`
}

/** Returns the first instant of a day, and the first instant of the next day. Returns two nulls if the text is no day. */
function dayRange(day: string): [string, string] | [null, null] {
  const start = new Date(`${day}T00:00`)
  if (Number.isNaN(start.getTime())) return [null, null]
  const end = new Date(start)
  end.setDate(end.getDate() + 1)
  return [start.toISOString(), end.toISOString()]
}

const rejections: Readonly<Record<string, string>> = {
  clock_skew: 'its instant lies ahead',
  late: 'it came too late',
  out_of_order: 'a newer one had come',
  out_of_retention: 'its instant is out of retention',
}

/** Returns words for the reason why a report does not count. Returns an unknown reason unchanged. */
export const rejectionWords = (rejected: string): string => `Not accepted: ${rejections[rejected] ?? rejected}`
