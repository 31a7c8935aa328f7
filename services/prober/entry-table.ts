// Table of a location's check entries as two buckets show them: in pages, and alone. Of two entries of a subject, the one with the larger
// rev counts; of the same rev, the one in the page. An entry of an unchanged rev in a changed page is no news.
import type { BucketEntry } from '#shared/bus/port.ts'
import { keys, parseCheckKey } from '#shared/bus/subjects.ts'
import { readCheckPage, revOf } from '#shared/contracts/observations/check-page.ts'

export interface AssignedEntry {
  subjectId: string
  value: unknown
  /** Instant since which the entry is as it is, ms; 0: long ago. */
  at: number
  isPaged: boolean
}

export interface EntryTableHandlers {
  /** Called for an entry that is news. Returns false if it cannot be read. */
  onEntry(entry: AssignedEntry): boolean
  onRemoved(subjectId: string): void
  /** Called for a page that cannot be read, after which its entries stay as they are; with null, for a page that can. */
  onPage(key: string, value: object | null): void
}

/** Rev of an entry that could not be read: no rev, so the next version of its page delivers the entry again. */
const unread = -1

export class EntryTable {
  readonly #handlers: EntryTableHandlers
  /** Revs of the entries that are alone, by subject. */
  readonly #single = new Map<string, number>()
  /** Revs of the entries in each page. */
  readonly #pages = new Map<string, Map<string, number>>()
  /** Page of each subject whose entry in it is older than the one alone, and that entry. A rare case. */
  readonly #shadowed = new Map<string, AssignedEntry>()
  #isComplete = false

  constructor(handlers: EntryTableHandlers) {
    this.#handlers = handlers
  }

  /** Called when all present entries were delivered. Later pages are news at the instant of the page, which all probers know. */
  complete(): void {
    this.#isComplete = true
  }

  /** Handles a change of the bucket `checks`. */
  single = ({ key, value, at }: BucketEntry): void => {
    const parsed = parseCheckKey(key)
    if (parsed === null) return
    const { locationId, subjectId } = parsed
    if (value === null) {
      if (!this.#single.delete(subjectId)) return
      const shadowed = this.#shadowed.get(subjectId)
      this.#shadowed.delete(subjectId)
      this.#handlers.onRemoved(subjectId)
      if (shadowed !== undefined) this.#handlers.onEntry(shadowed)
      return
    }
    const rev = revOf(value)
    const pagedRev = this.#pages.get(keys.checkPageOf(locationId, subjectId))?.get(subjectId)
    // The entry's subject is in a page, so this one is only not removed yet.
    if (pagedRev !== undefined && pagedRev >= rev) return
    this.#single.set(subjectId, rev)
    this.#handlers.onEntry({ subjectId, value, at, isPaged: false })
  }

  /** Handles a change of the bucket `check-pages`. */
  page = ({ key, value, at }: BucketEntry): void => {
    const page = value === null ? { entries: [] } : readCheckPage(value)
    this.#handlers.onPage(key, page === null ? Object(value) : null)
    if (page === null) return
    const before = this.#pages.get(key)
    const next = new Map<string, number>()
    for (const [subjectId, since, entry] of page.entries) {
      const rev = revOf(entry)
      next.set(subjectId, rev)
      if (before?.get(subjectId) === rev) continue
      const assigned = { subjectId, value: entry, at: this.#isComplete ? at : Math.min(at, since), isPaged: true }
      if (!this.#deliver(assigned, rev)) next.set(subjectId, unread)
    }
    if (next.size > 0) this.#pages.set(key, next)
    else this.#pages.delete(key)
    for (const subjectId of before?.keys() ?? []) {
      if (next.has(subjectId)) continue
      if (this.#single.has(subjectId)) this.#shadowed.delete(subjectId)
      else this.#handlers.onRemoved(subjectId)
    }
  }

  /** Delivers an entry of a page, unless a newer one is alone. */
  #deliver(assigned: AssignedEntry, rev: number): boolean {
    const { subjectId } = assigned
    const singleRev = this.#single.get(subjectId)
    if (singleRev !== undefined && singleRev > rev) {
      this.#shadowed.set(subjectId, assigned)
      return true
    }
    this.#single.delete(subjectId)
    this.#shadowed.delete(subjectId)
    return this.#handlers.onEntry(assigned)
  }
}
