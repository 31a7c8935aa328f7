// What the leases of a keeper are given: its bus and clock, and what is done when a partition comes or goes.
import type { Bus } from '#shared/bus/port.ts'
import type { SilenceNotes } from '#shared/contracts/observations/silence.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { Precedent } from '../partition/silence.ts'

export interface LeaseOptions {
  bus: Bus
  clock: Clock
  logger: Logger
  keeperId: string
  /** True if no other keeper can run, because the data folder is locked (embedded mode). The keeper then takes every lease at once. */
  exclusive: boolean
  /** Called once, before the first lease is taken. `mayCommit` returns true if the keeper may commit writes to the partition now. */
  mayStart(mayCommit: (partition: number) => boolean): void
  /** Begins the take-over of a partition. `precedent`: the state of silence before the take-over; null: the lease has no notes. */
  onAcquired(partition: number, precedent: Precedent | null): void
  /** Returns the notes on silence that the partition's lease stores for a successor; null: the notes are not known yet. */
  notesOf(partition: number): SilenceNotes | null
  /** Returns the time since the store last responded to this keeper, ms. */
  storeSilentMs(): number
  /** Finishes the running work on the partition and writes its checkpoint. The lease is released afterwards. */
  handOver(partition: number): Promise<void>
  /** Stops all work on the partition, because its lease is lost. */
  onLost(partition: number, reason: string): void
}
