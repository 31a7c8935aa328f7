// Pages of reads.
import { Type } from 'typebox'
import { Nullable } from '#shared/contracts/common.ts'

/** `next` of the previous page; null or absent: the first page. */
export const After = Type.Optional(Nullable(Type.String({ maxLength: 200 })))

/** A page of at most 512 KiB. The caller sends `next` as `after` to get the next page; null: the last page. */
export interface Page<T> {
  items: T[]
  next: string | null
}
