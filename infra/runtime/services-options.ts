// What the services of a process are started with.
import type { ProberIssuer } from '#shared/bus/probers/prober-issuer.ts'
import type { Egress } from '#shared/net/egress.ts'
import type { OwnPort } from '#shared/net/own-ports.ts'
import type { AllSettings } from './all-settings.ts'
import type { BusAddress } from './bus/bus-credentials.ts'
import type { CollectorPace } from './collector-pace.ts'
import type { RunMode } from './run-mode.ts'
import type { Waiting } from './waiting.ts'

export interface ServicesOptions {
  mode: RunMode
  settings: AllSettings
  version: string
  incidentSalt: string
  /** Keys of sealed secrets; empty: none. */
  secretsKey: string
  /** Set if the keys do not fit the store: the gateway refuses secrets. */
  keyFault?: string | null
  /** Creates credentials of probers; null: this process has no keys of the bus. */
  proberIssuer: ProberIssuer | null
  /** Id of the prober's location; empty: the location is looked up by name. */
  locationId: string
  /** Unique name of this process. */
  processId: string
  /** Names of dead processes that used this data folder before; absent: no such process. */
  predecessors?: readonly string[]
  /** Bus time (ms) since which checks of a dead predecessor may be missing; null or absent: no check is missing, or the time is unknown. */
  missedSince?: number | null
  /** True if the prober of a dead predecessor ran in a thread; absent: false. */
  wasInThread?: boolean
  /** Address of the bus for worker threads. */
  busAddress: BusAddress
  /** Ports of this installation besides the gateway's, which checks and messages must not reach; absent: none. */
  ownPorts?: readonly OwnPort[]
  pace: CollectorPace
  waiting: Waiting
}

export interface StartOptions extends ServicesOptions {
  /** With the gateway's port, once it listens. */
  ownPorts: readonly OwnPort[]
  egress: Egress
}
