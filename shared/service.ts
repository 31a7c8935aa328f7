// Interface of a service: what its start gets and returns, so that one program can run any set of services.
import type { Registry } from 'prom-client'
import type { Bus } from '#shared/bus/port.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Store } from '#shared/store/port.ts'
import type { Clock } from '#shared/time/clock.ts'

export interface ServiceContext {
  bus: Bus
  clock: Clock
  logger: Logger
  metrics: Registry
}

export interface ServiceContextWithStore extends ServiceContext {
  store: Store
}

export interface Service {
  /** Returns the reasons why the service cannot work now, as sentences; empty: it can. */
  unready(): string[]
  /** Returns warnings for the operator, as sentences, while the service can work. Absent: it never has any. */
  warnings?(): string[]
  /** Stops gracefully: hands over held work, finishes or abandons running work. Resolves within 5 s. */
  stop(): Promise<void>
}
