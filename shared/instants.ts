// Instants as generation 3 writes them: RFC 3339, UTC, no fraction that says nothing, at most six digits. The same instant always gives the same text.

/** Microseconds since the epoch, as `2026-10-05T12:10:58Z` or with as many fractional digits as it has. */
export function instantOfMicroseconds(atUs: number): string {
  if (atUs !== written.atUs) written = { atUs, text: write(atUs) }
  return written.text
}

/** The latest one: what is said of one Observation is said several times. */
let written = { atUs: Number.NaN, text: '' }

function write(atUs: number): string {
  const seconds = Math.floor(atUs / 1_000_000)
  const whole = new Date(seconds * 1_000).toISOString().slice(0, -'.000Z'.length)
  const fraction = String(Math.round(atUs - seconds * 1_000_000))
    .padStart(6, '0')
    .replace(/0+$/, '')
  return fraction === '' ? `${whole}Z` : `${whole}.${fraction}Z`
}
