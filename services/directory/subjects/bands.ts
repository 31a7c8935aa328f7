// Periods that charts mark: a monitor's incidents and maintenance windows. Only keepers write incidents and windows.
import { limits } from '#shared/limits/limits.ts'
import type { AskAnswerer } from '../context.ts'
import { confirmed } from './trouble.ts'

const most = limits.charts.bands

/**
 * Returns the periods that overlap `from` to `to`, newest first, at most `limits.charts.bands` confirmed incidents and as many windows. If
 * there are more, `completeSince` is the beginning of the oldest one that was read.
 */
export const getBands: AskAnswerer<'get-bands'> = async ({ store }, { subjectId, from, to }) => {
  const ofIncidents = { subjectId, facets: { in: confirmed }, troubleSince: { lt: to } }
  const [incidents, windows] = await Promise.all([
    store.find('incidents', { where: ofIncidents, sort: [['troubleSince', 'desc']], limit: most }),
    store.find('windows', { where: { subjectId, startedAt: { lt: to } }, sort: [['startedAt', 'desc']], limit: most }),
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
