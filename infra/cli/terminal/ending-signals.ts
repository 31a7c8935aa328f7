// Signals that end a command. The first signal ends the command cleanly. A later signal ends it at once. A second signal within a moment is
// ignored, because npm forwards Ctrl-C and one Ctrl-C may then arrive twice.
import { limits } from '#shared/limits/limits.ts'

export interface EndingSignals {
  signals: readonly NodeJS.Signals[]
  first(signal: NodeJS.Signals): void
  again(): void
}

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
