// Level of the installation: the number of its store (ADR 36). While processes of an earlier release may run beside this one, the level is
// theirs, and only forms that they read are written. `./watchkeeper cluster finish-upgrade` raises it, also while processes run.

export interface Level {
  /** Never falls. */
  number(): number
  /** Calls the listener after each rise. Returns a function that removes it. */
  onRaise(listener: (number: number) => void): () => void
}

export interface RisingLevel extends Level {
  /** A number that is not larger is ignored. */
  raise(number: number): void
}

export function levelOf(number: number): RisingLevel {
  const listeners = new Set<(number: number) => void>()
  let present = number
  return {
    number: () => present,
    onRaise: listener => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    raise: to => {
      if (to <= present) return
      present = to
      for (const listener of [...listeners]) listener(to)
    },
  }
}
