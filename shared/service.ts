// Interface of a service: the parameters of its start, and the running service that the start returns. All services have this interface, so
// that one program can run any set of services.
import type { Registry } from 'prom-client'
import type { Bus } from '#shared/bus/port.ts'
import type { Logger } from '#shared/observability/logger.ts'
import type { Level } from '#shared/store/level.ts'
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

/** Context of a service that writes forms of its own. */
export interface LevelledContext extends ServiceContextWithStore {
  /** Says which forms of stored documents and of messages are written. */
  level: Level
}

export interface Service {
  /** Returns sentences that say why the service cannot work now; empty: the service can work. */
  unready(): string[]
  /** Returns sentences that warn the operator although the service can work. Absent: the service never warns. */
  warnings?(): string[]
  /** Stops gracefully. Hands over the work that the service holds, and finishes or abandons running work. Resolves within 5 s. */
  stop(): Promise<void>
}
