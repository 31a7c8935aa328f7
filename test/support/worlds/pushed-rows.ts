// Stored pushed observations of a subject, with the fields that their ids encode.
import type { PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import type { Store } from '#shared/store/port.ts'
import { parsePushedObservationId, pushedPrefix } from '#shared/text/ids.ts'

export type PushedRow = PushedObservationDocument & ReturnType<typeof parsePushedObservationId>

/** Returns the condition for rows of a subject. */
const ofSubject = (subjectId: string) => ({ id: { gte: pushedPrefix(subjectId), lt: `${pushedPrefix(subjectId)}~` } })

export const countPushed = (store: Store, subjectId: string): Promise<number> =>
  store.count('pushedObservations', ofSubject(subjectId))

/** Returns all rows, in the order of signals and instants. */
export async function pushedRows(store: Store, subjectId: string): Promise<PushedRow[]> {
  const rows = await store.find('pushedObservations', { where: ofSubject(subjectId), limit: 10_000 })
  return rows.map(row => ({ ...row, ...parsePushedObservationId(row.id) }))
}
