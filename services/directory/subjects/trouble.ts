// Confirmed trouble of a monitor by day: the row that its keeper has rolled up, and the incidents since then.
import type { Trouble } from '#shared/contracts/subjects/monitor-state.ts'
import { facetsWithin } from '#shared/incidents/incident-facets.ts'
import { day, limits } from '#shared/limits/limits.ts'
import { nothingPast, type PastTrouble, troubleByDay, troubleId, unpackTrouble } from '#shared/roll-up/trouble.ts'
import type { Store } from '#shared/store/port.ts'
import type { AskAnswerer } from '../context.ts'

const most = limits.charts.bands
/** Facets of confirmed incidents. */
export const confirmed = facetsWithin({ isOpen: null, isConfirmed: true, isAcknowledged: null })
export const confirmedOpen = facetsWithin({ isOpen: true, isConfirmed: true, isAcknowledged: null })

export const getTrouble: AskAnswerer<'get-trouble'> = ({ store }, { subjectId, from, to }) =>
  readTrouble(store, subjectId, from, to)

/**
 * Returns the days of UTC from `from` to `to`, oldest first. At most `limits.charts.bands` incidents since the roll-up are read, the newest;
 * `completeSince` says from which day on all of them are counted.
 */
export async function readTrouble(store: Store, subjectId: string, from: number, to: number): Promise<Trouble> {
  const past = await readPastTrouble(store, subjectId)
  const firstDay = Math.floor(from / day) * day
  const since = { subjectId, troubleSince: { gte: past.to, lt: to } }
  const find = (facets: number[], limit: number) =>
    store.find('incidents', { where: { ...since, facets: { in: facets } }, sort: [['troubleSince', 'desc']], limit })
  const [newest, open] = await Promise.all([find(confirmed, most), find(confirmedOpen, limits.subject.rules + 1)])
  const all = new Map([...newest, ...open].map(one => [one.id, { from: one.troubleSince, to: one.closedAt }]))
  const oldest = newest.length < most ? undefined : newest.at(-1)
  return {
    days: troubleByDay(past, [...all.values()], firstDay, to),
    completeSince: oldest === undefined ? firstDay : Math.max(firstDay, Math.floor(oldest.troubleSince / day) * day + day),
  }
}

/** Returns what the keeper has rolled up. */
export async function readPastTrouble(store: Store, subjectId: string): Promise<PastTrouble> {
  const [row = null] = await store.get('rollUps', [troubleId(subjectId)])
  return row === null ? nothingPast : unpackTrouble(row.data)
}
