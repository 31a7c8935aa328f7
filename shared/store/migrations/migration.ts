// A migration of the store.
import type { CollectionName } from '#shared/store/collections.ts'

export type StoredDocument = Record<string, unknown>

/** A change to one collection, in both stores. Older programs refuse a store as soon as its first document may have changed. */
export interface Migration {
  /** Number of the store after this migration, one more than before it; the file's name begins with it. */
  number: number
  /** First release with this migration, such as `2.1.0`. */
  release: string
  /** For the person at the terminal, such as `each monitor gets the kind of its check`. */
  what: string
  collection: CollectionName
  /** Columns in `collections.ts` that the table of the SQLite file lacks so far. Documents get values in them only by `change`. */
  columns?: readonly string[]
  /** Indexes whose fields have changed. They are dropped, and created again when the store opens. */
  dropIndexes?: readonly string[]
  /**
   * Returns the changed document, or null if it needs no change. Called with its own result it must return null, or the same again: after
   * a killed start, some documents are read a second time. Absent: the documents stay as they are.
   */
  change?(document: StoredDocument): StoredDocument | null
  /**
   * True: processes of the release before can run beside those of this one, so the start of one process does not run this migration, nor the
   * later ones, on a store that several processes share; `./watchkeeper cluster finish-upgrade` does. A later release that cannot work without
   * it removes this member. An embedded store has one process, whose start runs every migration.
   */
  isHeld?: boolean
}
