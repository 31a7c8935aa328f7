// Confirmed trouble of monitors by day: the rows that their keepers have rolled up, and the incidents since then.
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
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
  const [trouble] = await readTroubles(store, [{ subjectId, from }], to)
  return trouble as Trouble
}

/** Returns the trouble of each subject from its `from` on, as `readTrouble` does, with few reads of the store. */
export async function readTroubles(
  store: Store,
  asked: readonly { subjectId: string; from: number }[],
  to: number,
): Promise<Trouble[]> {
  const ids = asked.map(({ subjectId }) => subjectId)
  const pasts = await readPastTroubles(store, ids)
  const found = await incidentsSince(store, new Map(ids.map((id, index) => [id, (pasts[index] as PastTrouble).to])), to)
  return asked.map(({ subjectId, from }, index) => {
    const firstDay = Math.floor(from / day) * day
    const { incidents = [], oldest } = found.get(subjectId) ?? {}
    const since = incidents.map(one => ({ from: one.troubleSince, to: one.closedAt }))
    return {
      days: troubleByDay(pasts[index] as PastTrouble, since, firstDay, to),
      completeSince: oldest === undefined ? firstDay : Math.max(firstDay, Math.floor(oldest / day) * day + day),
    }
  })
}

/** Returns what the keepers have rolled up of each subject. */
export async function readPastTroubles(store: Store, subjectIds: readonly string[]): Promise<PastTrouble[]> {
  const rows = await store.get('rollUps', subjectIds.map(troubleId))
  return rows.map(row => (row === null ? nothingPast : unpackTrouble(row.data)))
}

interface Since {
  incidents: IncidentDocument[]
  /** Beginning of the oldest incident that was read, if there are more, ms; undefined: these are all. */
  oldest?: number
}

/**
 * Reads the confirmed incidents of subjects since the ends of their roll-ups (ms, by subject). Most subjects have the same end, so their
 * incidents are read at once. If there are too many, each subject is read alone.
 */
async function incidentsSince(store: Store, ends: ReadonlyMap<string, number>, to: number): Promise<Map<string, Since>> {
  const found = new Map<string, Since>()
  await Promise.all(
    [...Map.groupBy(ends.keys(), id => ends.get(id) as number)].map(async ([end, ids]) => {
      const [first = ''] = ids
      const together = ids.length === 1 ? null : await incidentsOfSeveral(store, ids, end, to)
      if (together !== null) for (const id of ids) found.set(id, { incidents: together.get(id) ?? [] })
      else if (ids.length === 1) found.set(first, await incidentsOf(store, first, end, to))
      else await Promise.all(ids.map(async id => found.set(id, await incidentsOf(store, id, end, to))))
    }),
  )
  return found
}

/** Returns null if there are too many. */
async function incidentsOfSeveral(store: Store, ids: readonly string[], from: number, to: number) {
  const limit = limits.charts.incidentsPerRead
  const where = { subjectId: { in: ids }, facets: { in: confirmed }, troubleSince: { gte: from, lt: to } }
  if ((await store.count('incidents', { subjectId: where.subjectId, troubleSince: where.troubleSince })) > limit) return null
  return Map.groupBy(await store.find('incidents', { where, limit }), ({ subjectId }) => subjectId)
}

async function incidentsOf(store: Store, subjectId: string, from: number, to: number): Promise<Since> {
  const since = { subjectId, troubleSince: { gte: from, lt: to } }
  const find = (facets: number[], limit: number) =>
    store.find('incidents', { where: { ...since, facets: { in: facets } }, sort: [['troubleSince', 'desc']], limit })
  const [newest, open] = await Promise.all([find(confirmed, most), find(confirmedOpen, limits.subject.rules + 1)])
  const incidents = [...new Map([...newest, ...open].map(one => [one.id, one])).values()]
  const oldest = newest.length < most ? undefined : newest.at(-1)
  return oldest === undefined ? { incidents } : { incidents, oldest: oldest.troubleSince }
}
