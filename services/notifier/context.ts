// Options of a notifier, and the context that its parts share.

import type { Bus } from '#shared/bus/port.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import type { Egress } from '#shared/net/egress.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Store } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { Lanes } from './claim/lanes.ts'
import type { NotifierMetrics } from './metrics.ts'

export interface NotifierOptions {
  /** Id of this notifier, unique among running notifiers. Its claims contain this id. */
  notifierId: string
  /** True if no other notifier can run, because the data folder is locked (embedded mode). Absent: others may run. */
  exclusive?: boolean
  /** Ids of notifiers that no longer run; absent: none. This notifier releases their claims at its start. */
  deadNotifiers?: readonly string[]
  version: string
  serviceUrl: string
  /** Address of the dashboard without a trailing slash. */
  publicUrl: string
  /** Beginning of acknowledge links, the same address if it is reachable for people (PUBLIC_URL). Null or absent: messages have none. */
  linkBase?: string | null
  incidentSalt: string
  /** Keys of sealed secrets (SECRETS_KEY); absent or empty: none is opened. */
  secretsKey?: string
  /** Rules for the addresses to which messages may be sent; absent: the built-in rules of every installation. */
  egress?: Egress
  /** Address of the operator's receiver; null or absent: none. `secret` null: messages are not signed. */
  operatorWebhook?: { url: string; secret: string | null } | null
  /** The mail server of the installation and its sender; absent or empty: none. */
  mail?: { server: string; from: string }
  /** Returns a number from 0 to 1 for the jitter of each retry; absent: a random number. */
  jitter?: () => number
}

export interface Attempt {
  isDelivered: boolean
  at: number
}

export interface NotifierContext {
  bus: Bus
  store: Store
  clock: Clock
  logger: Logger
  metrics: NotifierMetrics
  lanes: Lanes
  options: NotifierOptions
  /** Called when an attempt at this destination has ended. */
  noteAttempt(destination: DestinationDocument, attempt: Attempt): void
  /** True if other notifiers see that this notifier runs, so that its claims may end with its presence. */
  isSeen(): boolean
  /** Returns true if the notifier is stopping, so that it claims nothing new. */
  stopping(): boolean
}
