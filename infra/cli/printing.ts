// Output of the commands: JSON for scripts, columns and sentences for people.
import { styleText } from 'node:util'

/** Characters that move a cursor or turn the direction of writing are escaped, which JSON reads back as they were. */
export const printJson = (value: unknown) =>
  console.log(JSON.stringify(value).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, escaped))

const escaped = (character: string): string =>
  character
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/** A sentence for the person. */
export const say = (sentence: string) => console.log(oneLine(sentence))

/**
 * The value that a script needs next (an id, a token, a file), alone on standard output, so that it can be piped. The sentence is for
 * the person, on standard error.
 */
export function printMade(value: string, sentence: string): void {
  console.error(oneLine(sentence))
  console.log(value)
}

/** What others wrote, as a part of one line: nothing in it begins a line, moves the cursor, or hides what stands beside it. */
export const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')

/** Columns as wide as they need; the heading is bold on a terminal that can show it, or as NO_COLOR and FORCE_COLOR say. */
export function printTable(heading: string[], written: string[][]): void {
  const rows = written.map(row => row.map(oneLine))
  const widths = heading.map((title, column) => Math.max(title.length, ...rows.map(row => (row[column] ?? '').length)))
  const line = (row: string[]) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  console.log(styleText('bold', line(heading), { stream: process.stdout }))
  for (const row of rows) console.log(line(row))
}

export const day = (at: number) => new Date(at).toISOString().slice(0, 10)
export const instant = (at: number) => new Date(at).toISOString()
