// Time line of a simulated world, which holds all its timers. Before it moves to the next instant, it waits until all promises that can
// settle have settled. So the order of events depends on the seed alone.

interface Timer {
  at: number
  order: number
  run: (() => void) | null
}

/** Start of every simulated world, ms since the epoch: a full hour, so that traces are easy to read. */
export const startOfTime = 1_700_006_400_000

export class VirtualTime {
  readonly #heap: Timer[] = []
  #elapsed = 0
  #order = 0
  #suspendedMs = 0

  /** Milliseconds since the epoch, as the bus sees it. */
  now(): number {
    return startOfTime + Math.floor(this.#elapsed) + this.#suspendedMs
  }

  /** Time for which the machine was suspended so far, ms. */
  suspendedMs(): number {
    return this.#suspendedMs
  }

  /** Suspends the machine of all processes for `ms`, or sets its clock forward: instants jump, and no timer comes nearer. */
  suspend(ms: number): void {
    this.#suspendedMs += ms
  }

  /** Milliseconds since the world began. */
  elapsed(): number {
    return this.#elapsed
  }

  schedule(delayMs: number, run: () => void): () => void {
    const timer: Timer = { at: this.#elapsed + Math.max(0, delayMs), order: this.#order++, run }
    this.#push(timer)
    return () => {
      timer.run = null
    }
  }

  /** Resolves when this much of the virtual time has passed. */
  pass(delayMs: number): Promise<void> {
    return new Promise(resolve => void this.schedule(delayMs, resolve))
  }

  /** Advances to `until` (ms since the world began) and runs each timer that is due on the way. */
  async advanceTo(until: number): Promise<void> {
    await settle()
    for (let timer = this.#heap[0]; timer !== undefined && timer.at <= until; timer = this.#heap[0]) {
      this.#pop()
      if (timer.run === null) continue
      this.#elapsed = Math.max(this.#elapsed, timer.at)
      timer.run()
      await settle()
    }
    this.#elapsed = Math.max(this.#elapsed, until)
  }

  #push(timer: Timer): void {
    const heap = this.#heap
    let i = heap.length
    heap.push(timer)
    while (i > 0) {
      const parent = (i - 1) >> 1
      if (!isBefore(timer, heap[parent] as Timer)) break
      heap[i] = heap[parent] as Timer
      i = parent
    }
    heap[i] = timer
  }

  #pop(): void {
    const heap = this.#heap
    const last = heap.pop() as Timer
    if (heap.length === 0) return
    let i = 0
    for (let child = 1; child < heap.length; child = 2 * i + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Timer, heap[child] as Timer)) child++
      if (!isBefore(heap[child] as Timer, last)) break
      heap[i] = heap[child] as Timer
      i = child
    }
    heap[i] = last
  }
}

const isBefore = (one: Timer, other: Timer) => one.at < other.at || (one.at === other.at && one.order < other.order)

/**
 * Waits until all microtasks have run, which is before the next turn of the event loop. The simulation waits for nothing but microtasks and
 * virtual timers.
 */
const settle = () => new Promise<void>(resolve => setImmediate(resolve))
