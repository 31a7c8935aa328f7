// Values and functions that all parts of a location's door use.
import type { Bus } from '#shared/bus/port.ts'
import type { CheckBucket } from '#shared/contracts/observations/door.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Seals } from '#shared/secrecy/seals.ts'
import type { Level } from '#shared/store/level.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { ChangeLog } from './change-log.ts'
import type { Members } from './members.ts'

export interface DoorContext {
  bus: Bus
  clock: Clock
  logger: Logger
  /** `name` is updated when the location is renamed. */
  location: { readonly id: string; name: string }
  /** Newest changes of each bucket with checks. */
  logs: Readonly<Record<CheckBucket, ChangeLog>>
  /** Level of the installation, which says in which forms is written. */
  level: Level
  members: Members
  /** Opens the secrets of checks; null: SECRETS_KEY is unset. */
  seals: Seals | null
  /** Called for a request with `count` invalid reports. Counts the reports, and logs their number at intervals. */
  onJunk(location: string, reason: string, count: number): void
  /** Resolves to the time of the bus. Rejects with a BusError. */
  busTime(): Promise<{ at: number; errorMs: number }>
}
