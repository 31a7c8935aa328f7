// Output of the commands: JSON for scripts, columns and sentences for people.
import { styleText } from 'node:util'
import { oneLine } from '#shared/text/one-line.ts'
import { cutTo } from './plain-line.ts'
import { clearStatusLine } from './progress.ts'

export { oneLine } from '#shared/text/one-line.ts'

/** Removes the progress line, then prints a line. */
function printLine(line: string): void {
  clearStatusLine()
  console.log(line)
}

/**
 * Prints a value as JSON. Escapes characters that move a cursor or turn the direction of writing; a JSON parser restores these characters.
 */
export const printJson = (value: unknown) =>
  printLine(JSON.stringify(value).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, escaped))

const escaped = (character: string): string =>
  character
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

export const say = (sentence: string) => printLine(oneLine(sentence))

/** Like `say`, on standard error, because standard output is for scripts. */
export const warn = (sentence: string) => complain(oneLine(sentence))

/** Prints lines, such as the report of a failure, on standard error. */
export function complain(lines: string): void {
  clearStatusLine()
  console.error(plainLines(lines))
}

const plainLines = (text: string): string => text.split('\n').map(oneLine).join('\n')

/** Prints the value that a script needs next (an id, a token, a file) alone on standard output, and the sentence on standard error. */
export function printMade(value: string, sentence: string): void {
  warn(sentence)
  printLine(plainLines(value))
}

/**
 * Prints columns as wide as their longest text. The heading is bold if the terminal, NO_COLOR and FORCE_COLOR allow it. Lines are cut to
 * `columns`.
 */
export function printTable(heading: string[], written: string[][], columns = Number.POSITIVE_INFINITY): void {
  const rows = written.map(row => row.map(oneLine))
  const widths = heading.map((title, column) => Math.max(title.length, ...rows.map(row => (row[column] ?? '').length)))
  const line = (row: string[]) =>
    cutTo(
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
      columns,
    )
  printLine(styleText('bold', line(heading), { stream: process.stdout }))
  for (const row of rows) printLine(line(row))
}

export const day = (at: number) => new Date(at).toISOString().slice(0, 10)
export const instant = (at: number) => new Date(at).toISOString()
