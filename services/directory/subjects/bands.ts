// Periods that charts mark: a monitor's incidents and maintenance windows. Only keepers write incidents and windows.
import { limits } from '#shared/limits/limits.ts'
import type { Answer } from '../context.ts'

const most = limits.charts.bands

/**
 * Returns the periods that overlap `from` to `to`, newest first, at most `limits.charts.bands` incidents and as many windows. Unconfirmed
 * incidents are omitted.
 */
export const getBands: Answer<'get-bands'> = async ({ store }, { subjectId, from, to }) => {
  const [incidents, windows] = await Promise.all([
    store.find('incidents', { where: { subjectId, troubleSince: { lt: to } }, sort: [['troubleSince', 'desc']], limit: most }),
    store.find('windows', { where: { subjectId, startedAt: { lt: to } }, sort: [['startedAt', 'desc']], limit: most }),
  ])
  return {
    incidents: incidents
      .filter(({ confirmedAt, closedAt }) => confirmedAt !== null && (closedAt === null || closedAt > from))
      .map(({ id, ruleShown, troubleSince, closedAt }) => ({ id, rule: ruleShown, from: troubleSince, to: closedAt })),
    windows: windows
      .map(({ startedAt, endsAt, cancelledAt }) => ({ from: startedAt, to: cancelledAt ?? endsAt }))
      .filter(({ to: end }) => end > from),
  }
}
