// The bus of a prober with credentials of one location: every operation is a request to the door of its location. Reports are sent in
// batches. Checks are watched by requests for the changes after a position. Members arrive in these responses and in the responses to
// heartbeats. Reads no stream, writes no bucket, receives no message of other clients.

import { measureOffset } from '#shared/bus/clock-offset.ts'
import { type Bucket, type Bus, BusError, type Subscription } from '#shared/bus/port.ts'
import { type Door, type DoorLine, openDoor } from '#shared/bus/probers/door.ts'
import { watchDoorChecks } from '#shared/bus/probers/door-checks.ts'
import { DoorMembers } from '#shared/bus/probers/door-members.ts'
import { DoorReports } from '#shared/bus/probers/door-reports.ts'
import { keys, parseProberPresence } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'

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
    // The response contains `errorMs`, because the directory measures the bus time itself.
    clockOffset: now => measureOffset(door.clock, now, () => door.ask('time', {})),
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
    // A dummy revision: a prober cannot write at a revision, so it needs none.
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
