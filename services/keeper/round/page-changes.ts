// Changes of a page of check entries. Pure.

import { numbered, schemaOf } from '#shared/contracts/form.ts'
import { type CheckPage, checkPageForm, type PagedEntry, revOf } from '#shared/contracts/observations/check-page.ts'
import type { OutboxCheck } from '#shared/contracts/subjects/subject.ts'

/** An entry to put into its page, or to take out (`entry` null). */
export interface PageChange {
  subjectId: string
  rev: number
  entry: OutboxCheck['entry']
  /** Instant of the change, ms; 0: not known, and long ago. */
  at: number
}

export interface ChangedPage {
  /** The page as it shall be; null: it has no entries and is removed. */
  page: CheckPage | null
  /** Entries for which the page has no room: they are written alone. */
  apart: PageChange[]
  /** Subjects whose entries were alone, and are so no more. */
  joined: string[]
  /** True if the stored page is as it shall be. */
  isSame: boolean
}

/**
 * Returns the page with these changes. A change of an entry that has a larger rev, or the same rev and schema, changes nothing. `singleRevs`:
 * revisions of the entries that are alone. `bytesMax`: largest number of bytes of the page as JSON.
 */
export function changedPage(
  stored: CheckPage | null,
  changes: readonly PageChange[],
  singleRevs: ReadonlyMap<string, number>,
  bytesMax: number,
): ChangedPage {
  const entries = new Map((stored?.entries ?? []).map(paged => [paged[0], paged]))
  const apart = new Set(stored?.apart)
  const [alone, joined]: [PageChange[], string[]] = [[], []]
  let bytes = stored === null ? emptyBytes : bytesOf(stored)
  let isSame = true
  for (const change of changes) {
    const { subjectId, rev, entry } = change
    const present = entries.get(subjectId)
    if (isPast(present?.[2], change)) continue
    if (present === undefined && (singleRevs.get(subjectId) ?? 0) > rev) continue
    if (present !== undefined) bytes -= bytesOf(present) + 1
    const next: PagedEntry | null = entry === null ? null : [subjectId, change.at, entry]
    const more = next === null ? 0 : bytesOf(next) + 1
    if (next !== null && bytes + more > bytesMax) {
      alone.push(change)
      // The entry alone is written in any case; the page changes only if it did not say so yet.
      isSame &&= present === undefined && apart.has(subjectId)
      if (!apart.has(subjectId)) bytes += subjectId.length + apartBytes
      entries.delete(subjectId)
      apart.add(subjectId)
      continue
    }
    if (next === null && present === undefined && !apart.has(subjectId)) continue
    isSame = false
    bytes += more
    if (next === null) entries.delete(subjectId)
    else entries.set(subjectId, next)
    if (apart.delete(subjectId)) joined.push(subjectId)
  }
  const isEmpty = entries.size + apart.size === 0
  const page = numbered(checkPageForm, { entries: [...entries.values()], ...(apart.size > 0 && { apart: [...apart] }) })
  return { page: isEmpty ? null : page, apart: alone, joined, isSame }
}

/** Whether the entry in the page makes the change a thing of the past. */
function isPast(present: PagedEntry[2] | undefined, { rev, entry }: PageChange): boolean {
  if (present === undefined) return false
  const presentRev = revOf(present)
  return presentRev > rev || (presentRev === rev && entry !== null && schemaOf(present) === schemaOf(entry))
}

const bytesOf = (value: object): number => Buffer.byteLength(JSON.stringify(value))
const emptyBytes = bytesOf({ entries: [], apart: [] })
const apartBytes = 3
