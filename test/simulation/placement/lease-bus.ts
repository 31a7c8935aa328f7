// A bus with buckets alone, for the simulation of thousands of watches: values are shared instead of copied, and all deliveries of one instant
// are one timer. Its leader makes conditional writes one after another, at a fixed rate; a client waits for each as long as in a cluster.
import type { Bucket, BucketEntry, Bus } from '#shared/bus/port.ts'
import { BusError } from '#shared/bus/port.ts'
import { limits } from '#shared/limits/limits.ts'
import type { VirtualTime } from '../virtual-time.ts'

export interface Counts {
  writes: number
  deliveries: number
}

interface LeaseBucket {
  entries: Map<string, BucketEntry>
  watches: Watch[]
  revision: number
  /** Instant at which its leader has made all writes so far, virtual ms. */
  freeAt: number
}

interface Watch {
  head: string
  onEntry(entry: BucketEntry): void
  isDead(): boolean
}

/** Time of a message on its way, ms. */
const wayMs = 1

export class LeaseBus {
  readonly counts: Counts = { writes: 0, deliveries: 0 }
  readonly #time: VirtualTime
  readonly #writeMs: number
  readonly #buckets = new Map<string, LeaseBucket>()
  /** What runs at a whole millisecond. */
  readonly #instants = new Map<number, (() => void)[]>()
  #late: (() => void)[] = []

  /** `writesPerSecond` 0: any number. */
  constructor(time: VirtualTime, writesPerSecond: number) {
    this.#time = time
    this.#writeMs = writesPerSecond === 0 ? 0 : 1_000 / writesPerSecond
  }

  entries(name: string): Map<string, BucketEntry> {
    return this.#bucket(name).entries
  }

  /** Writes an entry before anybody watches. */
  seed(name: string, key: string, value: unknown): void {
    const bucket = this.#bucket(name)
    bucket.revision += 1
    bucket.entries.set(key, { key, revision: bucket.revision, at: this.#time.now(), value })
  }

  connect(isDead: () => boolean): Bus {
    const buckets = new Map<string, Bucket>()
    const bucket = (name: string) => {
      const present = buckets.get(name) ?? this.#connectBucket(name, isDead)
      buckets.set(name, present)
      return present
    }
    return { bucket, connected: () => true, onConnection: () => () => undefined } as never
  }

  #bucket(name: string) {
    const present: LeaseBucket = this.#buckets.get(name) ?? { entries: new Map(), watches: [], revision: 0, freeAt: 0 }
    this.#buckets.set(name, present)
    return present
  }

  #connectBucket(name: string, isDead: () => boolean): Bucket {
    const bucket = this.#bucket(name)
    const write = (key: string, value: unknown, expected: number | null) =>
      this.#queue(name, isDead, () => {
        if (expected !== null && (bucket.entries.get(key)?.revision ?? 0) !== expected) return null
        bucket.revision += 1
        const entry = { key, revision: bucket.revision, at: this.#time.now(), value }
        bucket.entries.set(key, entry)
        this.#deliver(bucket.watches, entry)
        return entry.revision
      })
    return {
      get: async (key: string) => {
        await this.#time.pass(2 * wayMs)
        return bucket.entries.get(key) ?? null
      },
      put: async (key: string, value: unknown) => (await write(key, value, null)) as number,
      update: (key: string, value: unknown, revision: number) => write(key, value, revision),
      delete: async (key: string) => void (await write(key, null, null)),
      watch: async (filter: string, { onEntry, onReady }: { onEntry(entry: BucketEntry): void; onReady?(): void }) => {
        await this.#time.pass(2 * wayMs)
        const watch = { head: filter.replace(/[*>]$/, ''), onEntry, isDead }
        for (const entry of bucket.entries.values()) if (entry.key.startsWith(watch.head)) onEntry(entry)
        bucket.watches.push(watch)
        onReady?.()
        return { close: async () => void bucket.watches.splice(bucket.watches.indexOf(watch), 1) }
      },
    } as never
  }

  /** Resolves with the result; rejects when the client's patience ends, though the write is still made. */
  #queue(name: string, isDead: () => boolean, act: () => number | null): Promise<number | null> {
    if (isDead()) return new Promise(() => undefined)
    this.counts.writes += 1
    const bucket = this.#bucket(name)
    const now = this.#time.elapsed()
    bucket.freeAt = Math.max(bucket.freeAt, now + wayMs) + this.#writeMs
    const doneMs = bucket.freeAt - now
    return new Promise((resolve, reject) => {
      let revision: number | null = null
      this.#at(doneMs, () => {
        revision = act()
        if (doneMs + wayMs <= limits.bus.clustered.publishMs) this.#at(wayMs, () => resolve(revision))
      })
      if (doneMs + wayMs > limits.bus.clustered.publishMs)
        this.#at(limits.bus.clustered.publishMs, () => reject(new BusError('unavailable', 'The bus did not answer in time.')))
    })
  }

  /** Runs at a whole millisecond, together with everything else of this instant. */
  #at(delayMs: number, run: () => void): void {
    const at = Math.ceil(this.#time.elapsed() + delayMs)
    const present = this.#instants.get(at)
    if (present !== undefined) return void present.push(run)
    const runs = [run]
    this.#instants.set(at, runs)
    this.#time.schedule(at - this.#time.elapsed(), () => {
      this.#instants.delete(at)
      for (const one of runs) one()
    })
  }

  #deliver(watches: readonly Watch[], entry: BucketEntry): void {
    if (this.#late.length === 0)
      this.#at(wayMs, () => {
        const late = this.#late
        this.#late = []
        for (const one of late) one()
      })
    this.#late.push(() => {
      for (const watch of watches) {
        if (watch.isDead() || !entry.key.startsWith(watch.head)) continue
        this.counts.deliveries += 1
        watch.onEntry(entry)
      }
    })
  }
}
