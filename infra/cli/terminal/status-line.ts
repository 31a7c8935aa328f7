// The progress line on the terminal of standard error: replaced by each update, and cleared before anything else is printed.
import { isatty } from 'node:tty'
import { oneLine } from '#shared/text/one-line.ts'
import { cutTo } from './plain-line.ts'

const stderrFd = 2
/** Width of a terminal that does not report its width. */
const usualColumns = 80

let isShown = false

export const hasStatusLine = (): boolean => isatty(stderrFd)

/** Cut to the window, because a line that wraps cannot be cleared completely. */
export function drawStatusLine(text: string): void {
  isShown = true
  process.stderr.write(`\r\u001b[K${cutTo(oneLine(text), (process.stderr.columns || usualColumns) - 1)}`)
}

export function clearStatusLine(): void {
  if (isShown) process.stderr.write('\r\u001b[K')
  isShown = false
}
