// The server's clock in the browser; no other file of the dashboard reads the browser's clock. Every response with `at` sets this clock,
// and the browser's monotonic clock advances it. A wrong clock of the visitor's computer therefore has no effect.
import { signal } from '@preact/signals'

let serverAt = Date.now()
let readAt = performance.now()

/** Returns the time of the server's clock, ms since the epoch. */
export const serverNow = (): number => serverAt + (performance.now() - readAt)

/** Sets the clock to the instant in a response. */
export function setServerClock(at: number): void {
  serverAt = at
  readAt = performance.now()
  now.value = at
}

/** The server's clock, updated each second. Components that read this signal, such as countdowns, are drawn again each second. */
export const now = signal(serverAt)

/** Calls `run` once after `ms`. The returned function cancels the call. */
export function schedule(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

/** Advances `now` each second while `isSeen` returns true. */
export function startTicking(isSeen: () => boolean): void {
  const tick = () => {
    if (isSeen()) now.value = serverNow()
    schedule(1_000 - (serverNow() % 1_000), tick)
  }
  tick()
}
