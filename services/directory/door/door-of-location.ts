// The door of one location: what its remote probers ask is answered here, within bounds of the location's own, so that no other
// location is served worse whatever they send. Writes reports to the observation stream and presence keys of its location, no more.

import { BusError, type Subscription } from '#shared/bus/port.ts'
import { serve } from '#shared/bus/serve.ts'
import { parseVerb, subjects } from '#shared/bus/subjects.ts'
import { subscribeWindowed } from '#shared/bus/windowed.ts'
import { type DoorAnswers, type DoorRequest, type DoorVerb, doorRequests } from '#shared/contracts/door.ts'
import { doorLimits } from '#shared/door-limits.ts'
import { AppError } from '#shared/errors.ts'
import { type DoorChanges, type News, openDoorChanges } from './door-changes.ts'
import type { DoorContext } from './door-context.ts'
import { type DoorMembers, openDoorMembers } from './door-members.ts'
import { type DoorReports, openDoorReports } from './door-reports.ts'

interface Rooms {
  reports: DoorReports
  changes: DoorChanges
  members: DoorMembers
}

type Answerers = { [V in DoorVerb]: (rooms: Rooms, request: DoorRequest<V>, context: DoorContext) => Promise<DoorAnswers[V]> }

const answerers: Answerers = {
  report: ({ reports }, request) => reports.take(request),
  changes: ({ changes }, request) => changes.after(request),
  beat: ({ members }, request) => members.beat(request),
  leave: ({ members }, request) => members.leave(request),
  members: async ({ members }) => members.list(),
  time: async (_rooms, _request, { busTime }) => busTime(),
}

export interface OpenDoor {
  /** Checks have changed, or probers have come or left: whoever waits for that is answered. */
  wake(what: News): void
  close(): Promise<void>
}

/** Resolves once requests are taken. */
export async function openDoor(context: DoorContext): Promise<OpenDoor> {
  const { bus, clock, location, logger } = context
  const rooms = { reports: openDoorReports(context), changes: openDoorChanges(context), members: openDoorMembers(context) }
  const subject = subjects.doorOf(location.id)
  const { waiting: atOnce, requestsPerSecond: perSecond } = doorLimits
  const isVerb = (verb: string): verb is DoorVerb => Object.hasOwn(doorRequests, verb)
  const subscription: Subscription = await serve(bus, {
    subject,
    contractOf: subject => {
      const verb = parseVerb(subject)
      return isVerb(verb) ? doorRequests[verb] : null
    },
    logger,
    subscribe: take => subscribeWindowed(bus, clock, { subject, queue: 'door', atOnce, perSecond, logger }, take),
    serve: async (body, { subject }) => {
      const answerer = answerers[parseVerb(subject) as DoorVerb] as (
        rooms: Rooms,
        request: unknown,
        context: DoorContext,
      ) => Promise<unknown>
      return answerer(rooms, body, context).catch(asAppError)
    },
  })
  return {
    wake: rooms.changes.wake,
    close: async () => {
      rooms.changes.stop()
      await subscription.close()
    },
  }
}

/** A bus that did not take something is asked again by whoever asked us. */
function asAppError(error: unknown): never {
  if (!(error instanceof BusError)) throw error
  throw new AppError('unavailable', 'The bus does not answer', { details: error.message, cause: error })
}
