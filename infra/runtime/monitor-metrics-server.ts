// HTTP listener for the metrics of people's monitors, on a port of its own: who may see them need not see the metrics of the installation.
// It answers without a key, so it listens only if MONITOR_METRICS_PORT is set.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { http } from '#shared/net/node-http.ts'
import type { Logger } from '#shared/observability/logger.ts'
import { portError } from './ops-server.ts'

interface MonitorMetricsServer {
  port: number
  close(): Promise<void>
}

interface Options {
  host: string
  port: number
  logger: Logger
  metrics: { contentType: string; text(): Promise<string> }
}

/** Resolves when the server listens. Throws a StartError if the port is in use. */
export async function startMonitorMetricsServer({ host, port, logger, metrics }: Options): Promise<MonitorMetricsServer> {
  const server: Server = http.createServer(async (request, response) => {
    const isKnown = (request.url ?? '').split('?')[0] === '/metrics/monitors'
    const send = (status: number, type: string, body: string) => response.writeHead(status, { 'content-type': type }).end(body)
    const plain = 'text/plain; charset=utf-8'
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(405, plain, 'Only GET is answered here.\n')
    if (!isKnown) return send(404, plain, 'There is only /metrics/monitors here.\n')
    try {
      return send(200, metrics.contentType, await metrics.text())
    } catch (error) {
      logger.warn({ err: error }, 'metrics of monitors could not be read')
      return send(503, plain, 'The store does not respond: try again later.\n')
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', error => reject(portError(error, host, port, 'MONITOR_METRICS_PORT')))
    server.listen({ host, port, exclusive: true }, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
