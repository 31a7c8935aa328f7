// The subjects that a keeper has read, least recently used first to leave. What is in it was committed, or is newer only by
// the freshness of readings; whoever is refused a write drops the entry and reads again.
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { partitionOf } from '#shared/hash.ts'
import type { ReportMemory } from './report-memory.ts'

export interface Cached {
  /** Null: the store has no such subject (kept, so that stray reports cost no read each). */
  subject: SubjectDocument | null
  /** Holds freshness that the store does not have yet. */
  dirty: boolean
  /** What is known of its senders' reports; null: nothing. */
  reports: ReportMemory | null
}

export class SubjectCache {
  readonly #entries = new Map<string, Cached>()
  readonly #bound: number

  constructor(bound: number) {
    this.#bound = bound
  }

  get size(): number {
    return this.#entries.size
  }

  get(id: string): Cached | undefined {
    return this.#entries.get(id)
  }

  /** The entry as the most recently used. */
  use(id: string): Cached | undefined {
    const entry = this.#entries.get(id)
    if (entry !== undefined && this.#entries.size >= this.#bound / 2) {
      this.#entries.delete(id)
      this.#entries.set(id, entry)
    }
    return entry
  }

  set(id: string, entry: Cached): void {
    this.#entries.set(id, entry)
  }

  drop(id: string): void {
    this.#entries.delete(id)
  }

  dropPartition(partition: number): void {
    for (const id of this.#entries.keys()) if (partitionOf(id) === partition) this.#entries.delete(id)
  }

  /** Lets clean entries above the bound go that are not in use; answers the dirty ones that must be written before they can. */
  evict(isInUse: (id: string) => boolean): string[] {
    const over = this.#entries.size - this.#bound
    const mustBeWritten: string[] = []
    if (over <= 0) return mustBeWritten
    let seen = 0
    for (const [id, entry] of this.#entries) {
      if (seen++ >= over) break
      if (isInUse(id)) continue
      if (entry.dirty) mustBeWritten.push(id)
      else this.#entries.delete(id)
    }
    return mustBeWritten
  }
}
