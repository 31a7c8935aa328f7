// Progress line of a command that lasts longer than a second. The line is written only if standard error is a terminal. Each update
// replaces the line, and any other output first clears it.
import { isatty } from 'node:tty'
import { oneLine } from '#shared/text/one-line.ts'
import { cutTo } from './plain-line.ts'

const stderrFd = 2
/** Assumed width of a terminal that does not report its width, columns. */
const usualColumns = 80

const quietMs = 1_000
const redrawMs = 250

let isShown = false

export interface Progress {
  /** Sets the text of the line. Also redraws the line if it is due, because the timer does not run during a long computation. */
  say(text: string): void
  end(): void
}

export function startProgress(first: string): Progress {
  if (!isatty(stderrFd)) return { say: () => {}, end: () => {} }
  let text = first
  let nextAt = performance.now() + quietMs
  const draw = () => {
    if (performance.now() < nextAt) return
    nextAt = performance.now() + redrawMs
    drawStatusLine(text)
  }
  const drawing = setInterval(draw, redrawMs).unref()
  return {
    say: now => {
      text = now
      draw()
    },
    end: () => {
      clearInterval(drawing)
      clearStatusLine()
    },
  }
}

/** The line is cut to the window, because a line that wraps cannot be cleared completely. */
function drawStatusLine(text: string): void {
  isShown = true
  process.stderr.write(`\r\u001b[K${cutTo(oneLine(text), (process.stderr.columns || usualColumns) - 1)}`)
}

export function clearStatusLine(): void {
  if (isShown) process.stderr.write('\r\u001b[K')
  isShown = false
}
