// Remote probers of a location: they report here that they live, and learn of each other.
import { keys } from '#shared/bus/subjects.ts'
import type { DoorAnswers, DoorRequest, Members } from '#shared/contracts/observations/door.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { DoorContext } from './door-context.ts'

export interface DoorMembers {
  beat(request: DoorRequest<'beat'>): Promise<DoorAnswers['beat']>
  leave(request: DoorRequest<'leave'>): Promise<null>
  list(): Members
}

export function openDoorMembers({ bus, location, changes, members }: DoorContext): DoorMembers {
  const presence = bus.bucket('presence')
  const list = (): Members => ({ members: members.of(location.id), changedAt: changes.newestOf(location.id) })
  return {
    beat: async ({ proberId, state }) => {
      const living = members.livingAt(location.id)
      if (living.length >= limits.prober.perLocation && !living.some(member => member.proberId === proberId)) {
        throw new AppError('busy', 'Too many probers', { details: `a location has ${limits.prober.perLocation} probers at most` })
      }
      await presence.put(keys.proberPresence(location.id, proberId), state)
      return list()
    },
    leave: async ({ proberId }) => {
      if (members.livingAt(location.id).some(member => member.proberId === proberId)) {
        await presence.delete(keys.proberPresence(location.id, proberId))
      }
      return null
    },
    list,
  }
}
