// A day of made-up websites for the pictures. Most of their problems happen in the last half hour.

import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import type { CheckResult } from '#shared/contracts/observations/check.ts'
import { type DashboardWorld, startDashboardWorld } from '../support/worlds/dashboard-world.ts'
import { confirmMs } from '../support/worlds/whole-world.ts'

export interface Story {
  world: DashboardWorld
  /** The monitor that is down, and its incident. */
  monitor: string
  incident: string
}

const minute = 60_000
const stepMs = 5 * minute
const steps = 24 * 12
/** Ids by name, as the store has them. */
const locations = { frankfurt: 'aaaa', dublin: 'bbbb', virginia: 'cccc' } as const
type LocationId = (typeof locations)[keyof typeof locations]
const everywhere: readonly LocationId[] = Object.values(locations)

/** Usual response times, ms. */
const usual: Readonly<Record<string, number>> = {
  checkout: 210,
  billing: 134,
  login: 98,
  storefront: 180,
  search: 320,
  media: 60,
  'help centre': 240,
  'orders api': 75,
  'status page': 45,
  reports: 510,
  webhooks: 88,
  'partner portal': 290,
}

export async function startStory(): Promise<Story> {
  const world = await startDashboardWorld()
  await nameLocations(world)
  const destination = { name: 'ops', type: 'webhook', url: 'https://hooks.example/ops' }
  await world.editor.send('POST', `/api/v3/workspaces/${world.workspaceId}/destinations`, { body: destination })
  const ids = new Map<string, string>()
  for (const name of Object.keys(usual)) ids.set(name, await add(world, name))
  const idOf = (name: string) => ids.get(name) as string
  const all = [...ids.keys()]
  const check = async (names: readonly string[], failing: Partial<Record<string, readonly LocationId[]>> = {}) => {
    for (const name of names)
      for (const location of everywhere) {
        const ok = !failing[name]?.includes(location)
        await world.report(idOf(name), location, ok, ok ? took(name, location, world.clock.now()) : {})
      }
  }
  for (let step = 0; step < steps; step++) {
    // One website fails for two hours of the night.
    const isBad = step >= 140 && step < 146
    await check(
      step % 12 === 0 ? all : ['checkout', 'reports'],
      isBad ? { checkout: [locations.virginia, locations.dublin] } : {},
    )
    await world.clock.advance(stepMs)
  }
  const broken = { checkout: [locations.frankfurt, locations.dublin] }
  const withoutReports = all.filter(name => name !== 'reports')
  await check(withoutReports, { ...broken, reports: [] })
  const media = `/api/v3/workspaces/${world.workspaceId}/resources/${idOf('media')}/maintenance`
  await world.editor.send('PUT', media, { body: { minutes: 90 } })
  await world.clock.advance(confirmMs + minute)
  // The website recovers for a minute, and fails again.
  await check(['checkout'])
  await world.clock.advance(minute)
  await check(['checkout'], broken)
  for (let i = 0; i < 4; i++) {
    await check(withoutReports, { ...broken, login: [locations.virginia, locations.dublin] })
    await world.clock.advance(stepMs)
  }
  await check(['login', 'checkout'], broken)
  await check(['billing'], { billing: [locations.dublin, locations.virginia] })
  await world.clock.advance(41_000)
  const { json } = await world.editor.send('GET', `/session/monitors/${idOf('checkout')}`)
  const incident = String(json.row.incident.id)
  await tell(world, `${idOf('checkout')}.2`)
  return { world, monitor: idOf('checkout'), incident }
}

/** Stores the message about the incident as a notifier would have logged it, because this world has no notifier. */
async function tell({ store, workspaceId, clock }: DashboardWorld, incidentId: string): Promise<void> {
  const at = clock.now() - 22 * minute - 40_000
  const delivery: DeliveryLogDocument = {
    ...{ id: 'Story1', rev: 1, number: 1, workspaceId, destinationId: 'd1', destinationNumber: 1, destinationName: 'ops' },
    ...{ destinationType: 'webhook', alertKind: 'problem', event: 'problem', status: 'delivered', reason: null, shownInV2: 1 },
    ...{ payload: '{}', error: '', incidentId, at, expireAt: at + 30 * 24 * 60 * minute },
  }
  await store.insert('deliveryLog', [delivery])
}

/** Stores the names of the locations for the pages. The test world itself has only one location. */
async function nameLocations({ store, clock }: DashboardWorld): Promise<void> {
  const named = Object.entries(locations).map(([name, id]) => ({ id, rev: 2, name, displayName: null, createdAt: clock.now() }))
  await store.upsert('locations', named)
}

const add = (world: DashboardWorld, name: string): Promise<string> => {
  const url = `https://${name.replace(' ', '-')}.example/`
  return world.addMonitor(name, {
    interval: name === 'reports' || name === 'checkout' ? 300 : 3_600,
    request: { url, method: 'GET' },
    locations: Object.keys(locations),
  })
}

/** Returns the generated duration of a check. It is longer in one half of the day, and from locations that are far away. */
function took(name: string, location: LocationId, at: number): Partial<CheckResult> {
  const far = { aaaa: 1, bbbb: 1.25, cccc: 1.8 }[location]
  const noon = 1 + 0.35 * Math.sin(((at % (24 * 60 * minute)) / (24 * 60 * minute)) * 2 * Math.PI)
  const noise = 1 + 0.12 * Math.sin(at / 7_777_777 + far * 10) + 0.06 * Math.sin(at / 1_234_567)
  const totalMs = Math.round((usual[name] as number) * far * noon * noise)
  return { phases: { dnsMs: 2, connectMs: 9, tlsMs: 14, firstByteMs: totalMs - 5, totalMs } }
}
