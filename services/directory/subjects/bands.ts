// Periods that charts mark: a monitor's incidents and maintenance windows. Only keepers write incidents and windows. Reads only what may overlap
// the asked time: incidents that began before it are bounded by the days of trouble that the keeper has rolled up.
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { WindowDocument } from '#shared/contracts/incidents/maintenance.ts'
import { limits } from '#shared/limits/limits.ts'
import { nothingPast, troubleMayBegin } from '#shared/roll-up/trouble.ts'
import type { Store } from '#shared/store/port.ts'
import type { AskAnswerer } from '../context.ts'
import { confirmed, confirmedOpen, readPastTroubles } from './trouble.ts'

const most = limits.charts.bands

/**
 * Returns the periods that overlap `from` to `to`, newest first, at most `limits.charts.bands` confirmed incidents and as many windows. If
 * there are more, `completeSince` is the beginning of the oldest one that was read.
 */
export const getBands: AskAnswerer<'get-bands'> = async ({ store }, { subjectId, from, to }) => {
  const [incidents, windows] = await Promise.all([
    readIncidents(store, subjectId, from, to),
    readWindows(store, subjectId, from, to),
  ])
  const ends = [incidents[most - 1]?.troubleSince, windows[most - 1]?.startedAt].filter(at => at !== undefined)
  return {
    incidents: incidents
      .filter(({ closedAt }) => closedAt === null || closedAt > from)
      .map(({ id, ruleShown, troubleSince, closedAt }) => ({ id, rule: ruleShown, from: troubleSince, to: closedAt })),
    windows: windows
      .map(({ startedAt, endsAt, cancelledAt }) => ({ from: startedAt, to: cancelledAt ?? endsAt }))
      .filter(({ to: end }) => end > from),
    completeSince: Math.max(from, ...ends),
  }
}

/** Returns all confirmed incidents that overlap the asked time, and some that ended before it, the newest first. */
async function readIncidents(store: Store, subjectId: string, from: number, to: number): Promise<IncidentDocument[]> {
  const [past = nothingPast] = await readPastTroubles(store, [subjectId])
  const begin = troubleMayBegin(past, from)
  const since = { subjectId, facets: { in: confirmed }, troubleSince: { gte: begin, lt: to } }
  const open = { subjectId, open: 1, facets: { in: confirmedOpen }, troubleSince: { lt: Math.min(begin, to) } }
  const [newest, older] = await Promise.all([
    store.find('incidents', { where: since, sort: [['troubleSince', 'desc']], limit: most }),
    store.find('incidents', { where: open, sort: [['troubleSince', 'desc']], limit: limits.subject.rules + 1 }),
  ])
  return [...newest, ...older].slice(0, most)
}

/** Returns the windows that began in the asked time, the newest first, and the one before them: no two windows of a subject overlap. */
async function readWindows(store: Store, subjectId: string, from: number, to: number): Promise<WindowDocument[]> {
  const find = (startedAt: { gte?: number; lt: number }, limit: number) =>
    store.find('windows', { where: { subjectId, startedAt }, sort: [['startedAt', 'desc']], limit })
  const [began, before] = await Promise.all([find({ gte: from, lt: to }, most), find({ lt: Math.min(from, to) }, 1)])
  return [...began, ...before].slice(0, most)
}
