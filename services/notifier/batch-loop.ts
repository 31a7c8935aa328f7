// Loop that handles items in batches: items that arrive during one round are handled together in the next round.

/** Runs one round at a time, of at most `max` items. An item that already waits is not added again. `handle` must not reject. */
export function createBatchLoop<T>(max: number, handle: (items: T[]) => Promise<void>) {
  const waiting = new Set<T>()
  let running: Promise<void> | null = null
  const rounds = async () => {
    while (waiting.size > 0) {
      const items = [...waiting].slice(0, max)
      for (const item of items) waiting.delete(item)
      await handle(items)
    }
    running = null
  }
  return {
    add: (items: Iterable<T>) => {
      for (const item of items) waiting.add(item)
      // The round begins in a later microtask, so that it includes all items that the present code adds.
      if (waiting.size > 0) running ??= Promise.resolve().then(rounds)
    },
    size: () => waiting.size,
    /** Resolves when no item waits and no round runs. */
    idle: async () => {
      while (running !== null) await running
    },
  }
}

export type BatchLoop<T> = ReturnType<typeof createBatchLoop<T>>
