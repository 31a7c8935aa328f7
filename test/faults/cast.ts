// The things that are watched in a fault run: what happens to each, drawn by a seed, and what people must be told of it.
import { second } from '#shared/limits.ts'
import type { Random } from '../simulation/random.ts'
import type { Spell } from './outside-world.ts'
import type { Expected, Kind } from './told.ts'
import { confirmMs, intervalMs, ruleConfirmMs } from './watched-things.ts'

/** site: checked; heart: reports all the time and may not be silent; reporter: reports its status. */
export type Sort = 'site' | 'heart' | 'reporter'

export interface Thing {
  sort: Sort
  name: string
  /** It fails, is silent, or reports problems in this spell. Infinity: still to be known. */
  spell: Spell | null
  expected: readonly Kind[]
  /** The spell ends so long after its message has come. */
  lastsMs: number
  /** How often it reports. */
  everyMs: number
  /** So long a heart may be silent; null: no heart. */
  noDataMs: number | null
  /** A report that is not taken is sent again half a second later; otherwise the next one comes an interval later. */
  isCareful: boolean
}

export interface CastOptions {
  /** So long a heart may be silent that reports every 5 s. */
  noDataMs: number
  /** The fault begins so long after the beginning and takes about `faultMs`. */
  faultInMs: number
  faultMs: number
  /** Checks go on during the fault: a blip may come then. Otherwise it comes afterwards: seen to begin and not to end it is trouble. */
  isChecked: boolean
  /** Also senders that do not repeat a report that was not taken. */
  hasCareless: boolean
}

/** A blip of 6 s fails two checks at most, and is over 10 s after the first of them. */
export const blipMs = 6 * second

/** A report of theirs that is lost makes them silent for 40 s, two only if the outage is as long as their interval. */
const slowly = { everyMs: 20 * second, noDataMs: 45 * second }

/** The instants of spells are ms after the beginning. */
export function drawCast(random: Random, options: CastOptions): Thing[] {
  const { faultInMs, faultMs, isChecked, hasCareless, noDataMs } = options
  const near = () => Math.max(0, faultInMs + random.integer(-25 * second, faultMs + 10 * second))
  const trouble = (): Spell => ({ from: near(), to: Number.POSITIVE_INFINITY })
  const blip = (): Spell => {
    const from = isChecked ? near() : Number.POSITIVE_INFINITY
    return { from, to: from + blipMs }
  }
  const some = (count: number, sort: Sort, what: string, spell: () => Spell | null, expected: Kind[]): Thing[] =>
    Array.from({ length: count }, (_, n) => ({
      sort,
      name: `${sort}-${what}-${n}`,
      spell: spell(),
      expected,
      lastsMs: random.integer(1, 20) * second,
      everyMs: intervalMs,
      noDataMs: sort === 'heart' ? noDataMs : null,
      isCareful: !hasCareless || random.chance(0.5),
    }))
  const slow = some(4, 'heart', 'slow', () => null, []).map(thing => ({ ...thing, ...slowly, isCareful: !hasCareless }))
  return [
    ...some(12, 'site', 'well', () => null, []),
    ...some(4, 'site', 'blip', blip, []),
    ...some(5, 'site', 'down', trouble, ['problem', 'ok']),
    ...some(8, 'heart', 'well', () => null, []),
    ...slow,
    ...some(3, 'heart', 'silent', trouble, ['no_data', 'ok']),
    ...some(2, 'reporter', 'well', () => null, []),
    ...some(3, 'reporter', 'bad', trouble, ['problem', 'ok']),
  ]
}

export const expectedOf = (cast: readonly Thing[]): Expected => new Map(cast.map(({ name, expected }) => [name, expected]))

/** How long after the beginning of its trouble people are told at the latest if nothing is in the way, ms. */
export function promiseMs({ sort, noDataMs }: Thing): number {
  if (sort === 'site') return intervalMs + confirmMs
  return ruleConfirmMs + (noDataMs ?? intervalMs)
}
