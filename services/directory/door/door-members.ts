// Presence of a location's remote probers: handles their heartbeats and departures, and lists all probers of the location.
import { keys } from '#shared/bus/subjects.ts'
import type { DoorRequest, Members } from '#shared/contracts/observations/door.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { DoorContext } from './door-context.ts'

export function openDoorMembers({ bus, location, logs, members }: DoorContext) {
  const presence = bus.bucket('presence')
  const list = (): Members => ({
    members: members.of(location.id),
    changedAt: logs.checks.newestOf(location.id),
    pagesChangedAt: logs['check-pages'].newestOf(location.id),
  })
  return {
    beat: async ({ proberId, state }: DoorRequest<'beat'>): Promise<Members> => {
      const living = members.livingAt(location.id)
      if (living.length >= limits.prober.perLocation && !living.some(member => member.proberId === proberId)) {
        throw refusal('busy', 'Too many probers', `a location has ${limits.prober.perLocation} probers at most`)
      }
      await presence.put(keys.proberPresence(location.id, proberId), state)
      return list()
    },
    leave: async ({ proberId }: DoorRequest<'leave'>): Promise<null> => {
      if (members.livingAt(location.id).some(member => member.proberId === proberId)) {
        await presence.delete(keys.proberPresence(location.id, proberId))
      }
      return null
    },
    list,
  }
}
