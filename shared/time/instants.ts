// Instants in the form of generation 3: RFC 3339, UTC, at most six fractional digits, without trailing zeros. Equal instants have equal
// texts.

/** Returns microseconds since the epoch as `2026-10-05T12:10:58Z`, with fractional digits if needed. */
export function instantOfMicroseconds(atUs: number): string {
  if (atUs !== written.atUs) written = { atUs, text: write(atUs) }
  return written.text
}

/** Cache of the latest text, because the instant of one Observation is written several times. */
let written = { atUs: Number.NaN, text: '' }

function write(atUs: number): string {
  const seconds = Math.floor(atUs / 1_000_000)
  const whole = new Date(seconds * 1_000).toISOString().slice(0, -'.000Z'.length)
  const fraction = String(Math.round(atUs - seconds * 1_000_000))
    .padStart(6, '0')
    .replace(/0+$/, '')
  return fraction === '' ? `${whole}Z` : `${whole}.${fraction}Z`
}
