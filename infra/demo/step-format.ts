// Formats of a step: aligned lines for people, and one JSON object for programs. Lines are folded at the terminal's width, and coloured if
// the terminal allows colours. Pure.
import type { styleText } from 'node:util'
import { second } from '#shared/limits/limits.ts'
import type { Step } from './steps.ts'

type Format = Parameters<typeof styleText>[0]

export interface TextLook {
  columns: number
  /** Returns the text in colour, or unchanged if colours are not wanted. */
  style(format: Format, text: string): string
}

const timeWidth = 7
const nameWidth = 10
const indent = ' '.repeat(timeWidth + 2 + nameWidth)
const colours: Record<Step['tone'], Format> = { plain: 'bold', good: 'green', bad: 'red', waiting: 'yellow' }

/** Returns the elapsed time and the headline as the first line, then the lines with details. */
export function textOf(step: Step, elapsedMs: number, { columns, style }: TextLook): string {
  const time = style('dim', `${(elapsedMs / second).toFixed(2)} s`.padStart(timeWidth))
  const name = style(colours[step.tone], step.name.padEnd(nameWidth))
  const width = Math.max(20, columns - indent.length)
  const [headline, ...rest] = step.lines
  const [first = '', ...folded] = fold(headline, width)
  const shown = step.name === 'message' ? style('bold', first) : first
  const below = [...folded, ...rest.flatMap(line => fold(line, width)).map(line => style('dim', line))]
  return [`${time}  ${name}${shown}`, ...below.map(line => indent + line)].join('\n')
}

/** Returns the step as JSON. The field `text` contains the sentences for people; the other fields are for programs. Instants are in UTC. */
export function jsonOf(step: Step, elapsedMs: number, at: number): string {
  return JSON.stringify({
    step: step.name,
    at: new Date(at).toISOString(),
    elapsed_ms: Math.round(elapsedMs),
    ...step.data,
    text: step.lines.join('\n'),
  })
}

/** Breaks a line between words. A word that is longer than the width gets a line of its own. */
function fold(line: string, width: number): string[] {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current)
      current = word
    } else current = current === '' ? word : `${current} ${word}`
  }
  return [...lines, current]
}
