// Door of one location: serves the requests of its remote probers. Each location has its own limits, so its probers cannot slow down other
// locations. The door writes only two things: reports to the observation stream, and presence keys of its location.
import { serve } from '#shared/bus/clients/serve.ts'
import { subscribeWindowed } from '#shared/bus/clients/windowed.ts'
import { BusError, type Subscription } from '#shared/bus/port.ts'
import { parseVerb, subjects } from '#shared/bus/subjects.ts'
import { type DoorAnswers, type DoorRequest, type DoorVerb, doorRequests } from '#shared/contracts/observations/door.ts'
import { AppError, refusal } from '#shared/errors.ts'
import { doorLimits } from '#shared/limits/door-limits.ts'
import { flatForms } from '#shared/store/migrations/0004-flat-forms.ts'
import { type Changed, changesAllowance, openDoorChanges } from './door-changes.ts'
import type { DoorContext } from './door-context.ts'
import { openDoorMembers } from './door-members.ts'
import { openDoorReports } from './door-reports.ts'

function openRooms(context: DoorContext) {
  const allowance = changesAllowance(context)
  const entries = {
    checks: openDoorChanges(context, 'checks', allowance),
    'check-pages': openDoorChanges(context, 'check-pages', allowance),
  }
  return { reports: openDoorReports(context), entries, members: openDoorMembers(context), refuseOld: createOldRefusal(context) }
}
type Rooms = ReturnType<typeof openRooms>

type Answerer<Request, Result> = (rooms: Rooms, request: Request, context: DoorContext) => Promise<Result>

const answerers: { [V in DoorVerb]: Answerer<DoorRequest<V>, DoorAnswers[V]> } = {
  report: ({ reports }, request) => reports.take(request),
  changes: ({ entries, refuseOld }, request) => {
    refuseOld()
    return entries.checks.after(request)
  },
  entries: ({ entries }, { of, after }) => entries[of].after({ after }),
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
    wake: what => {
      if (what !== 'members') return rooms.entries[what].wake(what)
      for (const changes of Object.values(rooms.entries)) changes.wake(what)
    },
    close: async () => {
      for (const changes of Object.values(rooms.entries)) changes.stop()
      await subscription.close()
    },
  }
}

/**
 * Returns a function that throws if pages have the checks, which probers of before the pages do not read. Such a prober is refused rather
 * than served an empty list: it goes on with the checks that it knows, and says why it cannot start. Also logs this at intervals.
 */
function createOldRefusal({ clock, level, location, logger }: DoorContext): () => void {
  let loggedAt = Number.NEGATIVE_INFINITY
  return () => {
    if (level.number() < flatForms) return
    if (clock.monotonic() - loggedAt >= doorLimits.oldProberMs) {
      loggedAt = clock.monotonic()
      logger.warn(
        { location: location.name },
        'prober is older than the installation and gets no changes of its checks: install the version of the installation there',
      )
    }
    const details = 'this prober is older than the installation, so install the version of the installation here'
    throw refusal('invalid_state', 'Prober too old', details)
  }
}

/** Throws a retryable error if the bus failed: the prober sends the report again. */
function asAppError(error: unknown): never {
  if (!(error instanceof BusError)) throw error
  throw new AppError('unavailable', 'The bus does not answer', { details: error.message, cause: error })
}
