// Share of a period that lies outside of given stretches of time. Stretches may overlap. Pure. Instants in ms.

export interface Stretch {
  from: number
  /** End of the stretch; null: the stretch has not ended. */
  to: number | null
}

/** Returns the milliseconds between `from` and `to` that lie in at least one stretch. */
export function coveredMs(stretches: readonly Stretch[], from: number, to: number): number {
  const cut = stretches
    .map(stretch => ({ from: Math.max(stretch.from, from), to: Math.min(stretch.to ?? to, to) }))
    .filter(stretch => stretch.to > stretch.from)
    .sort((one, other) => one.from - other.from)
  let covered = 0
  let reached = from
  for (const stretch of cut) {
    if (stretch.to <= reached) continue
    covered += stretch.to - Math.max(stretch.from, reached)
    reached = stretch.to
  }
  return covered
}

/** Returns the share of the period from `from` to `to` that lies in no stretch, 0 to 1; null: the period is empty. */
export const shareWithout = (stretches: readonly Stretch[], from: number, to: number): number | null =>
  to <= from ? null : 1 - coveredMs(stretches, from, to) / (to - from)
