// One seed of the simulation of Resources: half a day of generated Resources of generated Templates in the real keeper and the real
// notifier, with injected faults, compared with the oracles. The same seed gives the same half day.
import { Keepers } from '../custom/keepers.ts'
import { Random } from '../random.ts'
import { CustomNeighbour } from './beside/custom-neighbour.ts'
import { WebsiteNeighbour } from './beside/website-neighbour.ts'
import { breathe, type Struck, strike, variantsOf } from './blows.ts'
import { checkDetail, checkRecords } from './checks.ts'
import { compareExpected } from './compare-expected.ts'
import { type Deed, makeDeeds } from './deeds.ts'
import type { House } from './house.ts'
import { Resource } from './resource.ts'
import { makeRevisions, revisionNames } from './templates.ts'
import { checkToldStruck } from './told/check-struck.ts'
import { checkToldExactly } from './told/check-told.ts'
import { Notifiers } from './told/notifiers.ts'
import { destinations, makePostDeeds, Post, type PostDeed } from './told/post.ts'
import { Receivers } from './told/receivers.ts'

const second = 1_000
const minute = 60 * second

export interface ResourceCounts {
  reports: number
  commands: number
  compared: number
  incidents: number
  messages: number
  /** Numbers of rows in the delivery log, and of requests that receivers got. */
  deliveries: number
  requests: number
  /** Number of messages about the subjects of generation 2. */
  beside: number
  blows: number
}

export interface ResourceRun {
  faults: string[]
  counts: ResourceCounts
  trace: string[]
}

/** Subjects of generation 2 in the same workspace, judged by the same keepers. */
type Neighbour = CustomNeighbour | WebsiteNeighbour

type Deal = { at: number } & (
  | { of: 'resource'; deed: Deed; resource: Resource }
  | { of: 'workspace'; deed: PostDeed }
  | { of: 'neighbour'; live(): Promise<void>; neighbour: Neighbour }
)

export async function simulateResources(seed: number, lengthMs = 720 * minute): Promise<ResourceRun> {
  const random = new Random(seed, 'life')
  const keepers = new Keepers(random)
  const receivers = new Receivers(() => keepers.now())
  await receivers.open()
  try {
    const house = await begin(seed, keepers, receivers)
    return await live(house, { seed, random, lengthMs })
  } finally {
    receivers.close()
  }
}

/** Every second seed has no injected faults. In a run without injected faults each instant must be exact to the millisecond. */
const isStruck = (seed: number): boolean => seed % 2 === 0

async function begin(seed: number, keepers: Keepers, receivers: Receivers): Promise<House> {
  const post = new Post(keepers.store, destination => receivers.urlOf(destination))
  const notifiers = new Notifiers(keepers, receivers)
  const flapping = isStruck(seed) ? null : new Random(seed, 'flapping')
  const made = makeRevisions(new Random(seed, 'templates'), new Random(seed, 'routes'), flapping)
  const house: House = { keepers, ...made, post, receivers, notifiers, faults: [], retried: [], ambush: null }
  await keepers.start()
  await publish(house)
  await post.begin(keepers.now())
  await notifiers.start()
  return house
}

