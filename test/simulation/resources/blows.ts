// Blows that strike the keepers of simulated Resources, and the ways in which they may have been noticed. Silence is held back after an outage of our own
// for as long as it lasted (v3 4.11, ADR 22): how late it begins and ends is not said, so the oracle is asked for several latenesses.
import { limits } from '#shared/limits.ts'
import { blows, renewalMs } from '../custom/keepers.ts'
import type { Random } from '../random.ts'
import type { Variant } from './checks.ts'
import type { House } from './house.ts'

const second = 1_000
const minute = 60 * second

export interface Struck {
  from: number
  until: number
  /** The part that was away meanwhile; null: none for longer than a take-over takes. */
  lacks: 'keepers' | 'store' | 'gateways' | null
}

/** Strikes the keepers, and notes when; returns a line for the trace. */
export async function strike({ keepers }: House, random: Random, struck: Struck[]): Promise<string> {
  const lacks = random.pick([null, null, null, 'keepers', 'keepers', 'store', 'gateways'] as const)
  const from = keepers.now()
  const blow = lacks ?? (random.chance(0.4) ? 'death in a write' : random.pick(blows))
  if (blow === 'death in a write') await keepers.dieWriting(random.integer(0, 5))
  else if (blow === 'keepers')
    await keepers.beAway(keepers.clock.now() + random.integer(second, random.pick([5, 40, 200]) * minute))
  else if (blow === 'store' || blow === 'gateways') await keepers.lack(blow, random.integer(5 * second, 6 * minute))
  else await keepers.suffer(blow)
  struck.push({ from, until: keepers.now(), lacks })
  return `blow: ${blow} ${from} to ${keepers.now()}`
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

export function variantsOf(struck: readonly Struck[]): Variant[] {
  if (struck.length === 0) return [{ held: [], away: [], isOwnInstant: false }]
  return latenesses.flatMap(({ early, late }) =>
    [false, true].map(isOwnInstant => {
      const held: Variant['held'][number][] = []
      for (const { from, until } of struck) {
        const before = held.at(-1)
        const leftMs = before === undefined ? 0 : Math.max(0, before.until - from)
        const { silenceHoldOffMs, silenceHoldOffMaxMs } = limits.keeper
        const heldMs = Math.min(silenceHoldOffMaxMs, Math.max(silenceHoldOffMs, until - from + leftMs))
        const isJoined = before !== undefined && leftMs > 0
        held.push({ from: isJoined ? before.from : from - early, until: until + heldMs + late })
      }
      const away = struck
        .filter(one => one.lacks !== 'gateways')
        .map(({ from, until }) => ({ from: from - early, until: until - minute + 2 * Math.max(0, late) }))
      // A reminder that was due as the keepers left may be told, or skipped.
      return { held, away: isOwnInstant ? [] : away, isOwnInstant }
    }),
  )
}
