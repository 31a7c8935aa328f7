// The door of one location: what its remote probers ask is answered here, within bounds of the location's own, so that no other
// location is served worse whatever they send. Writes reports to the observation stream and presence keys of its location, no more.

import { serve } from '#shared/bus/clients/serve.ts'
import { subscribeWindowed } from '#shared/bus/clients/windowed.ts'
import { BusError, type Subscription } from '#shared/bus/port.ts'
import { parseVerb, subjects } from '#shared/bus/subjects.ts'
import { type DoorAnswers, type DoorRequest, type DoorVerb, doorRequests } from '#shared/contracts/observations/door.ts'
import { AppError } from '#shared/errors.ts'
import { doorLimits } from '#shared/limits/door-limits.ts'
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
  /** Responds to waiting requests, because checks have changed, or probers have come or left. */
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

/** If the bus does not accept a report, the prober sends it again. */
function asAppError(error: unknown): never {
  if (!(error instanceof BusError)) throw error
  throw new AppError('unavailable', 'The bus does not answer', { details: error.message, cause: error })
}
