// Context that the files of the operator's messages share.

import type { Bus } from '#shared/bus/port.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Store } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface OperatorContext {
  bus: Bus
  store: Store
  clock: Clock
  logger: Logger
  notifierId: string
  incidentSalt: string
  /** Public address of the installation. */
  source: string
  /** Receiver of messages; null: none. `secret` null: messages are not signed. `url` and `secret` are never logged. */
  receiver: { url: string; secret: string | null } | null
  /** Returns a number from 0 to 1 for the jitter of a retry. */
  jitter(): number
  /** Returns true if the notifier is stopping. */
  stopping(): boolean
}
