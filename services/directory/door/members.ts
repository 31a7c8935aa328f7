// Remote probers of all locations: probers that send heartbeats, and probers that stopped recently.
import type { ProberSign } from '#shared/bus/probers/prober-presence.ts'
import type { Member } from '#shared/contracts/observations/door.ts'
import { doorLimits } from '#shared/limits/door-limits.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface Members {
  /** Records a heartbeat or the departure of a prober. */
  hear(sign: ProberSign): void
  /** Returns the live probers, and the probers that stopped or became silent less than `doorLimits.leftKeptMs` ago, in no order. */
  of(locationId: string): Member[]
  livingAt(locationId: string): Member[]
}

interface Heard extends Member {
  /** Instant of the latest heartbeat or departure, ms of the monotonic clock. */
  heardAt: number
}

/** `onChange` is called when a prober of the location starts or stops. */
export function createMembers(clock: Pick<Clock, 'monotonic'>, onChange: (locationId: string) => void): Members {
  const locations = new Map<string, Map<string, Heard>>()
  const isYoung = ({ heardAt }: Heard, ms: number) => clock.monotonic() - heardAt < ms
  const of = (locationId: string, ms: number): Heard[] =>
    [...(locations.get(locationId)?.values() ?? [])].filter(heard => isYoung(heard, ms))
  return {
    hear: ({ locationId, proberId, at, isEnd, kinds }) => {
      const members = locations.get(locationId) ?? new Map<string, Heard>()
      const known = members.get(proberId)
      const isNew = known === undefined || !isYoung(known, limits.presence.goneMs)
      for (const [id, heard] of members) if (!isYoung(heard, doorLimits.leftKeptMs)) members.delete(id)
      const able = kinds === null ? {} : { kinds: Object.keys(kinds).filter(kind => kinds[kind] === null) }
      members.set(proberId, { proberId, at: Math.floor(at), hasLeft: isEnd, heardAt: clock.monotonic(), ...able })
      locations.set(locationId, members)
      if (isNew || known.hasLeft !== isEnd) onChange(locationId)
    },
    of: locationId => of(locationId, doorLimits.leftKeptMs).map(({ heardAt: _, ...member }) => member),
    livingAt: locationId => of(locationId, limits.presence.goneMs).filter(({ hasLeft }) => !hasLeft),
  }
}