async function live(
  house: House,
  { seed, random, lengthMs }: { seed: number; random: Random; lengthMs: number },
): Promise<ResourceRun> {
  const { keepers } = house
  const resources = Array.from({ length: 2 }, (_, i) => new Resource(house, new Random(seed, `resource ${i}`)))
  for (const resource of resources) await resource.begin(random.pick(revisionNames))
  const start = keepers.now()
  const trace: string[] = []
  const counts = {
    reports: 0,
    commands: 0,
    compared: 0,
    incidents: 0,
    messages: 0,
    deliveries: 0,
    requests: 0,
    beside: 0,
    blows: 0,
  }
  const blowing = new Random(seed, 'blows')
  const dying = new Random(seed, 'notifiers')
  const blowChance = isStruck(seed) ? 0.015 : 0
  const struck: Struck[] = []
  const come = async () => {
    trace.push(await strike(resources, blowing, struck))
  }
  const neighbours: Neighbour[] = [new CustomNeighbour(seed, keepers), new WebsiteNeighbour(seed, keepers)]
  const deals = [...dealsOf(house, resources, { seed, start, lengthMs }), ...(await dealsBeside(neighbours, lengthMs))]
  for (const deal of deals.sort((one, other) => one.at - other.at)) {
    if (deal.of !== 'resource') {
      await keepers.clock.passUntil(deal.at)
      if (deal.of === 'neighbour') await liveBeside(deal, struck)
      else await change(house, resources, deal.deed)
      if (deal.of === 'workspace') trace.push(line(house, 'workspace', deal.deed))
      if (deal.of === 'workspace' && blowChance > 0 && dying.chance(0.4)) await killNotifier(house, dying)
      continue
    }
    const { deed, resource } = deal
    if (blowing.chance(blowChance)) await ambush(resources, blowing, deed.at, come)
    else await keepers.clock.passUntil(deed.at)
    // Senders send only a few of the reports that were due while no keeper ran.
    if (deed.kind === 'observe' && keepers.clock.now() - deed.at > minute && !blowing.chance(0.15)) continue
    await resource.live(deed)
    trace.push(line(house, resource.facts.id, deed))
    counts[deed.kind === 'observe' ? 'reports' : 'commands'] += 1
    if (random.chance(0.1)) counts.compared += await checkDetail(resource, variantsOf(struck, resource.facts.id))
  }
  await keepers.clock.passUntil(start + lengthMs)
  await keepers.clock.live(120 * second)
  const until = keepers.now() - 90 * second
  counts.blows = struck.length
  counts.requests = house.receivers.requests.length
  for (const neighbour of neighbours) {
    const { faults, messages } = await neighbour.end(struck)
    house.faults.push(...faults)
    counts.beside += messages
  }
  for (const resource of resources) {
    const variants = variantsOf(struck, resource.facts.id)
    counts.compared += await checkDetail(resource, variants)
    counts.incidents += await checkRecords(resource)
    counts.messages += await compareExpected(resource, variants, struck, until)
    counts.deliveries += await (blowChance > 0 ? checkToldStruck : checkToldExactly)(resource, until)
  }
  return { faults: house.faults, counts, trace }
}

function dealsOf(
  { receivers }: House,
  resources: readonly Resource[],
  { seed, start, lengthMs }: { seed: number; start: number; lengthMs: number },
): Deal[] {
  const post = new Random(seed, 'post')
  for (const { id } of destinations) receivers.plan(post, id, start, lengthMs)
  const deals = resources.flatMap((resource, i) =>
    makeDeeds(new Random(seed, `deeds ${i}`), start, lengthMs).map(
      (deed): Deal => ({ of: 'resource', at: deed.at, resource, deed }),
    ),
  )
  const changes = makePostDeeds(post, start, lengthMs).map((deed): Deal => ({ of: 'workspace', at: deed.at, deed }))
  return [...deals, ...changes]
}

async function dealsBeside(neighbours: readonly Neighbour[], lengthMs: number): Promise<Deal[]> {
  const deals: Deal[] = []
  for (const neighbour of neighbours)
    for (const { at, live } of await neighbour.begin(lengthMs)) deals.push({ of: 'neighbour', at, live, neighbour })
  return deals
}

async function liveBeside({ live, neighbour }: Extract<Deal, { of: 'neighbour' }>, struck: readonly Struck[]): Promise<void> {
  await live()
  await neighbour.look(struck)
}

async function change({ keepers, post }: House, resources: readonly Resource[], deed: PostDeed): Promise<void> {
  const ids = resources.map(({ facts }) => facts.id)
  await post.change(deed, ids, keepers.now())
}

async function killNotifier({ keepers, notifiers }: House, random: Random): Promise<void> {
  if (random.chance(0.5)) await notifiers.dieSending(random.integer(1, 40) * second)
  else {
    await notifiers.die()
    await keepers.clock.passUntil(keepers.clock.now() + random.pick([0, 30 * second, 20 * minute]))
    await notifiers.restart()
  }
}

/** Injects a fault before or during the planned action, or right before a deadline of a Resource. */
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

const line = ({ keepers }: House, of: string, { at, ...deed }: Deed | PostDeed) =>
  `${new Date(at).toISOString().slice(11, 23)} (${keepers.now()}) ${of} ${JSON.stringify(deed)}`
