// Marks in the drawing of a machine: its active state, the earlier states and transitions (arrows), and the next transition. Pure.

export interface Life {
  active: string | null
  past: ReadonlySet<string>
  /** Number of times that each arrow was taken, by arrow id. */
  taken: ReadonlyMap<string, number>
  /** Arrow of the transition in the latest record; null: the record kept the state. */
  latest: string | null
  /** Arrows that the next event by time takes. */
  next: ReadonlySet<string>
  /** The deadline of the active state; null: none. `share`: the part of the wait that has passed, 0 to 1. */
  due: { text: string; share: number } | null
}

export const arrowOf = (from: string, to: string): string => `${from}->${to}`

/** `states`: the machine's state after each record, oldest first. Records that keep the state mark no arrow. */
export function lifeOf(states: readonly string[], next: string | null, due: Life['due']): Life {
  const taken = new Map<string, number>()
  let latest: string | null = null
  for (const [i, to] of states.entries()) {
    const from = states[i - 1]
    latest = from === undefined || from === to ? null : arrowOf(from, to)
    if (latest !== null) taken.set(latest, (taken.get(latest) ?? 0) + 1)
  }
  const active = states.at(-1) ?? null
  return {
    active,
    past: new Set(states.slice(0, -1)),
    taken,
    latest,
    next: new Set(active !== null && next !== null && next !== active ? [arrowOf(active, next)] : []),
    due,
  }
}

/** Returns the part of a wait that has passed, 0 to 1. */
export const shareOf = (from: number, to: number, at: number): number =>
  Math.min(1, Math.max(0, (at - from) / Math.max(1, to - from)))
