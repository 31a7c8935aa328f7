// Stored pushed observations of a subject, with what their ids say.
import type { PushedObservationDocument } from '#shared/contracts/observation.ts'
import { parsePushedObservationId, pushedPrefix } from '#shared/ids.ts'
import type { Store } from '#shared/store/port.ts'

export type PushedRow = PushedObservationDocument & ReturnType<typeof parsePushedObservationId>

/** The condition under which rows are a subject's. */
const ofSubject = (subjectId: string) => ({ id: { gte: pushedPrefix(subjectId), lt: `${pushedPrefix(subjectId)}~` } })

export const countPushed = (store: Store, subjectId: string): Promise<number> =>
  store.count('pushedObservations', ofSubject(subjectId))

/** All of them, in the order of signals and instants. */
export async function pushedRows(store: Store, subjectId: string): Promise<PushedRow[]> {
  const rows = await store.find('pushedObservations', { where: ofSubject(subjectId), limit: 10_000 })
  return rows.map(row => ({ ...row, ...parsePushedObservationId(row.id) }))
}
