// A prober in a worker thread for the thread that started it, and the messages between both.
import type { Cidr } from '#shared/net/egress.ts'
import type { Service } from '#shared/service.ts'
import type { ProberOptions } from '../../../services/prober/app.ts'
import type { BusAddress } from '../bus/bus-credentials.ts'

/** Content of a registry as JSON, so that the metrics of several threads can be added up. */
export type MetricsJson = readonly { name: string; type: unknown }[]

export interface ProberThread extends Service {
  /** Returns the metrics; after an unexpected end of the thread, the metrics of the last call. */
  metrics(): Promise<MetricsJson>
  /** Resolves to the reason when the thread has ended, also after `stop`. */
  readonly ended: Promise<string>
}

/** Data that the thread gets when it starts. */
export interface ProberThreadData {
  logLevel: string
  bus: BusAddress
  prober: Pick<ProberOptions, 'locationId' | 'proberId' | 'version' | 'serviceUrl'>
  egress: { deny: readonly Cidr[]; allow: readonly Cidr[] }
}

export type ToProber = { kind: 'metrics' } | { kind: 'stop' } | { kind: 'collect' }

/** `metrics` and `stopped` respond to the messages of these kinds, in order. `state` is sent first, and whenever it changes. */
export type FromProber =
  | { kind: 'state'; unready: string[] }
  | { kind: 'metrics'; metrics: MetricsJson }
  | { kind: 'stopped'; metrics: MetricsJson }
  | { kind: 'collected'; at: number }
