// Confirmed trouble of a subject by day: the time in which at least one confirmed incident was open. A keeper adds the past days to a row of the
// subject; readers add the incidents since then. Pure.
import type { TroubleDay } from '#shared/contracts/subjects/monitor-state.ts'
import { day, limits } from '#shared/limits/limits.ts'
import { coveredMs, type Stretch } from '#shared/time/share-without.ts'

/** Trouble before `to`: no incident that began before `to` was still open. Only reports that arrived late can still change its last day. */
export interface PastTrouble {
  /** Start of a day, ms since the epoch. */
  to: number
  /** Days with trouble, oldest first. Days are removed when the retention of incidents has ended. */
  days: TroubleDay[]
  /** Ends (ms) of the incidents that began before `to` and ended after it. */
  crossing: number[]
}

export const nothingPast: PastTrouble = { to: 0, days: [], crossing: [] }

/** Id of a subject's row. No other roll-up of the subject has a `t` at this place. */
export const troubleId = (subjectId: string): string => `${subjectId}t`

export const packTrouble = ({ to, days, crossing }: PastTrouble): string =>
  JSON.stringify([to / day, days.map(({ at, ms, incidents }) => [at / day, ms, incidents]), crossing])

export function unpackTrouble(data: string): PastTrouble {
  const [to, days, crossing] = JSON.parse(data) as [number, [number, number, number][], number[]]
  return { to: to * day, days: days.map(([at, ms, incidents]) => ({ at: at * day, ms, incidents })), crossing }
}

/**
 * Returns the earliest instant (ms) at which trouble may have begun that lasts until `at` or beyond: all days between are in trouble from
 * their start to their end. 0: the trouble may have begun on a day that is no longer known.
 */
export function troubleMayBegin({ to, days }: PastTrouble, at: number): number {
  const msOf = new Map(days.map(one => [one.at, one.ms]))
  let begin = Math.floor(Math.min(at, to) / day) * day
  for (;;) {
    const before = begin - day
    if (before < firstKnownDay(to)) return 0
    const ms = msOf.get(before) ?? 0
    if (ms > 0) begin = before
    if (ms < day) return begin
  }
}

/** Returns the first day (ms) of a row that ends with `to`. */
export const firstKnownDay = (to: number): number => to - limits.retention.incidentsMs

/** Sums up closed incidents, which must be added in the order of their beginnings. */
export class TroubleSum {
  readonly #to: number
  readonly #days = new Map<number, TroubleDay>()
  readonly #crossing: number[] = []
  #reached = Number.NEGATIVE_INFINITY

  constructor(to: number) {
    this.#to = to
  }

  add(from: number, closedAt: number): void {
    if (closedAt > this.#to) this.#crossing.push(closedAt)
    const end = Math.min(closedAt, this.#to)
    for (let at = Math.floor(from / day) * day; at < end; at += day) {
      const known = this.#days.get(at) ?? { at, ms: 0, incidents: 0 }
      const begin = Math.max(at, from, this.#reached)
      const ms = known.ms + Math.max(0, Math.min(at + day, end) - begin)
      this.#days.set(at, { at, ms, incidents: known.incidents + 1 })
    }
    this.#reached = Math.max(this.#reached, end)
  }

  get sum(): PastTrouble {
    return { to: this.#to, days: [...this.#days.values()].sort((one, other) => one.at - other.at), crossing: this.#crossing }
  }
}

/**
 * Returns the days from `from` (start of a day) to `to`, oldest first; the last day may be incomplete. `since`: confirmed incidents that
 * began at or after `past.to`.
 */
export function troubleByDay(past: PastTrouble, since: readonly Stretch[], from: number, to: number): TroubleDay[] {
  const known = new Map(past.days.map(one => [one.at, one]))
  const later = [...since, ...past.crossing.map(end => ({ from: past.to, to: end }))]
  const days: TroubleDay[] = []
  for (let at = from; at < to; at += day) {
    const end = Math.min(at + day, to)
    if (at < past.to) days.push(known.get(at) ?? { at, ms: 0, incidents: 0 })
    else {
      const incidents = later.filter(one => one.from < end && (one.to ?? to) > at).length
      days.push({ at, ms: coveredMs(later, at, end), incidents })
    }
  }
  return days
}

/**
 * Returns the share of the time from `from` to `to` without trouble, 0 to 1; null: the period is empty. `days` covers the period. `from` is
 * the start of a day, or an instant before which the subject had no trouble on that day.
 */
export function uptimeOf(days: readonly TroubleDay[], from: number, to: number): number | null {
  if (to <= from) return null
  const ms = days.reduce((sum, one) => (one.at + day > from ? sum + one.ms : sum), 0)
  return 1 - Math.min(1, ms / (to - from))
}
