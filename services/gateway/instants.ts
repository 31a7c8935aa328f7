// Instants as the dialects write them: RFC 3339, UTC; the same instant always gives the same text.
export const timestamp = (at: number): string => new Date(at).toISOString()

export const timestampOrNull = (at: number | null): string | null => (at === null ? null : timestamp(at))

/** Whole milliseconds of microseconds since the epoch. In far years a number holds no single microseconds: there it is rounded. */
export const millisecondsOf = (atUs: number): number =>
  Number.isSafeInteger(atUs) ? Math.floor(atUs / 1_000) : Math.round(atUs / 1_000)

/** Of microseconds since the epoch: three fractional digits where they say all, else six; of far years always three. */
export function timestampOfMicroseconds(atUs: number): string {
  const ms = millisecondsOf(atUs)
  const rest = Number.isSafeInteger(atUs) ? atUs - ms * 1_000 : 0
  return rest === 0 ? timestamp(ms) : `${timestamp(ms).slice(0, -1)}${String(rest).padStart(3, '0')}Z`
}
