// The MCP server as a process: its errors when it cannot start, and its behaviour after bad input, a revoked key and a killed gateway. Its
// output never contains the key, and standard output contains only the protocol.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t, { type Test } from 'tap'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { compileCache } from '../infra/run-program.ts'
import { commandOf } from './command.ts'
import { startProgram } from './system.ts'

const root = join(import.meta.dirname, '../..')
const key = 'wk_secret_of_the_test'

interface Server {
  /** Writes a line, which need not be valid. */
  write(line: string): void
  /** Sends a request; resolves with the message that has its id. */
  ask(method: string, params?: object): Promise<Message>
  tool(name: string, args?: unknown): Promise<{ isError?: true; content: { text: string }[] }>
  endInput(): void
  /** Closes the reading end of the server's standard output. */
  closeOutput(): void
  stdout(): string
  stderr(): string
  ended: Promise<{ code: number | null; afterMs: number }>
}

interface Message {
  id?: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  result?: any
  error?: { code: number; message: string }
}

/** Output of every server that has ended. */
const written: { key: string; stdout: string; stderr: string }[] = []

/** Starts a server and, unless `opened` is false, initializes it. A server that is not initialized may end at its start. */
async function start(t: Test, target: { url: string; key?: string; args?: string[] }, opened = true): Promise<Server> {
  const env = { WATCHKEEPER_MCP_URL: target.url, WATCHKEEPER_MCP_API_KEY: target.key ?? key }
  const child = spawn(process.execPath, ['infra/cli/main.ts', 'mcp', ...(target.args ?? [])], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...compileCache(), ...env },
    stdio: 'pipe',
  })
  let [stdout, stderr] = ['', '']
  let inputEndedAt = performance.now()
  const waiting = new Map<number, (message: Message) => void>()
  child.stdin.on('error', () => undefined)
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  createInterface({ input: child.stdout }).on('line', line => {
    stdout += `${line}\n`
    const message = JSON.parse(line) as Message
    waiting.get(message.id ?? -1)?.(message)
  })
  const ended = new Promise<{ code: number | null; afterMs: number }>(resolve =>
    child.once('exit', code => resolve({ code, afterMs: performance.now() - inputEndedAt })),
  )
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
    written.push({ key: target.key || key, stdout, stderr })
  })
  let id = 0
  const write = (line: string) => void child.stdin.write(`${line}\n`)
  const ask = (method: string, params: object = {}) =>
    new Promise<Message>((resolve, reject) => {
      waiting.set(++id, resolve)
      write(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      void ended.then(({ code }) => reject(new Error(`it ended with ${code}: ${stderr}`)))
    })
  const server: Server = {
    write,
    ask,
    tool: async (name, args) => (await ask('tools/call', { name, ...(args === undefined ? {} : { arguments: args }) })).result,
    endInput: () => {
      inputEndedAt = performance.now()
      child.stdin.end()
    },
    closeOutput: () => void child.stdout.destroy(),
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
  }
  if (opened) {
    const clientInfo = { name: 'test', version: '1' }
    await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
    write('{"jsonrpc":"2.0","method":"notifications/initialized"}')
  }
  return server
}

