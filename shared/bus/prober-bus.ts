// The bus as a prober with credentials of one location has it: whatever it does is a request at the door of its location. Reports go
// out in batches, checks are watched by asking for what comes after a position, members come with those answers and with its beats'.
// Reads no stream, writes no bucket, hears nobody.
import { type Door, type DoorLine, openDoor } from '#shared/bus/door.ts'
import { watchDoorChecks } from '#shared/bus/door-checks.ts'
import { DoorMembers } from '#shared/bus/door-members.ts'
import { DoorReports } from '#shared/bus/door-reports.ts'
import { type Bucket, type Bus, BusError, type ClockOffset, type Subscription } from '#shared/bus/port.ts'
import { keys, parseProberPresence } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits.ts'

export function createProberBus(line: DoorLine, locationId: string): Bus {
  const door = openDoor(line, locationId)
  const reports = new DoorReports(door)
  const members = new DoorMembers(door)
  const watches = new Set<Subscription>()
  const checks = watchedChecks(door, members, watches)
  const presence = membersOf(door, members)
  return {
    observations: {
      publish: (subject, body) => reports.publish(subject, body),
      state: refused,
      lastSequenceOf: refused,
      open: refused,
      firstSequenceOf: refused,
      purgeBelow: refused,
    },
    bucket: name => (name === 'checks' ? checks : name === 'presence' ? presence : closedBucket),
    request: refused,
    publish: () => undefined,
    subscribe: refused,
    connected: line.connected,
    tryMs: limits.bus.alone.tryMs,
    onConnection: line.onConnection,
    clockOffset: now => clockOffset(door, now),
    close: async () => {
      reports.close()
      await Promise.all([...watches].map(watch => watch.close()))
      await line.close()
    },
  }
}

const refused = () => Promise.reject(new BusError('unavailable', 'A prober has no such right on the bus.'))

const closedBucket: Bucket = {
  get: refused,
  put: refused,
  update: refused,
  delete: refused,
  watch: refused,
  list: refused,
  page: refused,
}

/** The checks of the location, and nothing else of the bucket. */
const watchedChecks = (door: Door, members: DoorMembers, watches: Set<Subscription>): Bucket => ({
  ...closedBucket,
  watch: async (filter, handlers) => {
    if (filter !== keys.checksOfLocation(door.locationId)) return refused()
    const watch = await watchDoorChecks(door, members, handlers)
    watches.add(watch)
    return {
      close: async () => {
        watches.delete(watch)
        await watch.close()
      },
    }
  },
})

/** The probers of the location. */
const membersOf = (door: Door, members: DoorMembers): Bucket => ({
  ...closedBucket,
  put: async (key, value) => {
    await members.beat(ownId(door, key), value)
    // The revision that the installation wrote is of no use to whoever can't write at one.
    return 0
  },
  delete: async key => members.leave(ownId(door, key)),
  watch: (filter, handlers) => (filter === keys.probersOf(door.locationId) ? members.watch(handlers) : refused()),
})

function ownId({ locationId }: Door, key: string): string {
  const parsed = parseProberPresence(key)
  if (parsed?.locationId !== locationId) throw new BusError('unavailable', 'A prober writes the presence of its location alone.')
  return parsed.proberId
}

const offsetProbes = 5

/** The quickest of a few round trips says it best; whoever answers may be a little wrong itself. */
async function clockOffset(door: Door, now: () => number): Promise<ClockOffset> {
  let best: ClockOffset = { roundTripMs: Number.POSITIVE_INFINITY, aheadMs: 0 }
  for (let probe = 0; probe < offsetProbes; probe++) {
    const askedAt = now()
    const started = door.clock.monotonic()
    const { at, errorMs } = await door.ask('time', {})
    const tookMs = door.clock.monotonic() - started
    const roundTripMs = tookMs + 2 * errorMs
    if (roundTripMs < best.roundTripMs) best = { roundTripMs, aheadMs: at - (askedAt + tookMs / 2) }
  }
  return best
}
