// What commands print on standard output: JSON for machines, columns for people.

export const printJson = (value: unknown) => console.log(JSON.stringify(value))

/** Columns as wide as they need; the heading is bold on a terminal. */
export function printTable(heading: string[], rows: string[][]): void {
  const widths = heading.map((title, column) => Math.max(title.length, ...rows.map(row => (row[column] ?? '').length)))
  const line = (row: string[]) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  const coloured = process.stdout.isTTY && process.env['NO_COLOR'] === undefined
  console.log(coloured ? `\u001b[1m${line(heading)}\u001b[22m` : line(heading))
  for (const row of rows) console.log(line(row))
}

export const day = (at: number) => new Date(at).toISOString().slice(0, 10)
export const instant = (at: number) => new Date(at).toISOString()