/** Starts an HTTP server that is not a gateway, or that never responds. */
async function stub(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const describeKey: RequestListener = (_request, response) =>
  void response.end('{"result":{"user":{"id":"u","name":"U"},"access":["full"],"workspace":null},"error":null,"meta":null}')
const hang: RequestListener = () => undefined
const hangAfterKey: RequestListener = (request, response) =>
  request.url === '/api/v3/key' ? describeKey(request, response) : hang(request, response)

const refusal = (reply: { isError?: true; content: { text: string }[] }) => {
  if (!reply.isError) throw new Error(`it was not refused: ${JSON.stringify(reply)}`)
  return JSON.parse(reply.content[0]?.text ?? '')
}

t.test('failed start prints one error message and ends with its exit code, although the input stays open', async t => {
  const html = await stub(t, (_request, response) => response.end('<html>'))
  const older = await stub(t, (_request, response) => {
    response.statusCode = 404
    response.end('{"message":"Route not found"}')
  })
  const refusing = await stub(t, (_request, response) => {
    response.statusCode = 401
    response.end('{"result":null,"error":{"code":1401,"error_type":"auth","message":"No.","details":{}},"meta":null}')
  })
  const strange = await stub(t, (_request, response) => response.end('{"result":[],"error":null,"meta":null}'))
  const cases: [name: string, target: { url: string; key?: string; args?: string[] }, code: number, sentence: RegExp][] = [
    ['no key', { url: refusing, key: '' }, 2, /^There is no API key: set WATCHKEEPER_MCP_API_KEY/],
    ['a key of several lines', { url: refusing, key: `${key}\nx` }, 2, /has characters that no key has/],
    ['a wrong URL', { url: 'localhost:2517' }, 2, /must begin with http/],
    ['a URL with a password', { url: 'http://a:b@localhost' }, 2, /must not carry/],
    ['a server that is away', { url: 'http://127.0.0.1:1' }, 3, /can't be reached at http:\/\/127\.0\.0\.1:1 .*: start it/],
    ['no Watchkeeper', { url: html }, 3, /nothing that generation 3 of the API says.*correct WATCHKEEPER_MCP_URL/],
    ['an older one', { url: older }, 3, /the server is older.*update it/],
    ['one that describes no key', { url: strange }, 3, /nothing that describes a key/],
    ['a refused key', { url: refusing }, 1, /^The API key is refused: .*Make another one/],
    ['a refused --token', { url: 'http://127.0.0.1:1', key: '', args: ['--url', refusing, '--token', key] }, 1, /is refused/],
  ]
  for (const [name, target, code, sentence] of cases) {
    const server = await start(t, target, false)
    t.equal((await server.ended).code, code, name)
    t.match(server.stderr(), sentence, name)
    t.equal(server.stderr().trimEnd().split('\n').length, 1, `${name}: one line`)
    t.equal(server.stdout(), '', name)
  }
})

/** The bound of a second, plus the time that a busy machine needs to end a process. */
const soonMs = 1_000 + 500

t.test('process ends within a second when its input ends during any wait', async t => {
  const idle = await start(t, { url: await stub(t, describeKey) })
  idle.endInput()
  const { code, afterMs } = await idle.ended
  t.equal(code, 0)
  t.ok(afterMs < soonMs, `${Math.round(afterMs)} ms`)

  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const hanging = await stub(t, (request, response) => {
    if (request.url !== '/api/v3/key') resolve()
    hangAfterKey(request, response)
  })
  const calling = await start(t, { url: hanging })
  calling.tool('list_workspaces').catch(() => undefined)
  await asked
  calling.endInput()
  const inCall = await calling.ended
  t.equal(inCall.code, 0)
  t.ok(inCall.afterMs < soonMs, `${Math.round(inCall.afterMs)} ms in a call`)

  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const starting = await start(t, { url: await stub(t, () => begin()) }, false)
  await begun
  starting.endInput()
  const atStart = await starting.ended
  t.equal(atStart.code, 0)
  t.ok(atStart.afterMs < soonMs, `${Math.round(atStart.afterMs)} ms at the start`)
})

t.test('requests get responses when the input ends after them', async t => {
  const server = await start(t, { url: await stub(t, describeKey) })
  const listed = server.ask('tools/list')
  const called = server.tool('list_workspaces')
  server.endInput()
  t.ok((await listed).result.tools.length > 20)
  t.notOk((await called).isError)
  t.equal((await server.ended).code, 0)
})

t.test('process ends when its output is closed', async t => {
  const server = await start(t, { url: await stub(t, describeKey) })
  server.closeOutput()
  server.write('{"jsonrpc":"2.0","id":99,"method":"tools/list","params":{}}')
  await server.ended
})

t.test('malformed line stops nothing, and the next request gets a response', async t => {
  const server = await start(t, { url: await stub(t, describeKey) })
  for (const line of [
    'no JSON',
    '{"half":',
    '',
    '[]',
    '7',
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '\u0000',
  ])
    server.write(line)
  t.match(await server.ask('ping'), { result: {} })
  t.match((await server.ask('no/method')).error, { code: -32_601 })
  t.match((await server.ask('tools/call', { name: 'no_tool', arguments: {} })).error, { message: /no_tool/ })
})

t.test('message of 4 MiB is read, and a message with one more byte ends the process with an error message', async t => {
  const url = await stub(t, describeKey)
  /** Returns a second request of this many bytes. */
  const padded = (bytes: number) => {
    const frame = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping', params: { _meta: { pad: '' } } })
    return { _meta: { pad: 'x'.repeat(bytes - 1 - frame.length) } }
  }
  const most = await start(t, { url })
  t.match(await most.ask('ping', padded(clientLimits.mcpMessageBytes)), { id: 2, result: {} })
  const beyond = await start(t, { url })
  await t.rejects(beyond.ask('ping', padded(clientLimits.mcpMessageBytes + 1)), { message: /more than 4 MiB/ })
  t.equal((await beyond.ended).code, 1)
})

t.test('invalid arguments are refused by name before anything is sent', async t => {
  const asked: string[] = []
  const url = await stub(t, (request, response) => {
    asked.push(request.url ?? '')
    describeKey(request, response)
  })
  const server = await start(t, { url })
  const resource = { workspace: 'w', resource: 'r' }
  const cases: [name: string, args: unknown, code: number, field: string][] = [
    ['get_resource', { ...resource, nothing: 1 }, 1400, 'nothing'],
    ['get_resource', { ...resource, __proto__x: 1 }, 1400, '__proto__x'],
    ['get_resource', { workspace: 'w' }, 1422, 'resource'],
    ['get_resource', { workspace: 'w', resource: null }, 1422, 'resource'],
    ['get_resource', { workspace: 'w', resource: 7 }, 1400, 'resource'],
    ['get_resource', { workspace: '', resource: 'r' }, 1422, 'workspace'],
    ['get_resource', undefined, 1422, 'resource'],
    ['list_resources', { workspace: 'w', limit: 0 }, 1422, 'limit'],
    ['list_resources', { workspace: 'w', limit: 51 }, 1422, 'limit'],
    ['list_resources', { workspace: 'w', limit: 1.5 }, 1422, 'limit'],
    ['list_resources', { workspace: 'w', limit: '50' }, 1400, 'limit'],
    ['list_resources', { workspace: 'w', meta: [] }, 1400, 'meta'],
    ['list_resources', { workspace: 'w', state: 'gone' }, 1422, 'state'],
    ['start_maintenance', { ...resource, minutes: 0 }, 1422, 'minutes'],
    ['start_maintenance', { ...resource, minutes: 10_081 }, 1422, 'minutes'],
    ['send_observations', { workspace: 'w', observations: [] }, 1422, 'observations'],
    ['send_observations', { workspace: 'w', observations: Array(501).fill({}) }, 1422, 'observations'],
    ['publish_template', { workspace: 'w', manifest: 'key: host' }, 1400, 'manifest'],
  ]
  for (const [name, args, code, field] of cases)
    t.match(
      refusal(await server.tool(name, args)),
      { code, details: { field } },
      `${name} ${JSON.stringify(args ?? null).slice(0, 60)}`,
    )
  t.strictSame(asked, ['/api/v3/key'])
  await server.tool('list_resources', { workspace: 'w', limit: 50, cursor: null, meta: { a: 1, b: 'x y', c: true } })
  t.equal(asked[1], '/api/v3/workspaces/w/resources?limit=50&meta.a=1&meta.b=x+y&meta.c=true')
  await server.tool('get_resource', { workspace: 'w/../x', resource: '../y?z' })
  t.equal(asked[2], '/api/v3/workspaces/w%2F..%2Fx/resources/..%2Fy%3Fz')
})

t.test('workspace may be omitted if the key reaches exactly one workspace', async t => {
  let workspaces: object[] = []
  const asked: string[] = []
  const url = await stub(t, (request, response) => {
    asked.push(request.url ?? '')
    if (request.url !== '/api/v3/workspaces') return describeKey(request, response)
    response.end(JSON.stringify({ result: workspaces, error: null, meta: null }))
  })
  const server = await start(t, { url })
  for (const [reached, said] of [
    [[], /reaches 0 workspaces/],
    [[{ id: 'w1' }, { id: 'w2' }], /reaches 2 workspaces/],
  ] as const) {
    workspaces = [...reached]
    t.match(refusal(await server.tool('get_overview')), { code: 1422, message: said, details: { field: 'workspace' } })
  }
  workspaces = [{ id: 'w1' }]
  t.notOk((await server.tool('get_overview')).isError)
  t.equal(asked.at(-1), '/api/v3/workspaces/w1/overview')
})

t.test('server refuses a call after a missing action, a revoked key or a killed gateway, and keeps running', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'watchkeeper-mcp-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  const first = await startProgram({ DATA_DIR: folder })
  const url = /listens on (\S+?);/.exec(first.output())?.[1] ?? ''
  const settings = { DATA_DIR: folder, PORT: new URL(url).port }
  const command = (...words: string[]) => commandOf(settings, words)
  const workspace = command('workspace', 'create', 'Bad input')
  const made = JSON.parse(command('key', 'create', '--workspace', workspace, '--actions', 'observe', '--json'))

  const scoped = await start(t, { url, key: made.token })
  t.match((await scoped.ask('tools/call', { name: 'acknowledge_incident', arguments: { incident: 'x' } })).error, {
    message: /not found/,
  })
  t.match(refusal(await scoped.tool('get_resource', { resource: 'none' })), { code: 1404, error_type: 'not_found' })
  t.match(refusal(await scoped.tool('list_resources', { workspace: 'elsewhere0' })), { code: 1404 })
  command('key', 'delete', made.id)
  for (;;) {
    const reply = await scoped.tool('get_overview')
    if (!reply.isError) continue
    t.match(refusal(reply), { code: 1401 })
    break
  }

  const full = await start(t, { url, key: readFileSync(join(folder, 'first-key'), 'utf8').trim() })
  t.notOk((await full.tool('list_workspaces')).isError)
  await first.kill()
  t.match(refusal(await full.tool('list_workspaces')), { code: 1500, error_type: 'server', message: /can't be reached/ })
  const second = await startProgram(settings)
  t.teardown(() => second.stop())
  t.notOk((await full.tool('list_workspaces')).isError)
  full.endInput()
  await full.ended
  t.match(full.stderr(), /"tool":"list_workspaces".*"msg":"api unreachable"/)
})

t.test('no output contains the key, and standard output contains only the protocol', async t => {
  t.ok(written.length > 10)
  for (const { key, stdout, stderr } of written) {
    t.notMatch(`${stdout}${stderr}`, key)
    for (const line of stdout.split('\n').filter(line => line !== '')) t.match(JSON.parse(line), { jsonrpc: '2.0' })
  }
})
