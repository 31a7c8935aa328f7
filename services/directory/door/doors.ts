// The doors of all locations, for probers that join by credentials: opened, renamed and closed as locations come and go.
import type { Registry } from 'prom-client'
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { Cancel, Clock } from '#shared/clock.ts'
import type { LocationDocument } from '#shared/contracts/account.ts'
import { doorLimits } from '#shared/door-limits.ts'
import { createJunkReports } from '#shared/junk-reports.ts'
import { limits } from '#shared/limits.ts'
import type { Logger } from '#shared/logger.ts'
import type { Store } from '#shared/store/port.ts'
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
}

export interface Doors {
  /** A prober has come to a location or left it. */
  tellMembers(locationId: string): void
  /** Answers who still waits, and takes no more requests. */
  stop(): Promise<void>
}

interface Standing {
  location: DoorContext['location']
  door: OpenDoor
}

/** Resolves when the doors of all locations are open that the store tells of. Rejects with a BusError. */
export async function startDoors(options: DoorsOptions): Promise<Doors> {
  const { bus, store, clock, logger, members } = options
  const standing = new Map<string, Standing>()
  const changes = new ChangeLog({
    bucket: bus.bucket('checks'),
    onChange: locationId => {
      if (locationId !== null) standing.get(locationId)?.door.wake('checks')
      else for (const { door } of standing.values()) door.wake('checks')
    },
  })
  const junk = createJunkReports('directory', options)
  const busTime = createBusClock(bus, clock)
  const shared = { bus, clock, logger, changes, busTime, members, onJunk: junk.note }

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
  const looking = createLooking(look, clock, logger)
  await looking.again()
  const subscription = await bus.subscribe(subjects.doorNudge, () => void looking.again())
  return {
    tellMembers: locationId => standing.get(locationId)?.door.wake('members'),
    stop: async () => {
      await looking.stop()
      await Promise.all([subscription.close(), ...[...standing.values()].map(({ door }) => door.close())])
      await changes.close()
      junk.stop()
    },
  }
}

/** Looks now and then, and whenever it is told; one look at a time, and another if it was told during one. */
function createLooking(look: () => Promise<void>, clock: Clock, logger: Logger) {
  let running: Promise<void> | null = null
  let isWanted = false
  let cancel: Cancel = () => undefined
  let stopped = false
  const lookOnce = async () => {
    let nextMs: number = doorLimits.lookMs
    try {
      await look()
    } catch (error) {
      logger.warn({ err: error }, 'doors of locations could not be opened or closed, tried again')
      nextMs = doorLimits.lookAgainMs
    }
    running = null
    if (isWanted) await again()
    else if (!stopped) cancel = clock.after(nextMs, () => void again())
  }
  /** Resolves after a look that begins from now on, never rejects. */
  const again = async (): Promise<void> => {
    isWanted = running !== null
    if (isWanted || stopped) return running ?? undefined
    cancel()
    running = lookOnce()
    await running
  }
  return {
    again,
    stop: async () => {
      stopped = true
      cancel()
      await running
    },
  }
}
