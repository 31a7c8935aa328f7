// Faults injected into the keepers of simulated Resources (blows), and the possible delays until a keeper notices them. Silence is held
// back after an outage of Watchkeeper for as long as the outage (v3 4.11, ADR 22). The rules leave open when exactly this time starts and
// ends, so the oracle runs with several variants.
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { blows, renewalMs } from '../custom/keepers.ts'
import type { Random } from '../random.ts'
import { calm, type Variant } from './expected.ts'
import type { House } from './house.ts'
import type { Resource } from './resource.ts'

const second = 1_000
const minute = 60 * second

/**
 * Period of an injected fault in which no report could be accepted. It does not include the seconds that the simulation runs before and
 * after the fault.
 */
export interface Struck {
  from: number
  until: number
  /** Unavailable part of the installation; null: no part was unavailable for longer than a take-over. */
  lacks: 'keepers' | 'store' | 'gateways' | null
  /**
   * By Resource: instant up to which silence counts; later silence is held back (ADR 22). For a Resource without an entry, silence counts
   * up to the instant of the fault.
   */
  countsTo: ReadonlyMap<string, number>
}

/** Injects a fault into the keepers and records its time. Returns a line for the trace. */
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
 * Returns the latest stored instant at which silence was judged, from the partition's checkpoint or the Resource. A new holder knows no
 * later instant. So it reads every report from before this instant, whatever the report's age.
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

/** Runs for some time before an injected fault, so that lease and checkpoint are recent when the fault begins. */
export const breathe = ({ keepers }: House): Promise<void> => keepers.clock.live(renewalMs + limits.keeper.checkpointMs)

/**
 * Variants of the period in which silence is held back. The period begins `early` ms before the fault and ends `late` ms after its regular
 * end.
 */
const latenesses = [
  { early: 0, late: 0 },
  { early: 5 * second, late: 5 * second },
  { early: 5 * second, late: 30 * second },
  { early: 0, late: 15 * second },
  { early: -10 * second, late: -5 * second },
  { early: -10 * second, late: 30 * second },
] as const

/**
 * Possible instants from which a silence counts that a keeper noticed late, and from which a report counts whose keeper died.
 */
const hearings = [
  { isOwnInstant: false, isAfterOthers: false, isStrayLate: false },
  { isOwnInstant: true, isAfterOthers: false, isStrayLate: false },
  { isOwnInstant: true, isAfterOthers: true, isStrayLate: false },
  { isOwnInstant: false, isAfterOthers: false, isStrayLate: true },
] as const

/** Returns the time for which silence is held back after an outage, in which `leftMs` of an earlier hold were left (ADR 22). */
function heldAfter({ sinceFirstMs, lostMs, leftMs }: Record<'sinceFirstMs' | 'lostMs' | 'leftMs', number>): number {
  const { deafMs, silenceHoldOffMs, silenceHoldOffMaxMs } = limits.keeper
  const joinedMs = Math.min(sinceFirstMs, Math.max(minute, leftMs + 3 * lostMs))
  return Math.min(silenceHoldOffMaxMs, Math.max(silenceHoldOffMs, lostMs > deafMs ? joinedMs : leftMs))
}

/** Returns the possible ways in which keepers notice the faults, for one Resource. */
export function variantsOf(struck: readonly Struck[], resourceId: string): Variant[] {
  if (struck.length === 0) return [calm]
  return latenesses.flatMap(({ early, late }) =>
    hearings.map(({ isOwnInstant, isAfterOthers, isStrayLate }) => {
      const held: Variant['held'][number][] = []
      let firstFrom = 0
      for (const { from, until, countsTo } of struck) {
        const before = held.at(-1)
        const leftMs = before === undefined ? 0 : Math.max(0, before.until - from)
        const isJoined = before !== undefined && leftMs > 0
        if (!isJoined) firstFrom = from
        const heldMs = heldAfter({ sinceFirstMs: until - firstFrom, lostMs: until - from, leftMs })
        const heldFrom = isJoined ? before.from : from - early
        const to = Math.min(isJoined ? before.to : heldFrom, countsTo.get(resourceId) ?? heldFrom)
        held.push({ from: heldFrom, to, until: until + heldMs + late })
      }
      const away = struck
        .filter(one => one.lacks !== 'gateways')
        .map(({ from, until }) => ({ from: from - early, until: until - minute + 2 * Math.max(0, late) }))
      // A reminder that was due when the keepers ended is either sent or skipped.
      return { held, away: isOwnInstant ? [] : away, isOwnInstant, isAfterOthers, isStrayLate }
    }),
  )
}
