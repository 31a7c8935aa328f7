// Texts of numbers, durations and instants for people. Pure.

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Returns a length of time in at most two parts: `41 s`, `19 min`, `3 h 12 min`, `6 d 7 h`. Negative ms count as 0. */
export function duration(ms: number): string {
  const left = Math.max(0, ms)
  if (left < minute) return `${Math.floor(left / second)} s`
  if (left < hour) return `${Math.floor(left / minute)} min`
  if (left < day) return twoParts(left, hour, 'h', minute, 'min')
  return twoParts(left, day, 'd', hour, 'h')
}

function twoParts(ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)} ${largeUnit}${rest === 0 ? '' : ` ${rest} ${smallUnit}`}`
}

/** Returns the remaining time: `1:19`, `3:41:02`, `2 d 4 h`. If the deadline is due, returns `0:00`. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / second))
  if (seconds >= 48 * 3_600) return duration(seconds * second)
  const two = (n: number) => String(n).padStart(2, '0')
  const minutes = Math.floor((seconds % 3_600) / 60)
  return seconds >= 3_600
    ? `${Math.floor(seconds / 3_600)}:${two(minutes)}:${two(seconds % 60)}`
    : `${minutes}:${two(seconds % 60)}`
}

/**
 * Returns a text such as `99.98 %`. Returns a dash for null, which means that nothing was measured. Rounds down, so that a share below 1 is
 * never shown as 100 %: 99.999 % becomes `99.99 %`.
 */
export const percent = (share: number | null): string =>
  share === null ? '–' : `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`

/** Returns a text such as `93 ms` or `1.24 s`. */
export function latency(ms: number | null): string {
  if (ms === null) return '–'
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`
}

/** Returns a value of a check with its unit: `93 ms`, `1.24 s`, `61 days`. Few days have a decimal. Rounds down: nobody has a day too many. */
export function valueWithUnit(value: number | null, unit: string): string {
  if (value === null || unit === 'ms') return latency(value)
  const scale = Math.abs(value) < 10 ? 10 : 1
  return `${grouped(Math.floor(value * scale) / scale)} ${unit}`
}

const clockParts = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const

/** Returns a text such as `02:10:47`, in the visitor's time zone. */
export const clockTime = (at: number): string => new Date(at).toLocaleTimeString(undefined, clockParts)

/** Returns a text such as `23 Nov 2026, 02:10:47`, in the visitor's time zone. */
export const instant = (at: number): string =>
  `${new Date(at).toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' })}, ${clockTime(at)}`

/** Returns true if two instants are on the same day in the visitor's time zone. */
export const isSameDay = (a: number, b: number): boolean => new Date(a).toDateString() === new Date(b).toDateString()

/** Returns a text such as `2026-11-23T02:10:47Z`, which stands beside the visitor's time and can be copied. */
export const utc = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')

/** Returns a text of the keeper as a sentence, with a capital first letter and a full stop. */
export const sentence = (text: string): string => {
  const first = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?]$/.test(first) ? first : `${first}.`
}

/** Returns a text such as `1 monitor` or `3 monitors`. */
export const counted = (n: number, noun: string, plural = `${noun}s`): string => `${grouped(n)} ${n === 1 ? noun : plural}`

/** `9,971`. */
export const grouped = (n: number): string => n.toLocaleString('en-GB')

/** Returns the names as a text: `a`, `a and b`, `a, b and c`. */
export function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}
