// Stretches of a monitor's past that charts mark: its incidents and its maintenance windows. Their keeper alone writes them.
import type { Bands, GetBands } from '#shared/contracts/subjects/monitor-state.ts'
import { limits } from '#shared/limits/limits.ts'
import type { DirectoryContext } from '../context.ts'

const most = limits.charts.bands

/** Those that lie in part within `from` to `to`, the newest `bands` of each, newest first. Pending ones that were never confirmed are left out. */
export async function getBands({ store }: DirectoryContext, { subjectId, from, to }: GetBands): Promise<Bands> {
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
