// Context that the parts of one notifier share.

import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import type { Egress } from '#shared/net/egress.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Store } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { LocationNames } from './bodies/body-maker.ts'
import type { Lanes } from './claim/lanes.ts'
import type { NotifierMetrics } from './metrics.ts'
import type { Attempt } from './operator/destinations.ts'

export interface NotifierOptions {
  /** Unique among the living: it stands in claims. */
  notifierId: string
  /** Notifiers that are known to be dead; absent: none. Their claims are free at once. */
  deadNotifiers?: readonly string[]
  version: string
  serviceUrl: string
  /** The dashboard's address without a trailing slash. */
  publicUrl: string
  incidentSalt: string
  /** Addresses that messages may not go to; absent: those that are always refused. */
  egress?: Egress
  /** Address at which the operator hears of changes of the installation; null or absent: none. `secret` null: messages are not signed. */
  operatorWebhook?: { url: string; secret: string | null } | null
  /** A share from 0 to 1 for each retry's jitter; from the system's randomness where it is not given. */
  jitter?: () => number
}

export interface NotifierContext {
  store: Store
  clock: Clock
  logger: Logger
  metrics: NotifierMetrics
  lanes: Lanes
  names: LocationNames
  options: NotifierOptions
  /** An attempt at this destination has ended. */
  noteAttempt(destination: DestinationDocument, attempt: Attempt): void
  /** Notifies watchers that a delivery is stored in another state. */
  publishNews(document: DeliveryDocument, destinationName: string | null): void
  /** True once the notifier stops: nothing new is claimed. */
  stopping(): boolean
}
