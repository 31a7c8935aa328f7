// A line on the terminal about a command that lasts longer than a second. Nothing is written where standard error is no terminal.
import { clearStatusLine, drawStatusLine, hasStatusLine } from './status-line.ts'

const quietMs = 1_000
const redrawMs = 250

export interface Progress {
  /** The work in progress. */
  say(text: string): void
  /** Removes the line. */
  end(): void
}

export function startProgress(first: string): Progress {
  if (!hasStatusLine()) return { say: () => {}, end: () => {} }
  let text = first
  const draw = () => drawStatusLine(text)
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
      clearStatusLine()
    },
  }
}
