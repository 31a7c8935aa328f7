// An installation in a cluster, for the table of faults: three NATS servers, two processes of each service in two groups, and the shared
// store. A group reaches bus and store by links of its own if they are to be cut.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeeperClient } from '#shared/bus/clients/clients.ts'
import { second } from '#shared/limits/limits.ts'
import { withForms } from '#shared/store/forms.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { type Program, startProgram } from '../integration/system.ts'
import { startTestCluster, type TestCluster } from '../support/bus/nats-cluster.ts'
import { fakeClockLibrary, fakeClockSettings } from '../support/fake-clock.ts'
import { type Cut, type Link, openLink } from '../support/link.ts'
import { openSharedStore } from '../support/store/shared/client.ts'
import { type SharedStore, startSharedStore, withSharedStore } from '../support/store/shared/start-shared-store.ts'
import { startOutsideWorld } from './outside-world.ts'
import { settled } from './settled.ts'
import { caller, furnish, gatewayUrl, readFirstKey, type Stage } from './stage.ts'

export const services = ['gateway', 'directory', 'keeper', 'notifier', 'prober'] as const
export type ServiceOfStage = (typeof services)[number]
export const groups = [0, 1] as const
export type Group = (typeof groups)[number]

export interface Member {
  service: ServiceOfStage
  group: Group
  program: Program
}

export interface TableStage extends Stage {
  cluster: TestCluster
  store: SharedStore
  member(service: ServiceOfStage, group: Group): Member
  /** Starts a new process in the place of an ended one. */
  replace(member: Member): Promise<void>
  /** Sets the clock of a process; only with `hasFakeClocks`. */
  setClock(member: Member, aheadMs: number): Promise<void>
  /** Cuts and heals links; only with `hasLinks`. */
  cut(what: CutOf, how: Cut): void
  heal(): void
}

/** `bus`, `store`: the first group loses it. `group`: the first group and the first NATS server lose everything else. */
export type CutOf = 'bus' | 'store' | 'group'

export interface TableStageOptions {
  hasLinks?: boolean
  hasFakeClocks?: boolean
}

interface Links {
  bus: Link[][]
  store: Link[]
  /** Routes between NATS servers, with the numbers of both. */
  routes: { from: number; to: number; link: Link }[]
}

const nodes = [0, 1, 2]

