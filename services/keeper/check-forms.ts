// Interfaces of the parts of a keeper that write check entries in one form or another, and of what the bus has of them (ADR 45).
import type { PageChange } from './round/page-changes.ts'

export interface CheckForms {
  /** Writer of the pages of check entries. */
  pages: CheckPages
  /** Partitions that may still have check entries of their own keys, from before the pages. */
  old: OldChecks
}

export interface CheckPages {
  /**
   * Puts an entry into the page of its subject at a location, or takes it out. Resolves once the page has it or a newer one; rejects with
   * NoLongerOurs if the lease of the partition is too old.
   */
  change(locationId: string, change: PageChange): Promise<void>
}

export interface ListedEntry {
  locationId: string
  subjectId: string
  rev: number
  schema: number
}

/** What the bus has for one partition. Entries are by key (`keys.check`), whether alone or in a page. */
export interface ListedChecks {
  alone: Map<string, ListedEntry>
  paged: Map<string, ListedEntry>
  /** Keys (`keys.check`) of the entries that their pages name as alone. */
  apart: Set<string>
  /** Keys of all pages. */
  pages: Set<string>
}

export interface OldChecks {
  /** Whether the partition may have old entries. True until its listing has shown that it has none. */
  mayHave(partition: number): boolean
  /** Called with what was listed of a partition whose pages have all entries. Has old entries removed later. */
  listed(partition: number, listed: ListedChecks): void
  /** Called when an old entry was written by a write that began before the level was raised. */
  found(partition: number): void
  /** Called when the partition was closed. */
  forget(partition: number): void
}
