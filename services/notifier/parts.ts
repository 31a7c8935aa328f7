// What the parts of one notifier share.
import type { Clock } from '#shared/clock.ts'
import type { DestinationDocument } from '#shared/contracts/destination.ts'
import type { Egress } from '#shared/egress.ts'
import type { Logger } from '#shared/logger.ts'
import type { Store } from '#shared/store/port.ts'
import type { Lanes } from './lanes.ts'
import type { LocationNames } from './location-names.ts'
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
  /** Where messages may not go; without it, what is always closed. */
  egress?: Egress
  /** Where the operator hears of changes of the installation; null or absent: nowhere. `secret` null: messages are not signed. */
  operatorWebhook?: { url: string; secret: string | null } | null
  /** A share from 0 to 1 for each retry's jitter; from the system's randomness where it is not given. */
  jitter?: () => number
}

export interface Parts {
  store: Store
  clock: Clock
  logger: Logger
  metrics: NotifierMetrics
  lanes: Lanes
  names: LocationNames
  options: NotifierOptions
  /** An attempt at this destination has ended. */
  noteAttempt(destination: DestinationDocument, attempt: Attempt): void
  /** True once the notifier stops: nothing new is claimed. */
  stopping(): boolean
}
