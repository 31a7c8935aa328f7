// The bus of a prober with credentials of one location. Every operation is a request to the location's door. Reports are sent in batches.
// To watch checks, the prober requests the changes after a position. The list of the location's probers arrives in the responses to these
// requests and to heartbeats. The prober reads no stream, writes no bucket, and receives no messages of other clients.

import { measureOffset } from '#shared/bus/clock-offset.ts'
import { type Bucket, type BucketName, type Bus, BusError, type Subscription } from '#shared/bus/port.ts'
import { type Door, type DoorLine, openDoor } from '#shared/bus/probers/door.ts'
import { watchDoorChecks } from '#shared/bus/probers/door-checks.ts'
import { DoorMembers } from '#shared/bus/probers/door-members.ts'
import { DoorReports } from '#shared/bus/probers/door-reports.ts'
import { keys, parseProberPresence, subjectMatcher, subjects } from '#shared/bus/subjects.ts'
import type { CheckBucket } from '#shared/contracts/observations/door.ts'
import { limits } from '#shared/limits/limits.ts'

export function createProberBus(line: DoorLine, locationId: string): Bus {
  const door = openDoor(line, locationId)
  const reports = new DoorReports(door)
  const members = new DoorMembers(door)
  const watches = new Set<Subscription>()
  const watchedOf = (of: CheckBucket) => watchedChecks(door, members, of, watches)
  const buckets: Partial<Record<BucketName, Bucket>> = {
    checks: watchedOf('checks'),
    'check-pages': watchedOf('check-pages'),
    presence: membersOf(door, members),
  }
  const isTry = subjectMatcher(subjects.triesOf(door.locationId))
  return {
    observations: {
      publish: (subject, body) => reports.publish(subject, body),
      state: refused,
      lastSequenceOf: refused,
      open: refused,
      firstSequenceOf: refused,
      purgeBelow: refused,
    },
    bucket: name => buckets[name] ?? closedBucket,
    request: refused,
    publish: () => undefined,
    // No try comes to another machine.
    subscribe: async subject => (isTry(subject) ? { close: async () => undefined } : refused()),
    connected: line.connected,
    tryMs: limits.bus.alone.tryMs,
    onConnection: line.onConnection,
    // The directory's bus time is a measurement too, so its response contains the error of this measurement, `errorMs`.
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
  deleteAt: refused,
  purge: refused,
  watch: refused,
  list: refused,
  page: refused,
}

/** Returns a bucket with the checks of the location only. */
const watchedChecks = (door: Door, members: DoorMembers, of: CheckBucket, watches: Set<Subscription>): Bucket => ({
  ...closedBucket,
  watch: async (filter, handlers) => {
    if (filter !== keys.checksOfLocation(door.locationId)) return refused()
    const watch = await watchDoorChecks(door, members, of, handlers)
    watches.add(watch)
    return {
      close: async () => {
        watches.delete(watch)
        await watch.close()
      },
    }
  },
})

/** Returns a bucket with the presence of the location's probers. */
const membersOf = (door: Door, members: DoorMembers): Bucket => ({
  ...closedBucket,
  put: async (key, value) => {
    await members.beat(ownId(door, key), value)
    // The returned revision is not the real one. A prober needs no revisions, because it has no compare-and-set writes.
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
