// Collects what arrives while the previous round is under way, so that a burst costs few store calls and a single item waits
// for nobody.

export interface BatchLoop<T> {
  add(items: Iterable<T>): void
  size(): number
  /** Resolves when nothing waits or runs. */
  idle(): Promise<void>
}

/** One round at a time, of at most `max` items. `handle` must not reject. */
export function createBatchLoop<T>(max: number, handle: (items: T[]) => Promise<void>): BatchLoop<T> {
  const waiting = new Set<T>()
  let running: Promise<void> | null = null

  const rounds = async () => {
    while (waiting.size > 0) {
      const items: T[] = []
      for (const item of waiting) {
        if (items.length >= max) break
        items.push(item)
      }
      for (const item of items) waiting.delete(item)
      await handle(items)
    }
    running = null
  }
  return {
    add: items => {
      for (const item of items) waiting.add(item)
      // Begins a turn later, so that all that is added in this turn goes together.
      if (waiting.size > 0) running ??= Promise.resolve().then(rounds)
    },
    size: () => waiting.size,
    idle: async () => {
      while (running !== null) await running
    },
  }
}
