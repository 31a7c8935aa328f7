// A line on the terminal about a command that lasts longer than a second. Nothing is written where standard error is no terminal.
import { clearStatusLine, drawStatusLine, hasStatusLine } from './status-line.ts'

const quietMs = 1_000
const redrawMs = 250

export interface Progress {
  /** The work in progress. Draws too, because a timer does not run during a long computation. */
  say(text: string): void
  /** Removes the line. */
  end(): void
}

export function startProgress(first: string): Progress {
  if (!hasStatusLine()) return { say: () => {}, end: () => {} }
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
