// Messages between the prober's thread and the thread that started it.
import type { Cidr } from '#shared/net/egress.ts'
import type { ProberOptions } from '../../../services/prober/app.ts'
import type { BusAddress } from '../bus/bus-credentials.ts'
import type { MetricsJson } from './probing.ts'

/** Given at the start of the thread. */
export interface ProberThreadData {
  logLevel: string
  bus: BusAddress
  prober: Pick<ProberOptions, 'locationId' | 'proberId' | 'version' | 'serviceUrl'>
  egress: { deny: readonly Cidr[]; allow: readonly Cidr[] }
  /** Body of a function that recognises check entries. */
  checkEntryCode: string
}

export type ToProber = { kind: 'metrics' } | { kind: 'stop' } | { kind: 'collect' }

export interface ProberState {
  checksPerSecond: number
  unready: string[]
}

/** `metrics` and `stopped` answer their requests, in order, the latter with its last figures; the others come by themselves. */
export type FromProber =
  | ({ kind: 'state' } & ProberState)
  | { kind: 'metrics'; metrics: MetricsJson }
  | { kind: 'stopped'; metrics: MetricsJson }
  | { kind: 'collected'; at: number }
