// Progress line of a command that lasts longer than a second. Written only if standard error is a terminal.
import { clearStatusLine, drawStatusLine, hasStatusLine } from './status-line.ts'

const quietMs = 1_000
const redrawMs = 250

export interface Progress {
  /** Sets the text of the line. Also draws it, because a timer does not run during a long computation. */
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
