// Website monitor with a day of checks, for tests of the size of a page with a full chart.
import { day, hour, minute } from '#shared/limits/limits.ts'
import { checkObservationId } from '#shared/text/ids.ts'
import { Random } from '../../simulation/random.ts'
import { observation } from '../../store/documents.ts'
import type { DashboardWorld } from './dashboard-world.ts'
import { confirmMs } from './whole-world.ts'

const names = ['de', 'helsinki', 'ashburn']
const ids = ['aaaa', 'bbbb', 'cccc']

/**
 * Creates a monitor that three locations check once a minute, and that passes for a day. If `isFailing`, all locations fail at the end, and
 * the incident is confirmed. Returns the monitor's id.
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

/**
 * Creates a Resource of a Template whose sender reported a value of four digits once a minute for a day. The last values are too high, and
 * the incident is confirmed. Returns the Resource's id.
 */
export async function addChartedResource(world: DashboardWorld, key: string): Promise<string> {
  const v3 = `/api/v3/workspaces/${world.workspaceId}`
  const send = async (path: string, body: object) => {
    const sent = await world.editor.send('POST', v3 + path, { body })
    if (sent.status >= 300) throw new Error(sent.text)
    return sent.json.result
  }
  const compared = { signal: 'depth', field: 'value', operator: 'gt', operand: 100 }
  await send('/templates', {
    ...{ key, version: 1, name: key, signals: [{ key: 'depth', kind: 'periodic', every_seconds: 60 }] },
    rules: [{ key: 'deep', action: 'Look.', wait: { confirm_after: 60, recover_after: 0 }, decision: compared }],
  })
  const { id } = await send('/resources', { key, name: key, template: `${key}@1` })
  const random = new Random(7, 'values')
  const valueAt = (at: number) => Math.round(4_000 + 3_000 * Math.sin(at / minute / 150) + 900 * random.next()) / 100
  // Sends the reports of a whole hour right at its end, because the hour is rolled up five minutes after its end.
  await world.clock.advance(hour - (world.clock.now() % hour))
  for (let passed = hour; passed <= day; passed += hour) {
    await world.clock.advance(hour)
    const reports = Array.from({ length: 60 }, (_, i) => world.clock.now() - (59 - i) * minute)
    const observations = reports.map((at, i) => ({
      ...{ resource: key, signal: 'depth', state: 'ok', at: new Date(at).toISOString() },
      value: passed === day && i === 59 ? 180 : valueAt(at),
    }))
    await send('/observations', { observations })
  }
  await world.clock.advance(confirmMs)
  return id
}
