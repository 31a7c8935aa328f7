// Instants as the dialects write them: RFC 3339, UTC, milliseconds; the same instant always gives the same text.
export const timestamp = (at: number): string => new Date(at).toISOString()

export const timestampOrNull = (at: number | null): string | null => (at === null ? null : timestamp(at))
