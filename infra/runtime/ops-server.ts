// HTTP listener for operators: /livez, /readyz and /metrics. It shows no secrets and changes nothing.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Gauge, type Registry } from 'prom-client'
import { http } from '#shared/net/node-http.ts'
import { StartError } from './start-error.ts'

export interface OpsServerOptions {
  host: string
  /** Port to listen on; 0: any free port. */
  port: number
  contentType: string
  /** Returns the metrics as a text, in the format that `contentType` names. */
  metrics(): Promise<string>
  /** Returns the reasons why the process cannot work now, as sentences; empty: the process can work. */
  unready(): Promise<string[]>
  /** Returns sentences about faults with which the process can still work. */
  warnings(): string[]
}

export interface OpsServer {
  port: number
  close(): Promise<void>
}

/** Resolves when the server listens. Throws a StartError if the port is in use. */
export async function startOpsServer(options: OpsServerOptions): Promise<OpsServer> {
  const server = http.createServer((request, response) => void answer(options, request, response))
  const port = await listen(server, options.host, options.port, 'OPS_PORT')
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { port, close }
}

/**
 * Registers readiness as a metric, so that an alert needs no request to /readyz. `unready` returns the reasons that /readyz shows, and is
 * called at each scrape.
 */
export function measureReadiness(registry: Registry, unready: () => Promise<string[]>): void {
  new Gauge({
    name: 'watchkeeper_ready',
    help: '1 while /readyz responds 200',
    registers: [registry],
    async collect() {
      this.set((await unready()).length === 0 ? 1 : 0)
    },
  })
}

/** Throws a StartError if the port is not free. The start calls this function before it starts anything else. */
export async function demandFreePort(host: string, port: number, setting: string): Promise<void> {
  const server = http.createServer()
  await listen(server, host, port, setting)
  await new Promise(resolve => server.close(resolve))
}

/** Turns an error of `listen` into an error with a sentence for people. */
export function portError(error: unknown, host: string, port: number, setting: string): StartError {
  const code = (error as NodeJS.ErrnoException).code ?? String(error)
  if (code === 'EADDRINUSE') return new StartError(`Port ${port} on ${host} is taken: set ${setting} to a free one.`)
  if (code === 'EACCES')
    return new StartError(`Port ${port} on ${host} is not allowed to this user: set ${setting} to another one.`)
  return new StartError(`Nothing can listen on ${host} port ${port} (${code}): correct HOST or ${setting}.`)
}

async function listen(server: Server, host: string, port: number, setting: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', error => reject(portError(error, host, port, setting)))
    server.listen({ host, port, exclusive: true }, resolve)
  })
  return (server.address() as AddressInfo).port
}

async function answer(options: OpsServerOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '').split('?')[0]
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return send(response, 405, 'text/plain', 'Only GET is answered here.\n')
  if (path === '/livez') return send(response, 200, 'text/plain', 'alive\n')
  if (path === '/metrics') return send(response, 200, options.contentType, await options.metrics())
  if (path !== '/readyz') return send(response, 404, 'text/plain', 'There are /livez, /readyz and /metrics here.\n')
  const reasons = await options.unready()
  const warnings = options.warnings()
  const status = reasons.length === 0 ? 200 : 503
  if ((request.headers.accept ?? '').includes('text/plain')) {
    const lines = [reasons.join('\n') || 'ready', ...warnings.map(warning => `warning: ${warning}`)]
    return send(response, status, 'text/plain', `${lines.join('\n')}\n`)
  }
  const body = { ready: reasons.length === 0, reasons, warnings }
  return send(response, status, 'application/json', `${JSON.stringify(body)}\n`)
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type.includes('charset') ? type : `${type}; charset=utf-8` })
  response.end(body)
}
