// Marks in the drawing of a machine: the active state, the earlier states, the transitions so far (arrows), and the next transition. Pure.

export interface Life {
  active: string | null
  past: ReadonlySet<string>
  /** Number of transitions along an arrow, by arrow id. */
  taken: ReadonlyMap<string, number>
  /** Id of the arrow of the transition in the latest record; null: this record did not change the state. */
  latest: string | null
  /** Id of the arrow of the next transition; an empty set: there is no next transition. */
  next: ReadonlySet<string>
  /** Deadline of the active state; null: the state has no deadline. `share`: elapsed part of the wait for the deadline, 0 to 1. */
  due: { text: string; share: number } | null
}

export const arrowOf = (from: string, to: string): string => `${from}->${to}`

/** `states`: the machine's state after each record, oldest first. A record that does not change the state marks no arrow. */
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
