// Cache of subjects; the least recently used subject is removed first. A cached subject equals the committed one, except for newer
// readings. A refused write drops the subject from the cache.
import { getHeapStatistics } from 'node:v8'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { shareEqualValues } from './equal-values.ts'
import type { ReportMemory } from './report-memory.ts'

export interface Cached {
  /** Cached document. Null: the store has no such subject. The absence is cached, so that reports on this id cause no reads. */
  subject: SubjectDocument | null
  /** True if the subject has readings that are not stored yet. */
  dirty: boolean
  /** Memory of the reports of the subject's senders; null: none yet. */
  reports: ReportMemory | null
}

const { cachedBytes, cachedShare, evictedAtOnce } = limits.keeper

export class SubjectCache {
  readonly #entries = new Map<string, Cached>()
  readonly #subjectsMax: number
  readonly #bytesMax: number
  #bytes = 0
  /** Document that was read last. Its values are shared with the next document. */
  #newest: SubjectDocument | null = null

  /** `subjectsMax`: largest number of subjects; 0: as many as fit a share of the heap that this process may have. */
  constructor(subjectsMax = 0, heapBytes = getHeapStatistics().heap_size_limit) {
    this.#subjectsMax = subjectsMax || Number.POSITIVE_INFINITY
    this.#bytesMax = subjectsMax > 0 ? Number.POSITIVE_INFINITY : heapBytes * cachedShare
  }

  get size(): number {
    return this.#entries.size
  }

  get(id: string): Cached | undefined {
    return this.#entries.get(id)
  }

  /** Returns the entry and marks it as the most recently used. */
  use(id: string): Cached | undefined {
    const entry = this.#entries.get(id)
    if (entry !== undefined && this.#fill > 0.5) {
      this.#entries.delete(id)
      this.#entries.set(id, entry)
    }
    return entry
  }

  set(id: string, entry: Cached): void {
    this.#bytes += bytesOf(entry) - bytesOf(this.#entries.get(id))
    this.#entries.set(id, entry)
  }

  /** Makes a document that was just read share the values that it has in common with the document read before. */
  shareValues(document: SubjectDocument): void {
    if (this.#newest !== null) shareEqualValues(document, this.#newest)
    this.#newest = document
  }

  drop(id: string): void {
    this.#bytes -= bytesOf(this.#entries.get(id))
    this.#entries.delete(id)
  }

  dropPartition(partition: number): void {
    for (const id of this.#entries.keys()) if (partitionOf(id) === partition) this.drop(id)
  }

  /**
   * Drops entries that are neither dirty nor in use, until the cache fits its bound. Looks at a bounded number of entries. Returns the ids
   * of dirty entries, which must be written before they can be dropped.
   */
  evict(isInUse: (id: string) => boolean): string[] {
    const mustBeWritten: string[] = []
    if (this.#fill <= 1) return mustBeWritten
    let bytes = this.#bytes - this.#bytesMax
    let subjects = this.#entries.size - this.#subjectsMax
    let seen = 0
    for (const [id, entry] of this.#entries) {
      if (seen++ >= evictedAtOnce || (bytes <= 0 && subjects <= 0)) break
      bytes -= bytesOf(entry)
      subjects--
      if (isInUse(id)) continue
      if (entry.dirty) mustBeWritten.push(id)
      else this.drop(id)
    }
    return mustBeWritten
  }

  /** Share of the bound that is in use; above 1, entries must leave. */
  get #fill(): number {
    return Math.max(this.#bytes / this.#bytesMax, this.#entries.size / this.#subjectsMax)
  }
}

/** Returns about how many bytes of heap an entry takes. The heap itself is not asked, so that the cache does the same in each run. */
function bytesOf(entry: Cached | undefined): number {
  if (entry === undefined) return 0
  const { subject } = entry
  if (subject === null) return cachedBytes.absence
  const { rules, custom, templated } = subject
  let bytes: number = cachedBytes.subject + rules.length * cachedBytes.rule
  for (const _ in subject.readings) bytes += cachedBytes.reading
  if (custom !== null) bytes += cachedBytes.reports + custom.signals.length * cachedBytes.signal
  if (templated !== null)
    for (const slug in templated.heard) bytes += (templated.heard[slug]?.recent.length ?? 0) * cachedBytes.heard
  return bytes
}
