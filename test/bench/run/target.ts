// Program: target of all checks of a run. Responds on `/m/<i>` with 200, or with 503 while `<i>` is set to fail, and keeps the instant of
// each hit in memory. A second port receives alerts on `/hook` and control requests on `/control/…`. Takes little CPU: one request for each
// connection, one fixed response.
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net'

/** Maximum of kept hits; further hits are only counted. */
const hitsMax = 8_000_000
const hooksMax = 100_000

const answers = {
  good: Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok'),
  bad: Buffer.from(
    'HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbad',
  ),
}

let capacity = 65_536
let instants = new Float64Array(capacity)
/** Number of the path of each hit; `-1 - number` if the response was a failure. */
let paths = new Int32Array(capacity)
let count = 0
let dropped = 0
const failing = new Set<number>()
const hooks: { at: number; body: string }[] = []
let seen = new Set<number>()
let firstSeenAt: number | null = null
let lastNewAt: number | null = null

const now = () => performance.timeOrigin + performance.now()

const checks = createSocketServer({ noDelay: true }, socket => {
  let head = ''
  socket.on('error', () => socket.destroy())
  socket.on('data', chunk => {
    head += chunk.toString('latin1')
    if (head.includes('\r\n\r\n')) answerCheck(socket, head)
    else if (head.length > 16_384) socket.destroy()
  })
})

function answerCheck(socket: Socket, head: string): void {
  const found = /^[A-Z]+ \/m\/(\d+) /.exec(head)
  if (found === null) {
    socket.end(answers.bad)
    return
  }
  const path = Number(found[1])
  const bad = failing.has(path)
  keep(path, bad)
  socket.end(bad ? answers.bad : answers.good)
}

function keep(path: number, bad: boolean): void {
  const at = now()
  if (!seen.has(path)) {
    seen.add(path)
    firstSeenAt ??= at
    lastNewAt = at
  }
  if (count === hitsMax) {
    dropped++
    return
  }
  if (count === capacity) grow()
  instants[count] = at
  paths[count] = bad ? -1 - path : path
  count++
}

function grow(): void {
  capacity = Math.min(hitsMax, capacity * 2)
  const wider = { instants: new Float64Array(capacity), paths: new Int32Array(capacity) }
  wider.instants.set(instants)
  wider.paths.set(paths)
  instants = wider.instants
  paths = wider.paths
}

const control = createHttpServer((request, response) => void take(request, response))

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const at = now()
  const url = new URL(request.url ?? '/', 'http://target')
  const [, head, verb, number] = url.pathname.split('/')
  const body = await textOf(request)
  if (head === 'hook') {
    if (hooks.length < hooksMax) hooks.push({ at, body })
    response.end('{}')
  } else if (verb === 'fail') {
    for (const path of pathsOf(number)) failing.add(path)
    answer(response, { at: now(), count })
  } else if (verb === 'heal') {
    for (const path of pathsOf(number)) failing.delete(path)
    answer(response, { at: now(), count })
  } else if (verb === 'forget') {
    seen = new Set()
    firstSeenAt = null
    lastNewAt = null
    answer(response, {})
  } else if (verb === 'collect') {
    globalThis.gc?.()
    answer(response, {})
  } else if (verb === 'seen') answer(response, { distinct: seen.size, firstSeenAt, lastNewAt, count, dropped })
  else if (verb === 'hooks') answer(response, hooks.slice(Number(url.searchParams.get('from'))))
  else if (verb === 'hits') response.end(hitsFrom(Number(url.searchParams.get('from'))))
  else response.writeHead(404).end()
}

/** Parses one path (`7`) or the first paths (`first-1000`). */
function pathsOf(text = ''): number[] {
  const first = /^first-(\d+)$/.exec(text)
  return first === null ? [Number(text)] : Array.from({ length: Number(first[1]) }, (_, path) => path)
}

const answer = (response: ServerResponse, body: unknown) => response.end(JSON.stringify(body))

/** Returns all instants (8 bytes each), then all paths (4 bytes each), in this machine's byte order. */
function hitsFrom(from: number): Buffer {
  return Buffer.concat([bytesOf(instants.subarray(from, count)), bytesOf(paths.subarray(from, count))])
}

const bytesOf = (array: Float64Array | Int32Array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength)

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

const listen = (server: ReturnType<typeof createSocketServer>) =>
  new Promise<number>(resolve =>
    server.listen({ host: '127.0.0.1', port: 0, backlog: 4_096 }, () => resolve((server.address() as AddressInfo).port)),
  )

// The parent reads the ports; the target ends with its parent.
process.on('disconnect', () => process.exit(0))
process.send?.({ port: await listen(checks), controlPort: await listen(control) })
