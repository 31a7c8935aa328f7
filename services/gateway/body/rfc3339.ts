// Parser of timestamps from clients: only RFC 3339 (section 5.6). The result is in microseconds since the epoch.

const form = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/
const longestText = 64
const microsecondsPerSecond = 1_000_000

/**
 * Returns microseconds since the epoch; finer fractions are cut. A leap second counts as the next second. Returns null if the text is not
 * RFC 3339, names no real day or time, or lies outside the years 0000 to 9999 of UTC. Before 1685 and after 2255 a JavaScript number cannot
 * represent every microsecond, so fractions are cut to milliseconds.
 */
export function parseTimestamp(text: string): number | null {
  const parts = text.length <= longestText ? form.exec(text) : null
  if (parts === null) return null
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const [hour, minute, second] = [Number(parts[4]), Number(parts[5]), Number(parts[6])]
  const [offsetHours, offsetMinutes] = [Number(parts[9] ?? 0), Number(parts[10] ?? 0)]
  if (hour > 23 || minute > 59 || second > 60 || offsetHours > 23 || offsetMinutes > 59) return null
  if (month < 1 || month > 12 || day < 1 || (day > daysInEveryMonth && day > daysIn(year, month))) return null
  const offsetSeconds = (parts[8] === '-' ? -60 : 60) * (offsetHours * 60 + offsetMinutes)
  const atMinute = midnight(year, month, day) / 1_000 + hour * 3_600 + minute * 60 - offsetSeconds
  if (second === 60 && !endsMonth(atMinute + 60)) return null
  const seconds = atMinute + second
  if (seconds < firstSecond || seconds >= endSecond) return null
  const digits = Number.isSafeInteger(seconds * microsecondsPerSecond) ? 6 : 3
  return seconds * microsecondsPerSecond + Number((parts[7] ?? '').slice(0, digits).padEnd(6, '0'))
}

/** Whether an instant is the end of a month in UTC. Leap seconds occur only there. */
function endsMonth(seconds: number): boolean {
  const date = new Date(seconds * 1_000)
  return date.getUTCDate() === 1 && date.getUTCHours() === 0 && date.getUTCMinutes() === 0
}

/** Returns midnight of a day. `Date.UTC` would read the years 0 to 99 as 1900 to 1999. */
const midnight = (year: number, month: number, day: number): number => new Date(0).setUTCFullYear(year, month - 1, day)

const daysIn = (year: number, month: number): number => new Date(midnight(year, month + 1, 0)).getUTCDate()

const daysInEveryMonth = 28
const firstSecond = midnight(0, 1, 1) / 1_000
const endSecond = midnight(10_000, 1, 1) / 1_000
