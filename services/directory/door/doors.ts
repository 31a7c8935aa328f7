// Doors of all locations, for probers with credentials. A door opens when its location is created, and closes when its location is deleted.
import type { Registry } from 'prom-client'
import { repeat } from '#shared/async/repeat.ts'
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { LocationDocument } from '#shared/contracts/account.ts'
import type { CheckBucket } from '#shared/contracts/observations/door.ts'
import { doorLimits } from '#shared/limits/door-limits.ts'
import { limits } from '#shared/limits/limits.ts'
import { createJunkReports } from '#shared/observability/junk-reports.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Store } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'
import { createBusClock } from './bus-clock.ts'
import { ChangeLog } from './change-log.ts'
import type { DoorContext } from './door-context.ts'
import { type OpenDoor, openDoor } from './door-of-location.ts'

export interface DoorsOptions {
  bus: Bus
  store: Store
  clock: Clock
  logger: Logger
  metrics: Registry
  members: DoorContext['members']
  seals: DoorContext['seals']
  level: DoorContext['level']
}

export interface Doors {
  /** Wakes requests that wait at a location, because a prober started or stopped there. */
  wakeForMembers(locationId: string): void
  /** Ends waiting requests and closes all doors. */
  stop(): Promise<void>
}

interface Standing {
  location: DoorContext['location']
  door: OpenDoor
}

/**
 * Resolves when the doors of the stored locations are open. Also resolves if the locations could not be read; the read is then retried
 * later. Rejects with a BusError.
 */
export async function startDoors(options: DoorsOptions): Promise<Doors> {
  const { bus, store, clock, logger, members, seals, level } = options
  const standing = new Map<string, Standing>()
  const logOf = (of: CheckBucket) =>
    new ChangeLog({
      of,
      bucket: bus.bucket(of),
      onChange: locationId => {
        if (locationId !== null) standing.get(locationId)?.door.wake(of)
        else for (const { door } of standing.values()) door.wake(of)
      },
    })
  const logs = { checks: logOf('checks'), 'check-pages': logOf('check-pages') }
  const junk = createJunkReports('directory', options)
  const busTime = createBusClock(bus, clock)
  const shared = { bus, clock, logger, level, logs, busTime, members, seals, onJunk: junk.note }

  const open = async ({ id, name }: LocationDocument) => {
    const known = standing.get(id)
    const location = known?.location ?? { id, name }
    location.name = name
    if (!known) standing.set(id, { location, door: await openDoor({ ...shared, location }) })
  }
  const look = async () => {
    const locations: LocationDocument[] = await store.find('locations', { limit: limits.directory.listed })
    const present = new Set(locations.map(({ id }) => id))
    await Promise.all(locations.map(open))
    for (const [id, { door }] of standing) {
      if (present.has(id)) continue
      standing.delete(id)
      await door.close()
    }
  }
  const onError = (error: unknown) => logger.warn({ err: error }, 'doors of locations could not be opened or closed, retrying')
  const looking = repeat({ clock, everyMs: doorLimits.lookMs, errorMs: doorLimits.lookAgainMs, onError }, look)
  await looking.soon()
  const subscription = await bus.subscribe(subjects.doorNudge, () => void looking.soon())
  return {
    wakeForMembers: locationId => standing.get(locationId)?.door.wake('members'),
    stop: async () => {
      await looking.stop()
      await Promise.all([subscription.close(), ...[...standing.values()].map(({ door }) => door.close())])
      await Promise.all(Object.values(logs).map(log => log.close()))
      junk.stop()
    },
  }
}
