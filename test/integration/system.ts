// Set-up of the integration tests: starts the real program in its own processes, a real website and a real webhook. Waits for events (a
// line on standard output, a message on the bus, an arriving request). Never waits for a fixed time.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect as connectSocket, createServer as createSocketServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { connectBus } from '#shared/bus/nats/nats.ts'
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { closeWithProgram, compileCache } from '../infra/run-program.ts'

const root = join(import.meta.dirname, '../..')

export interface Program {
  pid: number
  /** Standard output and error so far. */
  output(): string
  /** Resolves once the output has a line that matches. */
  said(line: RegExp): Promise<void>
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>
  /** Sends kill -9; resolves when the process has ended. */
  kill(): Promise<void>
  /** Sends SIGSTOP and SIGCONT. */
  freeze(): void
  thaw(): void
}

const living = new Set<ChildProcess>()

/** Kills every program that was started here and has not ended, also one that is still starting. */
export function killAllPrograms(): void {
  for (const child of living) child.kill('SIGKILL')
}

/** Longest permitted duration of a start: ten times the duration on a busy machine. */
const startMs = 120_000

/**
 * Starts the program with these settings; resolves when its log reports that everything runs. Kills it and rejects after `startMs`.
 * `checkout`: folder of the program's version; absent: the present one.
 */
export async function startProgram(settings: Record<string, string>, checkout = root): Promise<Program> {
  const environment = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    PORT: '0',
    OPS_PORT: '0',
    TOOLS_DIR: join(root, '.tools'),
    ...compileCache(),
    ...settings,
  }
  const child = spawn(process.execPath, ['infra/cli/main.ts', 'start'], {
    cwd: checkout,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  closeWithProgram(child)
  let output = ''
  living.add(child)
  const exited = once(child, 'exit').then(([code]) => {
    living.delete(child)
    return code as number | null
  })
  const waiting = new Set<() => void>()
  const read = (chunk: Buffer) => {
    output += chunk
    for (const look of [...waiting]) look()
  }
  child.stdout?.on('data', read)
  child.stderr?.on('data', read)
  const said = (line: RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!line.test(output)) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
      void exited.then(code => reject(new Error(`the program ended with ${code}:\n${output}`)))
    })
  const ready = said(/"everything runs"/)
  const late = setTimeout(() => child.kill('SIGKILL'), startMs)
  await ready.finally(() => clearTimeout(late))
  return {
    pid: child.pid as number,
    output: () => output,
    said,
    stop: () => end(child, exited, 'SIGTERM'),
    kill: async () => void (await end(child, exited, 'SIGKILL')),
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
  }
}

async function end(child: ChildProcess, exited: Promise<number | null>, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal)
  return exited
}

export interface Webhook {
  at: number
  /** Path of the request: `/hook` or below it. */
  path: string
  key: string
  title: string
  body: { attachments: { title: string; text: string }[]; incident: { id: string; transition: string } }
}

export interface Outside {
  url: string
  hookUrl: string
  webhooks: Webhook[]
  setUp(isUp: boolean): void
  /** Resolves when `count` webhooks have arrived in all. */
  webhookCount(count: number): Promise<Webhook[]>
  close(): Promise<void>
}

/** Starts a website that can fail, and a webhook that keeps its messages. */
export async function startOutside(): Promise<Outside> {
  let isUp = true
  const webhooks: Webhook[] = []
  const waiting: { count: number; resolve: (webhooks: Webhook[]) => void }[] = []
  const take = (request: IncomingMessage, response: ServerResponse, text: string) => {
    const body = JSON.parse(text) as Webhook['body']
    webhooks.push({
      at: Date.now(),
      path: request.url ?? '',
      key: String(request.headers['idempotency-key']),
      title: body.attachments[0]?.title ?? '',
      body,
    })
    response.end('ok')
    for (const { count, resolve } of waiting) if (webhooks.length >= count) resolve(webhooks)
  }
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/hook')) {
      response.statusCode = isUp ? 200 : 503
      response.end('hello')
      return
    }
    let text = ''
    request.on('data', chunk => {
      text += chunk
    })
    request.on('end', () => take(request, response, text))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${url}/`,
    hookUrl: `${url}/hook`,
    webhooks,
    setUp: value => {
      isUp = value
    },
    webhookCount: count =>
      webhooks.length >= count ? Promise.resolve(webhooks) : new Promise(resolve => void waiting.push({ count, resolve })),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export interface Watcher {
  bus: Bus
  seen: { kind: string; at: number; seenAt: number; incident: IncidentDocument }[]
  /** Resolves with the first transition of this kind in `seen`, from the index `from`. */
  transition(kind: HistoryDocument['kind'], from?: number): Promise<Watcher['seen'][0]>
  close(): Promise<void>
}

/** Follows the transitions of incidents over the bus, across restarts of all processes. */
export async function watchStates(servers: string, token: string): Promise<Watcher> {
  const bus = await connectBus({ servers, token, name: 'test', patienceMs: 10_000, logger: createLogger('silent') })
  const seen: Watcher['seen'] = []
  let waiting: (() => void)[] = []
  await bus.subscribe(subjects.allStates, ({ body }) => {
    const { kind, transition, incident } = body as { kind: string; transition: HistoryDocument; incident: IncidentDocument }
    if (kind !== 'transition') return
    seen.push({ kind: transition.kind, at: transition.at, seenAt: Date.now(), incident })
    const told = waiting
    waiting = []
    for (const tell of told) tell()
  })
  const transition: Watcher['transition'] = async (kind, from = 0) => {
    for (;;) {
      const found = seen.slice(from).find(entry => entry.kind === kind)
      if (found !== undefined) return found
      await new Promise<void>(resolve => void waiting.push(resolve))
    }
  }
  return { bus, seen, transition, close: () => bus.close() }
}

/** Starts a TCP proxy that can refuse connections, like a store that is unavailable for a while. */
export async function startProxy(target: URL): Promise<{ port: number; setOpen(isOpen: boolean): void; close(): void }> {
  let isOpen = true
  const sockets = new Set<Socket>()
  const server = createSocketServer(socket => {
    if (!isOpen) return socket.destroy()
    const far = connectSocket(Number(target.port), target.hostname)
    for (const [one, other] of [
      [socket, far],
      [far, socket],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const setOpen = (value: boolean) => {
    isOpen = value
    if (!value) for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    setOpen,
    close: () => {
      setOpen(false)
      server.close()
    },
  }
}

/** Returns a client of generation 2 that uses one key. */
export function createClient(baseUrl: string, key: string) {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const headers = { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
    const response = await fetch(`${baseUrl}/api${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    })
    const { result, error } = (await response.json()) as { result: T; error: unknown }
    if (error !== null) throw new Error(JSON.stringify(error))
    return result
  }
  return {
    get: <T>(path: string) => call<T>('GET', path),
    post: <T>(path: string, body: unknown) => call<T>('POST', path, body),
    delete: <T>(path: string) => call<T>('DELETE', path),
  }
}
