// Roll-up of a subject's confirmed trouble by day. The row is computed completely from all confirmed incidents, so a repeat counts nothing
// twice, and incidents of earlier versions are included.

import { facetsWithin } from '#shared/incidents/incident-facets.ts'
import { day, limits } from '#shared/limits/limits.ts'
import { packTrouble, TroubleSum, troubleId } from '#shared/roll-up/trouble.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { RetryingStore } from './retrying-store.ts'

const closed = facetsWithin({ isOpen: false, isConfirmed: true, isAcknowledged: null })

/**
 * Writes the trouble of the days before `settledTo` (start of a day, ms). An open incident may still be confirmed or closed with effect from
 * its beginning, so the row ends before the day in which the oldest open incident began.
 */
export async function rollUpTrouble(store: RetryingStore, subjectId: string, settledTo: number): Promise<void> {
  const ofSubject = { subjectId, open: 1 }
  const [oldest] = await store.find('incidents', { where: ofSubject, sort: [['troubleSince', 'asc']], limit: 1 })
  const to = Math.min(settledTo, Math.floor((oldest?.troubleSince ?? settledTo) / day) * day)
  const trouble = new TroubleSum(to)
  const where = { subjectId, facets: { in: closed }, troubleSince: { lt: to } }
  const query = { where, sort: [['troubleSince', 'asc']] as [string, 'asc'][], limit: limits.rollUp.incidentsPerRead }
  for await (const page of pagesOf(query, next => store.find('incidents', next)))
    for (const { troubleSince, closedAt } of page) trouble.add(troubleSince, closedAt ?? to)
  const id = troubleId(subjectId)
  const { sum } = trouble
  if (sum.days.length === 0) await store.delete('rollUps', [id])
  else await store.upsert('rollUps', [{ id, data: packTrouble(sum) }])
}
