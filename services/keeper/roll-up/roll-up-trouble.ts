// Roll-up of a subject's confirmed trouble by day. A roll-up reads only the incidents since the last one, and those of the two days before. It
// reads more only if trouble lasted for days, and all confirmed incidents if the subject has no row.

import { facetsWithin } from '#shared/incidents/incident-facets.ts'
import { day, limits } from '#shared/limits/limits.ts'
import {
  firstKnownDay,
  nothingPast,
  type PastTrouble,
  packTrouble,
  TroubleSum,
  troubleId,
  troubleMayBegin,
  unpackTrouble,
} from '#shared/roll-up/trouble.ts'
import { pagesOf } from '#shared/store/pages.ts'
import type { RetryingStore } from './retrying-store.ts'

const closed = facetsWithin({ isOpen: false, isConfirmed: true, isAcknowledged: null })

/**
 * Time before the end of the row in which incidents may have begun that were not stored at the last roll-up, ms: a report may wait in the
 * stream, and its incident begins when it was sent.
 */
const lateMs = Math.ceil(Math.max(0, limits.stream.ageMs - limits.rollUp.settleDayMs) / day) * day

/**
 * Writes the trouble of the days before `settledTo` (start of a day, ms). An open incident may still be confirmed or closed with effect from
 * its beginning, so the row ends before the day in which the oldest open incident began. A subject without incidents has no row.
 */
export async function rollUpTrouble(store: RetryingStore, subjectId: string, settledTo: number): Promise<void> {
  const id = troubleId(subjectId)
  const ofSubject = { subjectId, open: 1 }
  const [[oldest], [row = null]] = await Promise.all([
    store.find('incidents', { where: ofSubject, sort: [['troubleSince', 'asc']], limit: 1 }),
    store.get('rollUps', [id]),
  ])
  const to = Math.min(settledTo, Math.floor((oldest?.troubleSince ?? settledTo) / day) * day)
  const past = row === null ? nothingPast : unpackTrouble(row.data)
  const sum = await sumUp(store, subjectId, past.to > to ? nothingPast : past, to)
  if (sum.days.length > 0 || (await hasIncidents(store, subjectId))) {
    const data = packTrouble(sum)
    if (data !== row?.data) await store.upsert('rollUps', [{ id, data }])
  } else if (row !== null) await store.delete('rollUps', [id])
}

/** Returns the trouble before `to`, which is not before the end of `past`. */
async function sumUp(store: RetryingStore, subjectId: string, past: PastTrouble, to: number): Promise<PastTrouble> {
  const keptTo = Math.max(0, past.to - lateMs)
  const trouble = new TroubleSum(to)
  const where = { subjectId, facets: { in: closed }, troubleSince: { gte: troubleMayBegin(past, keptTo), lt: to } }
  const query = { where, sort: [['troubleSince', 'asc']] as [string, 'asc'][], limit: limits.rollUp.incidentsPerRead }
  for await (const page of pagesOf(query, next => store.find('incidents', next)))
    for (const { troubleSince, closedAt } of page) trouble.add(troubleSince, closedAt ?? to)
  const { days, crossing } = trouble.sum
  const kept = past.days.filter(({ at }) => at < keptTo && at >= firstKnownDay(to))
  return { to, days: [...kept, ...days.filter(({ at }) => at >= keptTo && at >= firstKnownDay(to))], crossing }
}

const hasIncidents = async (store: RetryingStore, subjectId: string): Promise<boolean> =>
  (await store.find('incidents', { where: { subjectId }, sort: [['troubleSince', 'asc']], select: [], limit: 1 })).length > 0
