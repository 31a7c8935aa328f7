// Durations as generation 2 writes them: Go style text, `2m0s`, `1h30m0s`, `0s` (spec D, general rules).

const unitMs: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1, us: 1e-3, µs: 1e-3, ns: 1e-6 }
const whole = /^(?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s|us|µs|ns)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s|us|µs|ns))*$/
const part = /(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|µs|ns)/g
const longestMs = 292 * 365 * 24 * 3_600_000

/** Milliseconds of a duration text such as `90s`, `2m`, `1h30m`; null where it is not one, is negative or beyond 292 years. */
export function parseDuration(text: string): number | null {
  if (text === '0') return 0
  if (!whole.test(text)) return null
  let ms = 0
  for (const [, amount, unit] of text.matchAll(part)) ms += Number(amount) * (unitMs[unit as string] as number)
  return ms <= longestMs ? Math.round(ms) : null
}

/** The normalised text of a duration: 120000 is `2m0s`, 0 is `0s`, 1500 is `1.5s`, 250 is `250ms`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s'
  if (ms < 1_000) return `${ms}ms`
  const hours = Math.floor(ms / 3_600_000)
  const minutes = Math.floor((ms % 3_600_000) / 60_000)
  const seconds = (ms % 60_000) / 1_000
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`
}

/** A length of time for a person: `45s`, `2m`, `1h 5m`, `3d 4h`; the two largest units that are not zero. */
export function humanDuration(ms: number): string {
  const total = Math.max(0, Math.round(ms / 1_000))
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
