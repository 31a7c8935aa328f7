// Kinds of faults of the table: one fault of about 12 s in an installation with two processes of each service, three NATS servers and the
// shared store.
import { setTimeout as pause } from 'node:timers/promises'
import { hour, minute, second } from '#shared/limits/limits.ts'
import type { Random } from '../simulation/random.ts'
import type { Cut } from '../support/link.ts'
import type { Thing } from './cast.ts'
import type { Plan } from './life.ts'
import { planLoad } from './load.ts'
import { shortPace } from './pace.ts'
import { type CutOf, groups, type ServiceOfStage, services, setTableStage, type TableStage } from './table-stage.ts'

export interface TableKind {
  meaning: string
  /** True: the installation is whole again after the fault, so that several seeds can use it one after the other. */
  isWholeAgain: boolean
  /** Resolves with null if the machine lacks what the fault needs. */
  set(): Promise<TableStage | null>
  plan(stage: TableStage, random: Random): Plan
}

/** Within this time, the rest of the installation does the work of what has failed. */
export const takeOverMs = 10 * second
/** Duration of a fault: longer than a take-over, so that the part that failed does not come back first. */
const faultMs = 12 * second
const streams = ['meta', 'OBSERVATIONS', 'KV_leases', 'KV_checks', 'KV_presence']

type Strike = (cast: readonly Thing[]) => Promise<string>

const usual = (strike: Strike, given: Partial<Plan> = {}): Plan => ({
  pace: shortPace,
  noDataMs: 12 * second,
  faultMs,
  isChecked: true,
  isOff: false,
  boundMs: takeOverMs,
  strike: async cast => ({ fault: await strike(cast) }),
  ...given,
})

const killed = (service: ServiceOfStage): TableKind => ({
  meaning: `one of two ${service} processes killed`,
  isWholeAgain: true,
  set: () => setTableStage(),
  plan: (stage, random) => {
    const member = stage.member(service, random.pick([...groups]))
    return usual(async () => {
      await member.program.kill()
      await pause(faultMs)
      await stage.replace(member)
      return `${service} ${member.group + 1} killed`
    })
  },
})

type NodeFault = 'killed' | 'frozen' | 'lame'

const node = (how: NodeFault, meaning: string): TableKind => ({
  meaning,
  isWholeAgain: true,
  set: () => setTableStage(),
  plan: ({ cluster }, random) => {
    const [led, other, isOfLeader] = [random.pick([...streams, 'meta']), random.integer(0, 2), random.chance(0.7)]
    return usual(async () => {
      const victim = isOfLeader ? ((await cluster.leaderOf(led)) ?? other) : other
      const leads: string[] = []
      for (const stream of streams) if ((await cluster.leaderOf(stream)) === victim) leads.push(stream)
      if (how === 'killed') await cluster.kill(victim)
      else if (how === 'frozen') cluster.freeze(victim)
      else cluster.leave(victim)
      await pause(faultMs)
      if (how === 'frozen') cluster.thaw(victim)
      else {
        await cluster.kill(victim)
        await cluster.start(victim)
      }
      await cluster.whole()
      return `NATS server ${how} that led ${leads.join(', ') || 'nothing'}`
    })
  },
})

const store = (how: 'killed' | 'frozen'): TableKind => ({
  meaning: `the store ${how}`,
  isWholeAgain: true,
  set: () => setTableStage(),
  plan: stage => {
    const strike = async () => {
      if (how === 'killed') await stage.store.kill()
      else stage.store.freeze()
      await pause(faultMs)
      if (how === 'killed') await stage.store.start()
      else stage.store.thaw()
      return `store ${how}`
    }
    return usual(strike, { noDataMs: 30 * second, isOff: true, boundMs: faultMs + takeOverMs })
  },
})

const cut = (what: CutOf, meaning: string): TableKind => ({
  meaning,
  isWholeAgain: true,
  set: () => setTableStage({ hasLinks: true }),
  plan: (stage, random) => {
    const how = random.pick<Cut>(['silent', 'refusing'])
    return usual(async () => {
      stage.cut(what, how)
      await pause(faultMs)
      stage.heal()
      const healedAt = Date.now()
      // The server that was cut off may take long to catch up. The other two do its work meanwhile.
      await stage.cluster.whole(2 * minute)
      return `${what} cut off, ${how}; NATS whole ${Math.round((Date.now() - healedAt) / second)} s after the end`
    })
  },
})

const clock: TableKind = {
  meaning: 'the clock of one process set an hour forward or back, for good',
  isWholeAgain: false,
  set: () => setTableStage({ hasFakeClocks: true }),
  plan: (stage, random) => {
    const member = stage.member(random.pick([...services]), random.pick([...groups]))
    const aheadMs = random.pick([-hour, hour])
    const strike = async () => {
      await stage.setClock(member, aheadMs)
      await pause(faultMs)
      return `clock of ${member.service} ${member.group + 1} set ${aheadMs > 0 ? 'forward' : 'back'}`
    }
    // A clock set forward counts as an outage of that length, and silence is not judged for as long (ADR 35).
    return usual(strike, { hasSilent: false })
  },
}

const load: TableKind = {
  meaning: 'ten times the checks and reports',
  isWholeAgain: false,
  set: () => setTableStage(),
  plan: (stage, random) => usual(planLoad(stage, random, { pace: shortPace, times: 10, forMs: faultMs })),
}

export const tableKinds: Record<string, TableKind> = {
  ...Object.fromEntries(services.map(service => [`${service}-killed`, killed(service)])),
  'nats-killed': node('killed', 'one NATS server of three killed'),
  'nats-frozen': node('frozen', 'one NATS server of three frozen'),
  'nats-lame': node('lame', 'one NATS server of three stopped cleanly (lame duck)'),
  'store-killed': store('killed'),
  'store-frozen': store('frozen'),
  'bus-cut': cut('bus', 'one process of each service cut off from the bus'),
  'store-cut': cut('store', 'one process of each service cut off from the store'),
  'group-cut': cut('group', 'one process of each service, with one NATS server, cut off from everything else'),
  clock,
  load,
}
