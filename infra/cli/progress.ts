// A line on the terminal about a command that lasts longer than a second. Nothing is written where standard error is no terminal.
import { isatty } from 'node:tty'
import { oneLine } from './printing.ts'

const quietMs = 1_000
const redrawMs = 250
const stderrFd = 2

export interface Progress {
  /** The work in progress. */
  say(text: string): void
  /** Removes the line. */
  end(): void
}

export function startProgress(first: string): Progress {
  if (!isatty(stderrFd)) return { say: () => {}, end: () => {} }
  let text = first
  let isShown = false
  const draw = () => {
    isShown = true
    process.stderr.write(`\r\u001b[K${oneLine(text)}`)
  }
  let redrawing: NodeJS.Timeout | undefined
  const starting = setTimeout(() => {
    draw()
    redrawing = setInterval(draw, redrawMs).unref()
  }, quietMs).unref()
  return {
    say: now => {
      text = now
    },
    end: () => {
      clearTimeout(starting)
      clearInterval(redrawing)
      if (isShown) process.stderr.write('\r\u001b[K')
      isShown = false
    },
  }
}
