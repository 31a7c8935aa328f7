// Reads that are answered in pages.
import { Type } from 'typebox'
import { Nullable } from '#shared/contracts/common.ts'

/** The `next` of the page before; null or absent: from the start. */
export const After = Type.Optional(Nullable(Type.String({ maxLength: 200 })))

/** A page of at most 512 KiB; `next` is handed back as `after`, null on the last page. */
export interface Page<T> {
  items: T[]
  next: string | null
}
