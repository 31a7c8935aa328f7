// Context of every part of a location's door.
import type { Bus } from '#shared/bus/port.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { ChangeLog } from './change-log.ts'
import type { Members } from './members.ts'

export interface DoorContext {
  bus: Bus
  clock: Clock
  logger: Logger
  /** `name` changes when the location gets another. */
  location: { readonly id: string; name: string }
  changes: ChangeLog
  members: Members
  /** Counts reports of the location that are none, and says so now and then. */
  onJunk(location: string, reason: string, count: number): void
  /** The bus's time. Rejects with a BusError. */
  busTime(): Promise<{ at: number; errorMs: number }>
}
