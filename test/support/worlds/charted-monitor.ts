// Website monitor with a day of checks, for tests of the size of a page with a full chart.
import { day, minute } from '#shared/limits/limits.ts'
import { checkObservationId } from '#shared/text/ids.ts'
import { Random } from '../../simulation/random.ts'
import { observation } from '../../store/documents.ts'
import type { DashboardWorld } from './dashboard-world.ts'
import { confirmMs } from './whole-world.ts'

const names = ['de', 'helsinki', 'ashburn']
const ids = ['aaaa', 'bbbb', 'cccc']

/**
 * Three locations check the monitor once a minute and pass for a day. If `isFailing`, all locations fail now, and the incident is
 * confirmed. Returns the monitor's id.
 */
export async function addChartedMonitor(
  world: DashboardWorld,
  name: string,
  { isFailing }: { isFailing: boolean },
): Promise<string> {
  const others = names.slice(1).map((name, i) => ({ id: ids[i + 1]!, rev: 1, name, displayName: null, createdAt: 1 }))
  await world.store.upsert('locations', others)
  const id = await world.addMonitor(name, { interval: 60, locations: names })
  for (const isOk of isFailing ? [true, false] : [true]) {
    for (const location of ids) await world.report(id, location, isOk)
    await world.clock.advance(1_000)
  }
  await world.clock.advance(confirmMs)
  const random = new Random(7, 'latency')
  const end = Math.floor(world.clock.now() / minute) * minute - 5 * minute
  for (const [place, location] of ids.entries())
    await world.store.insert(
      'observations',
      Array.from({ length: day / minute }, (_, i) => {
        const totalMs = (80 + 60 * place) * (1 + Math.sin(i / 150) / 5) * (0.85 + 0.4 * random.next() ** 3)
        return observation(checkObservationId(id, location, end - i * minute), { ok: 1, totalMs: Math.round(totalMs) })
      }),
    )
  return id
}
