// Metrics of the gateway: responses by route and envelope code, and their durations.
import { Counter, Histogram, type Registry } from 'prom-client'
import { registeredMetric } from '#shared/observability/registered-metric.ts'

export interface GatewayMetrics {
  /** Counts a response. `route` is the declared path, not the sent path. So the number of values of this label stays bounded. */
  answered(route: string, code: string, seconds: number): void
  /**
   * Counts a closed connection. `client`: its client had too many without a key. `server`: the server had too many. `holder`: the server had
   * too many, and its key, session or network held most.
   */
  closed(reason: 'client' | 'server' | 'holder'): void
}

export function createGatewayMetrics(registry: Registry): GatewayMetrics {
  const requests = registeredMetric(registry, 'watchkeeper_gateway_requests_total', name => {
    const help =
      'Answers by route and code: ok, the code of a refusal (of its envelope, else its status), none if it did not get out'
    return new Counter({ name, help, labelNames: ['route', 'code'], registers: [registry] })
  })
  const durations = registeredMetric(registry, 'watchkeeper_gateway_request_seconds', name => {
    const help = 'Time from the arrival of a request to the end of its answer, by route.'
    const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 4]
    return new Histogram({ name, help, buckets, labelNames: ['route'], registers: [registry] })
  })
  const closed = registeredMetric(registry, 'watchkeeper_gateway_closed_connections_total', name => {
    const help =
      'Connections that were closed because their client, the server, or the largest holder of a full server had too many.'
    return new Counter({ name, help, labelNames: ['reason'], registers: [registry] })
  })
  const known = new Map<string, { count: Counter.Internal; duration: Histogram.Internal<'route'> }>()
  return {
    answered: (route, code, seconds) => {
      const key = `${code} ${route}`
      let series = known.get(key)
      if (series === undefined) {
        series = { count: requests.labels(route, code), duration: durations.labels(route) }
        known.set(key, series)
      }
      series.count.inc()
      series.duration.observe(seconds)
    },
    closed: reason => closed.inc({ reason }),
  }
}
