// Durations in the form of generation 2: texts as Go writes them, `2m0s`, `1h30m0s`, `0s` (reference/custom-subjects 3.4).
import { day, hour, minute, second } from '#shared/limits/limits.ts'

const unitNs: Record<string, bigint> = {
  h: 3_600_000_000_000n,
  m: 60_000_000_000n,
  s: 1_000_000_000n,
  ms: 1_000_000n,
  us: 1_000n,
  µs: 1_000n,
  ns: 1n,
}
const nsPerMs = 1_000_000n
const whole = /^(?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s|us|µs|ns)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s|us|µs|ns))*$/
const part = /(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|µs|ns)/g
const longestMs = 292 * 365 * day
/** Longest accepted text; Go itself writes at most 25 characters. */
const longestText = 64

/**
 * Returns the milliseconds of a duration such as `90s`, `2m`, `1h30m`. Null if the text is not a duration, is negative, or is longer than
 * 292 years or 64 characters. Null also for a fraction of a millisecond, because `1us` must not become 0.
 */
export function parseDuration(text: string): number | null {
  if (text === '0') return 0
  if (text.length > longestText || !whole.test(text)) return null
  let ns = 0n
  for (const [, amount = '', unit = ''] of text.matchAll(part)) {
    const [integer = '', fraction = ''] = amount.split('.')
    const scale = 10n ** BigInt(fraction.length)
    const scaled = BigInt(integer + fraction) * (unitNs[unit] as bigint)
    if (scaled % scale !== 0n) return null
    ns += scaled / scale
  }
  const ms = Number(ns / nsPerMs)
  return ns % nsPerMs === 0n && ms <= longestMs ? ms : null
}

/** Returns the normalised text of a duration: 120000 is `2m0s`, 0 is `0s`, 1500 is `1.5s`, 250 is `250ms`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s'
  if (ms < second) return `${ms}ms`
  const hours = Math.floor(ms / hour)
  const minutes = Math.floor((ms % hour) / minute)
  const seconds = (ms % minute) / second
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`
}

/** Returns a duration of whole seconds as Go writes it, without zeros at its end: 600000 is `10m`, 3600000 is `1h`, 5405000 is `1h30m5s`. */
export const shortDuration = (ms: number): string =>
  formatDuration(ms)
    .replace(/(?<=[hm])0s$/, '')
    .replace(/(?<=h)0m$/, '')

/** Returns a duration for people: `45s`, `2m`, `1h 5m`, `3d 4h`, with the two largest units that are not zero. */
export function humanDuration(ms: number): string {
  const total = Math.max(0, Math.round(ms / second))
  const parts: [number, string][] = [
    [Math.floor(total / 86_400), 'd'],
    [Math.floor(total / 3_600) % 24, 'h'],
    [Math.floor(total / 60) % 60, 'm'],
    [total % 60, 's'],
  ]
  const first = parts.findIndex(([amount]) => amount > 0)
  if (first < 0) return '0s'
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount}${unit}`)
    .join(' ')
}

/** Returns a duration for people in whole days: `12 days`, `1 day`; a shorter one as `humanDuration` does. */
export function humanDays(ms: number): string {
  const days = Math.floor(ms / day)
  if (days === 0) return humanDuration(ms)
  return days === 1 ? '1 day' : `${days} days`
}