/** Resolves with null if clocks are to be set and libfaketime is not installed. */
export async function setTableStage({
  hasLinks = false,
  hasFakeClocks = false,
}: TableStageOptions = {}): Promise<TableStage | null> {
  if (hasFakeClocks && fakeClockLibrary === null) return null
  const dataFolder = await mkdtemp(join(tmpdir(), 'watchkeeper-table-stage-'))
  const links: Links = { bus: [], store: [], routes: [] }
  const routeVia = async (from: number, to: number, port: number) => {
    const link = await openLink(port)
    links.routes.push({ from, to, link })
    return link.port
  }
  const [cluster, store, outside] = await Promise.all([
    startTestCluster(hasLinks ? { routeVia } : {}),
    startSharedStore(),
    startOutsideWorld(),
  ])
  if (hasLinks) await openGroupLinks(links, cluster, store)
  const clock = createSystemClock()
  const members: Member[] = []
  const ended: Program[] = []
  const settingsOf = (group: Group) => ({
    ...withSharedStore,
    DATA_DIR: dataFolder,
    NATS_REPLICAS: '3',
    SQIDS_SALT: 'a salt of a test',
    NATS_URL: hasLinks ? urlVia(cluster, links.bus[group] ?? []) : cluster.url,
    MONGODB_URL: hasLinks ? `mongodb://127.0.0.1:${links.store[group]?.port}/shared` : store.url,
  })
  const clockFile = (service: string, group: Group) => join(dataFolder, `clock-of-${service}-${group}`)
  const launch = async (service: ServiceOfStage, group: Group): Promise<Program> => {
    const file = clockFile(service, group)
    if (hasFakeClocks) await writeFile(file, '+0s')
    return startProgram({ ...settingsOf(group), ...(hasFakeClocks && fakeClockSettings(file)), SERVICES: service })
  }
  const add = async (service: ServiceOfStage, group: Group) => {
    const program = await launch(service, group)
    members.push({ service, group, program })
  }
  const endServices = async () => void (await Promise.all(members.map(({ program }) => program.kill())))
  const heal = () => {
    for (const link of allOf(links)) link.heal()
  }
  const stop = async () => {
    clock.stop()
    await endServices()
    for (const link of allOf(links)) link.close()
    await Promise.all([cluster.stop(), outside.close(), store.stop()])
    await rm(dataFolder, { recursive: true, force: true, maxRetries: 3 })
  }
  try {
    // This connection creates the streams. Otherwise the first service would have to wait for them.
    const bus = await cluster.connect('harness')
    await add('directory', 0)
    const others = groups.flatMap(group => services.map(service => ({ service, group })))
    await Promise.all(
      others
        .filter(({ service, group }) => service !== 'directory' || group > 0)
        .map(({ service, group }) => add(service, group)),
    )
    await settled(bus, groups.length)
    const member = (service: ServiceOfStage, group: Group) =>
      members.find(each => each.service === service && each.group === group) as Member
    const key = await readFirstKey(dataFolder)
    const call = balanced(
      groups.map(group => () => member('gateway', group).program),
      key,
    )
    return {
      ...(await furnish(call, outside)),
      ...{ outside, call, cluster, store, member, endServices, heal, stop },
      command: async use => void (await use(createKeeperClient(bus, clock))),
      output: () => [...ended, ...members.map(({ program }) => program)].map(program => program.output()).join('\n'),
      openStore: async () => withForms(await openSharedStore(store.url)),
      replace: async replaced => {
        ended.push(replaced.program)
        replaced.program = await launch(replaced.service, replaced.group)
      },
      setClock: ({ service, group }, aheadMs) =>
        writeFile(clockFile(service, group), `${aheadMs < 0 ? '-' : '+'}${Math.abs(aheadMs) / second}s`),
      cut: (what, how) => {
        for (const link of linksOf(what, links)) link.cut(how)
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Calls the gateways like a load balancer: stays at one until a request to it fails, and then goes to the next that says it is ready, or stays
 * if no other is.
 */
function balanced(gateways: readonly (() => Program)[], key: string): Stage['call'] {
  let at = 0
  let moving: Promise<void> | null = null
  const move = async () => {
    const others = gateways.map((_, n) => (at + 1 + n) % gateways.length)
    for (const each of others) {
      if (!(await isReady(gateways[each] as () => Program))) continue
      at = each
      return
    }
  }
  const moveOnce = () => {
    moving ??= move().finally(() => {
      moving = null
    })
    return moving
  }
  const calls = gateways.map(gateway =>
    caller(
      () => gatewayUrl(gateway().output()),
      () => key,
    ),
  )
  return async (method, path, body) => {
    const used = at
    try {
      return await (calls[used] as Stage['call'])(method, path, body)
    } catch (error) {
      // Requests that failed together change the gateway once.
      if (used === at) await moveOnce()
      throw error
    }
  }
}

async function isReady(gateway: () => Program): Promise<boolean> {
  const url = /readiness and metrics: (\S+?\/readyz)/.exec(gateway().output())?.[1]
  if (url === undefined) return false
  const response = await fetch(url, { signal: AbortSignal.timeout(second) }).catch(() => null)
  return response?.ok === true
}

async function openGroupLinks(links: Links, cluster: TestCluster, store: SharedStore): Promise<void> {
  for (const group of groups) {
    links.bus[group] = await Promise.all(nodes.map(node => openLink(Number(new URL(cluster.urlOf(node)).port))))
    links.store[group] = await openLink(store.port)
  }
}

const urlVia = (cluster: TestCluster, links: readonly Link[]): string =>
  links
    .map((link, node) => {
      const url = new URL(cluster.urlOf(node))
      url.port = String(link.port)
      return url.href
    })
    .join()

const allOf = ({ bus, store, routes }: Links): Link[] => [...bus.flat(), ...store, ...routes.map(({ link }) => link)]

function linksOf(what: CutOf, { bus, store, routes }: Links): Link[] {
  const [own = [], others = []] = bus
  const ownStore = store.slice(0, 1)
  if (what === 'bus') return own
  if (what === 'store') return ownStore
  const between = routes.filter(({ from, to }) => (from === 0) !== (to === 0)).map(({ link }) => link)
  return [...own.slice(1), ...others.slice(0, 1), ...ownStore, ...between]
}
