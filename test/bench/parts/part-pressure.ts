// Pressure by one key that only reads: it holds as many connections as a gateway has, and sends unfinished bodies. Meanwhile another key
// sends a request on a new connection 20 times a second. Measures the time of its responses, and the growth of memory.
import { request } from 'node:http'
import { connect as connectSocket, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { hashToken, makeToken } from '#shared/tokens/api-token.ts'
import { homeOf } from '../fleets/seed.ts'
import { type PartResult, quantity, type Run } from '../run/run-context.ts'
import { type Summary, summarize } from '../run/statistics.ts'
import type { System } from '../run/system.ts'
import { atPace } from '../run/waiting.ts'

const asksPerSecond = 20
const bodyBytes = 1024 ** 2
/** Time after which the attacker opens a closed connection again. */
const againMs = 2_000
const settleMs = 12_000
const budget = { p99Ms: 1_000, megabytes: 100 }

interface Found {
  calm: Summary
  pressed: Summary
  megabytes: number
}

export async function pressure(run: Run): Promise<PartResult> {
  const [idle, unfinished] = run.options.quick ? [200, 80] : [2_000, 800]
  const { calm, pressed, megabytes } = await run.withSystem(system => measure(run, system, idle, unfinished))
  const name = (what: string) => `${idle} idle connections and ${unfinished} unfinished bodies of one key, ${what}`
  return {
    quantities: [
      quantity('pressure', name('another key, p99'), 'ms', pressed.p99, { better: 'lower', budget: budget.p99Ms }),
      quantity('pressure', name('memory beyond calm'), 'MB', megabytes, { better: 'lower', budget: budget.megabytes }),
    ],
    details: [
      {
        title: 'Response to another key on a new connection',
        rows: [
          {
            'calm, p50 ms': calm.p50.toFixed(1),
            'calm, p99 ms': calm.p99.toFixed(1),
            'under pressure, p50 ms': pressed.p50.toFixed(1),
            'under pressure, p99 ms': pressed.p99.toFixed(1),
          },
        ],
      },
    ],
  }
}

async function measure(run: Run, system: System, idle: number, unfinished: number): Promise<Found> {
  await system.start()
  const connection = await system.connect()
  const held = new Held(Number(new URL(system.url).port))
  try {
    const key = await system.key()
    const { workspaceId } = await homeOf(connection, system.url, key)
    const token = makeToken()
    const owner = await connection.directory.ask('describe-user', { username: 'owner' })
    const reader = { id: 'benchreader', description: '', tokenHash: hashToken(token), prefix: 'wk_', userId: owner?.userId ?? '' }
    await connection.directory.ask('create-key', { ...reader, scope: { workspaceId, actions: [] } })
    const seconds = Math.max(run.options.seconds / 2, 5)
    const calm = await responses(system.url, key, seconds)
    const before = system.usage().residentBytes
    run.say(`pressure: ${idle} connections, ${unfinished} bodies`)
    const head = (method: string, path: string, more = '') =>
      `${method} /api/v3${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`
    const body = head('POST', `/workspaces/${workspaceId}/templates/preview`, `Content-Length: ${bodyBytes}\r\n`)
    for (let i = 0; i < idle; i++) held.open(head('GET', '/key'))
    for (let i = 0; i < unfinished; i++) held.open(body + ' '.repeat(bodyBytes - 1))
    await pause(settleMs)
    const pressed = await responses(system.url, key, seconds)
    const megabytes = (system.usage().residentBytes - before) / 1_000_000
    return { calm, pressed, megabytes }
  } finally {
    held.close()
    await connection.close()
  }
}

/** Sends requests on new connections. Rejects if one of them gets no success. */
async function responses(url: string, key: string, seconds: number): Promise<Summary> {
  const times: number[] = []
  await atPace(asksPerSecond, seconds, async () => {
    const startedAt = performance.now()
    await ask(url, key)
    times.push(performance.now() - startedAt)
  })
  return summarize(times)
}

const ask = (url: string, key: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const asking = request(`${url}/api/v3/key`, { agent: false, headers: { authorization: `Bearer ${key}` } }, response => {
      if (response.statusCode !== 200) reject(new Error(`A request under pressure answered ${response.statusCode}.`))
      response.resume().once('end', resolve)
    })
    asking.once('error', reject).end()
  })

/** Connections that are opened again whenever the system closes them. */
class Held {
  readonly #port: number
  readonly #sockets = new Set<Socket>()
  #isOver = false

  constructor(port: number) {
    this.#port = port
  }

  open(text: string): void {
    if (this.#isOver) return
    const socket = connectSocket(this.#port, '127.0.0.1', () => socket.write(text))
    this.#sockets.add(socket)
    socket.on('error', () => undefined).resume()
    socket.once('close', () => {
      this.#sockets.delete(socket)
      setTimeout(() => this.open(text), againMs).unref()
    })
  }

  close(): void {
    this.#isOver = true
    for (const socket of this.#sockets) socket.destroy()
  }
}
