// One seed of the simulation of Resources: half a day of generated Resources of generated Templates in the real keeper, with blows, held against
// the oracle. The same seed gives the same day.
import { Keepers } from '../custom/keepers.ts'
import { Random } from '../random.ts'
import { breathe, type Struck, strike, variantsOf } from './blows.ts'
import { checkDetail, checkRecords } from './checks.ts'
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
  blows: number
}

export interface ResourceRun {
  faults: string[]
  counts: ResourceCounts
  trace: string[]
}

export async function simulateResources(seed: number, lengthMs = 720 * minute): Promise<ResourceRun> {
  const random = new Random(seed, 'life')
  const keepers = new Keepers(random)
  const house: House = { keepers, revisions: makeRevisions(new Random(seed, 'templates')), faults: [], retried: [], ambush: null }
  await keepers.start()
  await publish(house)
  const resources = Array.from({ length: 2 }, (_, i) => new Resource(house, new Random(seed, `resource ${i}`)))
  for (const resource of resources) await resource.begin(random.pick(revisionNames))
  const start = keepers.now()
  const deals = resources
    .flatMap((resource, i) => makeDeeds(new Random(seed, `deeds ${i}`), start, lengthMs).map(deed => ({ resource, deed })))
    .sort((one, other) => one.deed.at - other.deed.at)
  const trace: string[] = []
  const counts: ResourceCounts = { reports: 0, commands: 0, compared: 0, incidents: 0, messages: 0, blows: 0 }
  const blowing = new Random(seed, 'blows')
  // Every second life is a calm one: each instant is demanded to the millisecond.
  const blowChance = seed % 2 === 0 ? 0.015 : 0
  const struck: Struck[] = []
  const come = async () => {
    trace.push(await strike(resources, blowing, struck))
  }
  for (const { resource, deed } of deals) {
    if (blowing.chance(blowChance)) await ambush(resources, blowing, deed.at, come)
    else await keepers.clock.passUntil(deed.at)
    // Of what came due while nobody was there, senders repeat little.
    if (deed.kind === 'observe' && keepers.clock.now() - deed.at > minute && !blowing.chance(0.15)) continue
    await resource.live(deed)
    trace.push(line(house, resource, deed))
    counts[deed.kind === 'observe' ? 'reports' : 'commands'] += 1
    if (random.chance(0.1)) counts.compared += await checkDetail(resource, variantsOf(struck, resource.facts.id))
  }
  await keepers.clock.passUntil(start + lengthMs)
  await keepers.clock.live(120 * second)
  const until = keepers.now() - 90 * second
  counts.blows = struck.length
  for (const resource of resources) {
    const variants = variantsOf(struck, resource.facts.id)
    counts.compared += await checkDetail(resource, variants)
    counts.incidents += await checkRecords(resource)
    counts.messages += await compareExpected(resource, variants, struck, until)
  }
  return { faults: house.faults, counts, trace }
}

/** The blow comes before the deed, in the middle of it, or a moment before something of a Resource is due. */
async function ambush(resources: readonly Resource[], random: Random, before: number, come: () => Promise<void>): Promise<void> {
  const { house } = resources[0] as Resource
  const { clock } = house.keepers
  const due = await Promise.all(resources.map(async resource => (await resource.subject()).dueAt ?? before))
  const next = Math.min(...due)
  const isSoon = random.chance(0.5) && next > clock.now() + 20 * second && next < before
  await clock.passUntil((isSoon ? next : before) - random.integer(13, 20) * second)
  await breathe(house)
  if (isSoon || random.chance(0.5)) await come()
  else house.ambush = come
  await clock.passUntil(before)
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
