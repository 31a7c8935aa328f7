// What every service is given and what it gives back, so that one program can run any set of them.
import type { Registry } from 'prom-client'
import type { Bus } from '#shared/bus/port.ts'
import type { Clock } from '#shared/clock.ts'
import type { Logger } from '#shared/logger.ts'
import type { Store } from '#shared/store/port.ts'

export interface Surroundings {
  bus: Bus
  clock: Clock
  logger: Logger
  metrics: Registry
}

export interface SurroundingsWithStore extends Surroundings {
  store: Store
}

export interface Service {
  /** Why it cannot do its work at the moment, as sentences; empty when it can. */
  unready(): string[]
  /** What somebody should look at although it can do its work, as sentences. Absent: nothing ever. */
  warnings?(): string[]
  /** Stops with grace: hands over what it holds, finishes or abandons what runs. Resolves within 5 s. */
  stop(): Promise<void>
}
