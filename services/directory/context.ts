// What every question to the directory is answered with.
import type { Bus } from '#shared/bus/port.ts'
import type { Clock } from '#shared/clock.ts'
import type { Store } from '#shared/store/port.ts'

export interface DirectoryContext {
  store: Store
  bus: Bus
  clock: Clock
  /** Live probers of a location. */
  activeWorkers(locationId: string): number
}
