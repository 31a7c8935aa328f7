// What the parts of one notifier share.
import type { Clock } from '#shared/clock.ts'
import type { Egress } from '#shared/egress.ts'
import type { Logger } from '#shared/logger.ts'
import type { Store } from '#shared/store/port.ts'
import type { Lanes } from './lanes.ts'
import type { LocationNames } from './location-names.ts'
import type { NotifierMetrics } from './metrics.ts'

export interface NotifierOptions {
  /** Unique among the living: it stands in claims. */
  notifierId: string
  version: string
  serviceUrl: string
  /** The dashboard's address without a trailing slash. */
  publicUrl: string
  incidentSalt: string
  /** Where messages may not go; without it, what is always closed. */
  egress?: Egress
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
  /** True once the notifier stops: nothing new is claimed. */
  stopping(): boolean
}
