// Watched websites and senders of a fault run: their problems, drawn by a seed, and the messages that people must get.
import { second } from '#shared/limits/limits.ts'
import type { Random } from '../simulation/random.ts'
import type { Spell } from './outside-world.ts'
import type { Pace } from './pace.ts'
import type { Expected, Kind } from './told.ts'

/** `site`: a website that probers check; `heart`: a sender whose silence is a problem; `reporter`: a sender that reports its own status. */
export type Sort = 'site' | 'heart' | 'reporter'

export interface Thing {
  sort: Sort
  name: string
  /**
   * Period in which a site fails, a heart is silent, or a reporter reports problems; null: no problem. `to` Infinity: the problem has not
   * ended.
   */
  spell: Spell | null
  expected: readonly Kind[]
  /** Time from the message about the problem to the end of the problem, ms. */
  lastsMs: number
  /** Interval of the sender's reports, ms. */
  everyMs: number
  /** Longest permitted time without a report of a `heart`, ms; null for a `site` and a `reporter`. */
  noDataMs: number | null
  /** True: a refused report is sent again half a second later. False: the next report follows an interval later. */
  isCareful: boolean
}

export interface CastOptions {
  /** Longest permitted time without a report of a `heart`, ms. A `heart` normally reports at each interval. */
  noDataMs: number
  pace: Pace
  /** Time from the start of the run to the fault, which lasts about `faultMs`; ms. */
  faultInMs: number
  faultMs: number
  /** True: checks continue during the fault, and short failures can happen meanwhile. False: short failures happen afterwards. */
  isChecked: boolean
  /** True: includes senders that do not repeat a refused report. */
  hasCareless: boolean
  /** False: no sender falls silent, because the fault puts off messages about silence for longer than the run. */
  hasSilent?: boolean
}

/** Chooses at random sites, senders of heartbeats and senders of reports, each with its problems. Instants are ms after the start of the run. */
export function drawCast(random: Random, options: CastOptions): Thing[] {
  const { faultInMs, faultMs, isChecked, hasCareless, hasSilent = true, noDataMs, pace } = options
  const { beforeMs, afterMs, blipMs, lastsMs, intervalMs, slow: slowly } = pace
  const near = () => Math.max(0, faultInMs + random.integer(-beforeMs, faultMs + afterMs))
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
      lastsMs: random.integer(lastsMs[0] / second, lastsMs[1] / second) * second,
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
    ...some(hasSilent ? 3 : 0, 'heart', 'silent', trouble, ['no_data', 'ok']),
    ...some(2, 'reporter', 'well', () => null, []),
    ...some(3, 'reporter', 'bad', trouble, ['problem', 'ok']),
  ]
}

export const expectedOf = (cast: readonly Thing[]): Expected => new Map(cast.map(({ name, expected }) => [name, expected]))

/** Longest time from the beginning of a problem to its message if there is no fault, ms. */
export function promiseMs({ sort, noDataMs }: Thing, { intervalMs, confirmMs, ruleConfirmMs }: Pace): number {
  if (sort === 'site') return intervalMs + confirmMs
  return ruleConfirmMs + (noDataMs ?? intervalMs)
}
