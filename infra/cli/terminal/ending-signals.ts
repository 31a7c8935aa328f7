// Signals that end a command. The first signal ends the command cleanly, a later signal at once. npm forwards Ctrl-C, so one Ctrl-C may
// arrive twice: a second signal within a moment is ignored.
import { limits } from '#shared/limits/limits.ts'

export interface EndingSignals {
  signals: readonly NodeJS.Signals[]
  first(signal: NodeJS.Signals): void
  again(): void
}

/** Begins to handle the signals. */
export function onEndingSignals({ signals, first, again }: EndingSignals): void {
  let endingSince: number | null = null
  const end = (signal: NodeJS.Signals) => {
    if (endingSince === null) {
      endingSince = performance.now()
      first(signal)
    } else if (performance.now() - endingSince >= limits.start.sameSignalMs) again()
  }
  for (const signal of signals) process.on(signal, end)
}
