// A page of check entries (bucket `check-pages`): all entries of a location whose subjects have the same page number (ADR 45). The
// keeper of their partition is its only writer.
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/schema'
import { type Form, firstForm, upgraded } from '#shared/contracts/form.ts'

const SubjectId = Type.String({ pattern: '^[0-9A-Za-z_-]{1,64}$' })

/**
 * An entry of the page: the id of its subject; the instant at which it became as it is, ms of the keeper's clock (0: not known, and long
 * ago); and the entry, as it would be alone. A prober reads each entry for itself, so that one that it cannot read spoils no other.
 */
export const PagedEntry = Type.Tuple([SubjectId, Type.Number({ minimum: 0 }), Type.Object({})])
export type PagedEntry = Static<typeof PagedEntry>

export const CheckPage = Type.Object({
  /** Number of the page's form; absent: 1. */
  schema: Type.Optional(Type.Integer({ minimum: 1 })),
  entries: Type.Array(PagedEntry),
  /** Subjects of the page whose entries are alone in the bucket `checks`, because the page has no room for them; absent: none. */
  apart: Type.Optional(Type.Array(SubjectId)),
})
export type CheckPage = Static<typeof CheckPage>

export const checkPageForm: Form<CheckPage> = firstForm()

const contract = Compile(CheckPage)

/** Returns a stored page in the present form; null: it is damaged, or of a later schema. */
export function readCheckPage(value: unknown): CheckPage | null {
  try {
    const page = upgraded(checkPageForm, value as CheckPage)
    return contract.Check(page) ? page : null
  } catch {
    return null // Damaged: it is no object, or the upgrade misses a member.
  }
}

/** Returns the revision of an entry; 0: it has none. */
export const revOf = (entry: unknown): number => {
  const rev = (entry as { rev?: unknown } | null)?.rev
  return typeof rev === 'number' ? rev : 0
}
