// A session world whose workspace has many monitors in chosen states. The monitors are documents in the store, and their states are
// published as a keeper publishes states.

import type { Test } from 'tap'
import { subjects } from '#shared/bus/subjects.ts'
import type { RosterIncident, RosterRow, RosterStatus } from '#shared/contracts/subjects/roster.ts'
import { websiteMeta } from '../keeper/world.ts'
import { subjectDocument } from '../support/worlds/fake-keeper.ts'
import { type SessionWorld, startSessionWorld } from '../support/worlds/session-world.ts'

export interface ManyMonitors extends SessionWorld {
  origin: string
  /** Present row of a monitor, by the monitor's number. */
  row(number: number): RosterRow
  /** Changes a row and publishes the change on the bus. */
  change(number: number, more: Partial<RosterRow>): Promise<void>
  incident(number: number, more?: Partial<RosterIncident>): RosterIncident
}

const names = ['checkout', 'billing', 'login', 'search', 'media', 'docs', 'api', 'mail', 'shop', 'reports']
const troubles: readonly RosterStatus[] = ['down', 'no_data', 'pending', 'recovering']
const minute = 60_000

/** Every 340th monitor is in one of the problem states, which take turns. All other monitors are up. */
export async function startManyMonitors(t: Test, count: number): Promise<ManyMonitors> {
  const world = await startSessionWorld(t)
  const { store, workspaceId, clock, hub } = world
  await world.addPerson('ann', { [workspaceId]: 'editor' })
  const documents = Array.from({ length: count }, (_, n) => {
    const check = { ...websiteMeta, url: `https://${names[n % 10]}.example/`, locations: [] }
    return subjectDocument(idOf(n), workspaceId, `monitor-${n}`, `${names[n % 10]} prod ${n}`, check, clock.now())
  })
  await store.insert('subjects', documents)
  const ask = { workspaceId, status: 'all', kind: 'all', text: '', from: 0, count: 1 } as const
  // The roster is read once and then updated by published changes.
  await world.ask('list-roster', ask)
  const keeper = hub.connect()
  const incident: ManyMonitors['incident'] = (number, more = {}) => ({
    id: `incident${number}`,
    rule: 'availability',
    cause: null,
    explanation: '2 of 3 locations failing (de, fr)',
    acknowledged: null,
    next: { what: 'remind', at: clock.now() + 3 * 60 * minute },
    ...more,
  })
  const rows = documents.map(({ id, slug, name }, n): RosterRow => {
    const status = n % 340 === 0 ? troubles[(n / 340) % troubles.length]! : 'up'
    return {
      ...{
        id,
        rev: 2,
        key: slug,
        name,
        kind: n % 5 === 0 ? 'custom' : 'website',
        template: n % 5 === 0 ? null : 'website-check@1',
      },
      ...{ host: `${names[n % 10]}.example`, status, since: clock.now() - (n + 1) * minute, maintenanceUntil: null },
      ...(status === 'up' ? { incident: null, incidents: 0 } : { incident: incident(n), incidents: 1 }),
    }
  })
  const tell = (row: RosterRow) => keeper.publish(subjects.state(workspaceId, row.id), { kind: 'row', row })
  for (const row of rows) tell(row)
  await new Promise(resolve => setImmediate(resolve))
  return {
    ...world,
    origin: world.addresses[0]!,
    incident,
    row: number => rows[number]!,
    change: async (number, more) => {
      const row = { ...rows[number]!, ...more, rev: rows[number]!.rev + 1 }
      rows[number] = row
      tell(row)
      await new Promise(resolve => setImmediate(resolve))
    },
  }
}

const idOf = (n: number): string => `Mon${String(n).padStart(7, '0')}`
