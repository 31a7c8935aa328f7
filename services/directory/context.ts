// Context of every question to the directory: its store, clock, bus and settings.
import type { Bus } from '#shared/bus/port.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Store } from '#shared/store/port.ts'
import type { DefaultHolds } from '#shared/subjects/subject-view.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { Announcer } from './locations/announce-revocations.ts'
import type { Passwords } from './people/passwords.ts'
import type { RequireResourceRoom } from './resources/resource-room.ts'
import type { Rosters } from './roster/rosters.ts'
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
  rosters: Pick<Rosters, 'page'>
  /** Makes probers' credentials, and announces all of them to the bus; null if this bus has no keys for that. */
  announcer: Omit<Announcer, 'stop'> | null
}
