// Probers of every location, as they announce themselves through its door: those that live, and those that left a short while ago.
import type { ProberSign } from '#shared/bus/probers/prober-presence.ts'
import type { Member } from '#shared/contracts/observations/door.ts'
import { doorLimits } from '#shared/limits/door-limits.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface Members {
  /** Takes a beat or an end. */
  hear(sign: ProberSign): void
  /** In no order; those that left or fell silent in the last `doorLimits.leftKeptMs`, too. */
  of(locationId: string): Member[]
  /** Those that live. */
  livingAt(locationId: string): Member[]
}

interface Heard extends Member {
  /** On the monotonic clock. */
  heardAt: number
}

/** `onChange`: a prober has come to a location or left it. */
export function createMembers(clock: Pick<Clock, 'monotonic'>, onChange: (locationId: string) => void): Members {
  const locations = new Map<string, Map<string, Heard>>()
  const isYoung = ({ heardAt }: Heard, ms: number) => clock.monotonic() - heardAt < ms
  const of = (locationId: string, ms: number): Heard[] =>
    [...(locations.get(locationId)?.values() ?? [])].filter(heard => isYoung(heard, ms))
  return {
    hear: ({ locationId, proberId, at, isEnd }) => {
      const members = locations.get(locationId) ?? new Map<string, Heard>()
      const known = members.get(proberId)
      const isNew = known === undefined || !isYoung(known, limits.presence.goneMs)
      for (const [id, heard] of members) if (!isYoung(heard, doorLimits.leftKeptMs)) members.delete(id)
      members.set(proberId, { proberId, at: Math.floor(at), hasLeft: isEnd, heardAt: clock.monotonic() })
      locations.set(locationId, members)
      if (isNew || known.hasLeft !== isEnd) onChange(locationId)
    },
    of: locationId => of(locationId, doorLimits.leftKeptMs).map(({ proberId, at, hasLeft }) => ({ proberId, at, hasLeft })),
    livingAt: locationId => of(locationId, limits.presence.goneMs).filter(({ hasLeft }) => !hasLeft),
  }
}
