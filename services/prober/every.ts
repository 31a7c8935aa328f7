// A repeated call on an injected clock.
import type { Cancel, Clock } from '#shared/clock.ts'

/** Calls `run` each `periodMs`; the returned function ends it. */
export function every(clock: Clock, periodMs: number, run: () => void): Cancel {
  let cancel: Cancel = () => {}
  const arm = () => {
    cancel = clock.after(periodMs, () => {
      arm()
      run()
    })
  }
  arm()
  return () => cancel()
}
