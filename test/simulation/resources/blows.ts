// Blows that strike the keepers of simulated Resources, and the ways in which they may have been noticed. Silence is held back after an outage of our own
// for as long as it lasted (v3 4.11, ADR 22): how late it begins and ends is not said, so the oracle is asked for several latenesses.
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits.ts'
import { blows, renewalMs } from '../custom/keepers.ts'
import type { Random } from '../random.ts'
import type { Variant } from './expected.ts'
import type { House } from './house.ts'
import type { Resource } from './resource.ts'

const second = 1_000
const minute = 60 * second

/** A time in which no report could be taken: the seconds lived through before and after it are none of it. */
export interface Struck {
  from: number
  until: number
  /** The part that was away meanwhile; null: none for longer than a take-over takes. */
  lacks: 'keepers' | 'store' | 'gateways' | null
  /** By Resource: silence counts no further while it is held back (ADR 22). Absent: it counts up to the blow. */
  countsTo: ReadonlyMap<string, number>
}

/** Strikes the keepers, and notes when; returns a line for the trace. */
export async function strike(resources: readonly Resource[], random: Random, struck: Struck[]): Promise<string> {
  const { keepers } = (resources[0] as Resource).house
  const lacks = random.pick([null, null, null, 'keepers', 'keepers', 'store', 'gateways'] as const)
  let from = keepers.now()
  let until: number | null = null
  const blow = lacks ?? (random.chance(0.4) ? 'death in a write' : random.pick(blows))
  const countsTo = isTakenOver.has(blow) ? await recordedOf(resources) : new Map()
  if (blow === 'death in a write') from = await keepers.dieWriting(random.integer(0, 5))
  else if (blow === 'keepers')
    await keepers.beAway(keepers.clock.now() + random.integer(second, random.pick([5, 40, 200]) * minute))
  else if (blow === 'store' || blow === 'gateways') await keepers.lack(blow, random.integer(5 * second, 6 * minute))
  else until = await keepers.suffer(blow)
  until ??= keepers.now()
  struck.push({ from, until, lacks, countsTo })
  return `blow: ${blow} ${from} to ${until}`
}

const isTakenOver: ReadonlySet<string> = new Set(['keepers', 'death in a write', 'kill', 'stop', 'restart'])

/**
 * The latest instant that the store says was judged with silence counted: by the checkpoint of the partition, or by the Resource itself. A new
 * holder knows of no later one, so a report from before it is read however old it is.
 */
async function recordedOf(resources: readonly Resource[]): Promise<Map<string, number>> {
  const recorded = new Map<string, number>()
  for (const resource of resources) {
    const { id, partition, silenceTo } = await resource.subject()
    const [checkpoint] = await resource.house.keepers.store.get('checkpoints', [keys.lease(partition)])
    const never = Number.NEGATIVE_INFINITY
    recorded.set(id, Math.max(checkpoint?.writtenAt ?? never, silenceTo?.pushed ?? never))
  }
  return recorded
}

/** Lived through before a blow, so that lease and checkpoint say when their holder was last there. */
export const breathe = ({ keepers }: House): Promise<void> => keepers.clock.live(renewalMs + limits.keeper.checkpointMs)

/** Each: how much earlier or later than the blow silence is held, and how much longer than the time itself. */
const latenesses = [
  { early: 0, late: 0 },
  { early: 5 * second, late: 5 * second },
  { early: 5 * second, late: 30 * second },
  { early: 0, late: 15 * second },
  { early: -10 * second, late: -5 * second },
  { early: -10 * second, late: 30 * second },
] as const

/** Of one Resource. */
export function variantsOf(struck: readonly Struck[], resourceId: string): Variant[] {
  if (struck.length === 0) return [{ held: [], away: [], isOwnInstant: false }]
  return latenesses.flatMap(({ early, late }) =>
    [false, true].map(isOwnInstant => {
      const held: Variant['held'][number][] = []
      for (const { from, until, countsTo } of struck) {
        const before = held.at(-1)
        const leftMs = before === undefined ? 0 : Math.max(0, before.until - from)
        const { silenceHoldOffMs, silenceHoldOffMaxMs } = limits.keeper
        const heldMs = Math.min(silenceHoldOffMaxMs, Math.max(silenceHoldOffMs, until - from + leftMs))
        const isJoined = before !== undefined && leftMs > 0
        const heldFrom = isJoined ? before.from : from - early
        const to = Math.min(isJoined ? before.to : heldFrom, countsTo.get(resourceId) ?? heldFrom)
        held.push({ from: heldFrom, to, until: until + heldMs + late })
      }
      const away = struck
        .filter(one => one.lacks !== 'gateways')
        .map(({ from, until }) => ({ from: from - early, until: until - minute + 2 * Math.max(0, late) }))
      // A reminder that was due as the keepers left may be told, or skipped.
      return { held, away: isOwnInstant ? [] : away, isOwnInstant }
    }),
  )
}
