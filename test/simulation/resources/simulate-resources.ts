// One seed of the simulation of Resources: half a day of generated Resources of generated Templates in the real keeper, with blows, held against
// the oracle. The same seed gives the same day.
import { Keepers } from '../custom/keepers.ts'
import { Random } from '../random.ts'
import { checkDetail, checkRecords, type Variant } from './checks.ts'
import { compareExpected } from './compare-expected.ts'
import { type Deed, makeDeeds } from './deeds.ts'
import type { House } from './house.ts'
import { Resource } from './resource.ts'
import { makeRevisions, revisionNames } from './templates.ts'

const second = 1_000
const minute = 60 * second

export interface ResourceCounts {
  reports: number
  commands: number
  compared: number
  incidents: number
  messages: number
}

export interface ResourceRun {
  faults: string[]
  counts: ResourceCounts
  trace: string[]
}

export async function simulateResources(seed: number, lengthMs = 720 * minute): Promise<ResourceRun> {
  const random = new Random(seed, 'life')
  const keepers = new Keepers(random)
  const house: House = { keepers, revisions: makeRevisions(new Random(seed, 'templates')), faults: [], retried: [] }
  await keepers.start()
  await publish(house)
  const resources = Array.from({ length: 2 }, (_, i) => new Resource(house, new Random(seed, `resource ${i}`)))
  for (const resource of resources) await resource.begin(random.pick(revisionNames))
  const start = keepers.now()
  const deals = resources
    .flatMap((resource, i) => makeDeeds(new Random(seed, `deeds ${i}`), start, lengthMs).map(deed => ({ resource, deed })))
    .sort((one, other) => one.deed.at - other.deed.at)
  const trace: string[] = []
  const counts: ResourceCounts = { reports: 0, commands: 0, compared: 0, incidents: 0, messages: 0 }
  const variants: Variant[] = [{ held: [], away: [] }]
  for (const { resource, deed } of deals) {
    await keepers.clock.passUntil(deed.at)
    await resource.live(deed)
    trace.push(line(house, resource, deed))
    counts[deed.kind === 'observe' ? 'reports' : 'commands'] += 1
    if (random.chance(0.1)) counts.compared += await checkDetail(resource, variants)
  }
  await keepers.clock.passUntil(start + lengthMs)
  await keepers.clock.live(10 * second)
  for (const resource of resources) {
    counts.compared += await checkDetail(resource, variants)
    counts.incidents += await checkRecords(resource)
    counts.messages += await compareExpected(resource, variants, keepers.now() - 5 * second)
  }
  return { faults: house.faults, counts, trace }
}

async function publish({ keepers, revisions }: House): Promise<void> {
  const documents = [...revisions].map(([name, template]) => {
    const { key, version } = template
    return { id: `w/${name}`, rev: 1, workspaceId: 'w', key, version, publishedAt: 0, bytes: 1, template }
  })
  await keepers.store.insert('templates', documents)
}

const line = ({ keepers }: House, { facts }: Resource, { at, ...deed }: Deed) =>
  `${new Date(at).toISOString().slice(11, 23)} (${keepers.now()}) ${facts.id} ${JSON.stringify(deed)}`
