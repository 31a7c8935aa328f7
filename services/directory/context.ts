// What every question to the directory is answered with.
import type { Bus } from '#shared/bus/port.ts'
import type { Clock } from '#shared/clock.ts'
import type { Logger } from '#shared/logger.ts'
import type { Store } from '#shared/store/port.ts'
import type { DefaultHolds } from '#shared/subject-view.ts'
import type { Announcer } from './announce-revocations.ts'
import type { Passwords } from './passwords.ts'
import type { RequireResourceRoom } from './resource-room.ts'
import type { NewUserWorkspace } from './settings.ts'

export interface DirectoryContext {
  store: Store
  bus: Bus
  clock: Clock
  logger: Logger
  passwords: Passwords
  /** From which public incident ids are derived. */
  incidentSalt: string
  /** The keepers' own (WEBSITE_CONFIRM_AFTER, WEBSITE_CLOSE_AFTER), for the rule that website monitoring maintains. */
  websiteHolds: DefaultHolds | undefined
  newUserWorkspace: NewUserWorkspace
  /** Live probers of a location. */
  activeWorkers(locationId: string): number
  /** The newest beat of any prober of a location, ms since the epoch, as far as this process has heard; null: none. */
  lastSeenAt(locationId: string): number | null
  /** Begins to remove what was in deleted workspaces, and does not wait for it. */
  removeWorkspaces(): void
  requireRoom: RequireResourceRoom
  /** Makes probers' credentials, and tells the bus of all of them; null where this bus has no keys to make them with. */
  announcer: Omit<Announcer, 'stop'> | null
}
