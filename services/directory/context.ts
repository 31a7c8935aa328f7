// Context of every request to the directory: store, clock, bus and settings.
import type { Bus } from '#shared/bus/port.ts'
import type { AbleProber } from '#shared/checks/abilities.ts'
import type { AskRequest, AskResults, AskVerb } from '#shared/contracts/ask/ask.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Seals } from '#shared/secrecy/seals.ts'
import type { Level } from '#shared/store/level.ts'
import type { Store } from '#shared/store/port.ts'
import type { DefaultHolds } from '#shared/subjects/subject-view.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { Announcer } from './locations/announce-revocations.ts'
import type { Passwords } from './people/passwords.ts'
import type { TakeCheckRoom } from './resources/check-room.ts'
import type { RequireResourceRoom } from './resources/resource-room.ts'
import type { Rosters } from './roster/rosters.ts'
import type { NewUserWorkspace } from './settings.ts'

export interface DirectoryContext {
  store: Store
  level: Level
  bus: Bus
  clock: Clock
  logger: Logger
  passwords: Passwords
  /** Salt from which public incident ids are derived. */
  incidentSalt: string
  /**
   * Confirmation delay and recovery delay of the built-in rule of website monitors. The keepers use the same values (WEBSITE_CONFIRM_AFTER,
   * WEBSITE_CLOSE_AFTER).
   */
  websiteHolds: DefaultHolds | undefined
  newUserWorkspace: NewUserWorkspace
  /** Returns the number of live probers of a location. */
  activeWorkers(locationId: string): number
  /** Returns the live probers of a location. */
  probersAt(locationId: string): AbleProber[]
  /** Returns the instant of the newest heartbeat that this process received from the location's probers, ms since the epoch; null: none. */
  lastSeenAt(locationId: string): number | null
  /** Starts to remove the contents of deleted workspaces, and returns without waiting for the end. */
  removeWorkspaces(): void
  /** Opens and seals the secrets of checks; null: SECRETS_KEY is unset. */
  seals: Seals | null
  requireRoom: RequireResourceRoom
  takeCheckRoom: TakeCheckRoom
  rosters: Pick<Rosters, 'page'>
  /** Issues prober credentials and announces them to the bus; null if the bus has no keys that sign credentials. */
  announcer: Omit<Announcer, 'stop'> | null
}

/** Handler of one verb of `shared/contracts/ask`. `Needs`: parts of the context that the handler requires; by default all parts. */
export type AskAnswerer<V extends AskVerb, Needs extends keyof DirectoryContext = keyof DirectoryContext> = (
  context: Pick<DirectoryContext, Needs>,
  request: AskRequest<V>,
) => Promise<AskResults[V]>
