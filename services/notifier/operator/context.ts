// Context that the parts of the operator's side of a notifier share.
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
  /** The installation's public address. */
  source: string
  /** Address for changes; null: none. `secret` null: unsigned. Neither is ever logged. */
  webhook: { url: string; secret: string | null } | null
  /** A share from 0 to 1 for each retry's jitter. */
  jitter(): number
  /** True once the notifier stops. */
  stopping(): boolean
}
