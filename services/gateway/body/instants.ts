// Formats of instants in the dialects: RFC 3339, UTC. Equal instants always give equal texts.
export const timestamp = (at: number): string => new Date(at).toISOString()

export const timestampOrNull = (at: number | null): string | null => (at === null ? null : timestamp(at))

/**
 * Converts microseconds since the epoch to whole milliseconds. Before 1685 and after 2255 a JavaScript number cannot represent every
 * microsecond, so the result is rounded.
 */
export const millisecondsOf = (atUs: number): number =>
  Number.isSafeInteger(atUs) ? Math.floor(atUs / 1_000) : Math.round(atUs / 1_000)

/**
 * Formats microseconds since the epoch. The text has three fractional digits if the instant is a whole millisecond, else six. Before 1685
 * and after 2255 the text always has three fractional digits.
 */
export function timestampOfMicroseconds(atUs: number): string {
  const ms = millisecondsOf(atUs)
  const rest = Number.isSafeInteger(atUs) ? atUs - ms * 1_000 : 0
  return rest === 0 ? timestamp(ms) : `${timestamp(ms).slice(0, -1)}${String(rest).padStart(3, '0')}Z`
}
