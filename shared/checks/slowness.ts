// Judgement of how long a check took, of every kind that has a bound for it. Pure.

/** Returns the fault of a check that passed otherwise, as a sentence; null: it was fast enough. Both in ms. */
export function slowness(maxMs: number, totalMs: number): string | null {
  const ms = Math.round(totalMs)
  return ms > maxMs ? `answer took ${ms} ms, more than ${maxMs}` : null
}
