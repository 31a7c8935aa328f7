// The signals that end a command: the first one with grace, a later one at once. One Ctrl-C may arrive twice, from the terminal and
// from npm, which hands it on: a repetition within moments is the same one.
import { limits } from '#shared/limits/limits.ts'

export interface EndingSignals {
  signals: readonly NodeJS.Signals[]
  first(signal: NodeJS.Signals): void
  again(): void
}

/** Listens from now on. */
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
