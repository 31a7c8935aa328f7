// Interface of a prober in a worker thread, for the thread that starts it. Also the messages between the two threads.
import type { Cidr } from '#shared/net/egress.ts'
import type { OwnPort } from '#shared/net/own-ports.ts'
import type { Service } from '#shared/service.ts'
import type { ProberOptions } from '../../../services/prober/app.ts'
import type { BusAddress } from '../bus/bus-credentials.ts'

/** Metrics of one thread as JSON, so that the metrics of several threads can be added up. */
export type MetricsJson = readonly { name: string; type: unknown }[]

export interface ProberThread extends Service {
  /** Returns the metrics of the thread. After an unexpected end of the thread, returns the metrics of the previous call. */
  metrics(): Promise<MetricsJson>
  /** Resolves when the thread has ended, also after `stop`. The result is the reason of the end. */
  readonly ended: Promise<string>
}

/** Data that the thread gets when it starts. */
export interface ProberThreadData {
  logLevel: string
  bus: BusAddress
  prober: Pick<ProberOptions, 'locationId' | 'proberId' | 'version' | 'serviceUrl' | 'secretsKey' | 'answers' | 'missedSince'>
  egress: { deny: readonly Cidr[]; allow: readonly Cidr[]; own: readonly OwnPort[] }
}

export type ToProber = { kind: 'metrics' } | { kind: 'stop' } | { kind: 'collect' }

/**
 * Messages of the thread. `metrics` responds to the request `metrics`, `stopped` to the request `stop`, in the order of the requests. The
 * first message is `state`, which is sent again whenever the state changes.
 */
export type FromProber =
  | { kind: 'state'; unready: string[] }
  | { kind: 'metrics'; metrics: MetricsJson }
  | { kind: 'stopped'; metrics: MetricsJson }
  | { kind: 'collected'; at: number }
