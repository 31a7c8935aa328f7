// Comma-separated values for spreadsheets. Pure.

/** Returns CSV with a header line. Escapes cells that a spreadsheet would read as a formula. */
export const csvOf = (head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string =>
  [head, ...rows].map(row => row.map(cellOf).join(',')).join('\r\n')

function cellOf(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value)
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
