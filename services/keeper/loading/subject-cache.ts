// Cache of subjects; the least recently used subject is removed first. A cached subject equals the committed one, except for newer
// readings. A refused write drops the subject from the cache.
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { shareEqualTexts } from './equal-texts.ts'
import type { ReportMemory } from './report-memory.ts'

export interface Cached {
  /** Cached document. Null: the store has no such subject. The absence is cached, so that reports on this id cause no reads. */
  subject: SubjectDocument | null
  /** True if the subject has readings that are not stored yet. */
  dirty: boolean
  /** Memory of the reports of the subject's senders; null: none yet. */
  reports: ReportMemory | null
}

export class SubjectCache {
  readonly #entries = new Map<string, Cached>()
  readonly #bound: number
  /** Document that was read last. Its texts are shared with the next document. */
  #newest: SubjectDocument | null = null

  constructor(bound: number) {
    this.#bound = bound
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
    if (entry !== undefined && this.#entries.size >= this.#bound / 2) {
      this.#entries.delete(id)
      this.#entries.set(id, entry)
    }
    return entry
  }

  set(id: string, entry: Cached): void {
    this.#entries.set(id, entry)
  }

  /** Makes a document that was just read share the texts that it has in common with the document read before. */
  shareTexts(document: SubjectDocument): void {
    if (this.#newest !== null) shareEqualTexts(document, this.#newest)
    this.#newest = document
  }

  drop(id: string): void {
    this.#entries.delete(id)
  }

  dropPartition(partition: number): void {
    for (const id of this.#entries.keys()) if (partitionOf(id) === partition) this.#entries.delete(id)
  }

  /**
   * Drops entries that are neither dirty nor in use, until the cache fits its bound. Returns the ids of dirty entries, which must be
   * written before they can be dropped.
   */
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
