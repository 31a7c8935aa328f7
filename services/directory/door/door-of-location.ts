// Door of one location: serves the requests of its remote probers. Each location has its own limits, so its probers cannot slow down other
// locations. The door writes only two things: reports to the observation stream, and presence keys of its location.
import { serve } from '#shared/bus/clients/serve.ts'
import { subscribeWindowed } from '#shared/bus/clients/windowed.ts'
import { BusError, type Subscription } from '#shared/bus/port.ts'
import { parseVerb, subjects } from '#shared/bus/subjects.ts'
import { type DoorAnswers, type DoorRequest, type DoorVerb, doorRequests } from '#shared/contracts/observations/door.ts'
import { AppError } from '#shared/errors.ts'
import { doorLimits } from '#shared/limits/door-limits.ts'
import { type Changed, openDoorChanges } from './door-changes.ts'
import type { DoorContext } from './door-context.ts'
import { openDoorMembers } from './door-members.ts'
import { openDoorReports } from './door-reports.ts'

const openRooms = (context: DoorContext) => ({
  reports: openDoorReports(context),
  changes: openDoorChanges(context),
  members: openDoorMembers(context),
})
type Rooms = ReturnType<typeof openRooms>

type Answerer<Request, Result> = (rooms: Rooms, request: Request, context: DoorContext) => Promise<Result>

const answerers: { [V in DoorVerb]: Answerer<DoorRequest<V>, DoorAnswers[V]> } = {
  report: ({ reports }, request) => reports.take(request),
  changes: ({ changes }, request) => changes.after(request),
  beat: ({ members }, request) => members.beat(request),
  leave: ({ members }, request) => members.leave(request),
  members: async ({ members }) => members.list(),
  time: async (_rooms, _request, { busTime }) => busTime(),
}

export interface OpenDoor {
  /** Wakes waiting requests after a change of checks or of probers. */
  wake(what: Changed): void
  close(): Promise<void>
}

/** Resolves when the door serves requests. */
export async function openDoor(context: DoorContext): Promise<OpenDoor> {
  const { bus, clock, location, logger } = context
  const rooms = openRooms(context)
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
      const answerer = answerers[parseVerb(subject) as DoorVerb] as Answerer<unknown, unknown>
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

/** Throws a retryable error if the bus failed: the prober sends the report again. */
function asAppError(error: unknown): never {
  if (!(error instanceof BusError)) throw error
  throw new AppError('unavailable', 'The bus does not answer', { details: error.message, cause: error })
}
