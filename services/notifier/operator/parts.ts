// What the parts of the operator's side of a notifier share.
import type { Bus } from '#shared/bus/port.ts'
import type { Clock } from '#shared/clock.ts'
import type { Logger } from '#shared/logger.ts'
import type { Store } from '#shared/store/port.ts'

export interface OperatorParts {
  bus: Bus
  store: Store
  clock: Clock
  logger: Logger
  notifierId: string
  incidentSalt: string
  /** The installation's public address. */
  source: string
  /** Where changes are sent; null: nowhere. `secret` null: unsigned. Neither is ever logged. */
  webhook: { url: string; secret: string | null } | null
  /** A share from 0 to 1 for each retry's jitter. */
  jitter(): number
  /** True once the notifier stops. */
  stopping(): boolean
}
