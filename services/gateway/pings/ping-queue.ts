// Bound of the pings that one gateway has sent to keepers and that are not stored yet. Beyond it, a ping is refused at once: its sender tries
// again, which costs less than a ping that waits and is then not stored in time.
export interface PingQueue {
  /** Starts the work. Returns null and starts nothing if too much work runs. */
  run<T>(work: () => Promise<T>): Promise<T> | null
}

export function createPingQueue(most: number): PingQueue {
  let running = 0
  return {
    run: work => {
      if (running >= most) return null
      running++
      return work().finally(() => running--)
    },
  }
}
