import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createNetServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { cutTo } from '../../../infra/cli/terminal/plain-line.ts'
import { noTerminal, runAtTerminal, terminalWindow } from '../../support/clients/terminal.ts'
import { temporaryFolder } from '../run-program.ts'

const skip = noTerminal
const ctrlC = '\u0003'
type Reply = (response: ServerResponse, result: unknown) => void
const reply: Reply = (response, result) => void response.end(JSON.stringify({ result, error: null, meta: null }))
const refuse = (response: ServerResponse, message: string) => {
  const error = { code: 1_422, error_type: 'validation', message, details: {} }
  response.writeHead(422).end(JSON.stringify({ result: null, error, meta: null }))
}

/** A server with one workspace; `respond` handles all other requests below the workspace. Returns the environment for commands. */
async function serve(t: Test, respond: (path: string, request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://localhost').pathname.replace(/^.*\/api\/v3/, '')
    if (path === '/workspaces') reply(response, [{ id: 'w', name: 'W', role: 'owner' }])
    else respond(path.replace('/workspaces/w', ''), request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const home = temporaryFolder(t)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { HOME: home, WATCHKEEPER_URL: url, WATCHKEEPER_API_KEY: 'wk_1' }
}

const incident = (id: string, explanation = 'load\u001b[2J\u009b31m 12\u202e') => ({
  id,
  resource: { id: 'r', key: 'db1', name: 'Db1' },
  rule: 'busy',
  lifecycle: 'open',
  confirmation: 'confirmed',
  condition: 'problem',
  explanation,
  opened_at: '2026-10-05T12:00:00Z',
  acknowledgement: null,
})

t.test('line is cut by the number of terminal columns that its characters fill, not by the number of characters', async t => {
  const rows: [text: string, columns: number, cut: string][] = [
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['日本語', 6, '日本語'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['e\u0301e\u0301e\u0301', 3, 'e\u0301e\u0301e\u0301'],
    ['🔥🔥', 3, '🔥…'],
    ['می\u200cخوا', 5, 'می\u200cخوا'],
    ['abc', 0, '…'],
  ]
  for (const [text, columns, cut] of rows) t.equal(cutTo(text, columns), cut, `${text} in ${columns}`)
})

t.test('watch redraws within the window, continues after an outage, and ends with exit code 0 on Ctrl-C', { skip }, async t => {
  let now: unknown[] | null = [incident('first')]
  const environment = await serve(t, (_path, _request, response) => {
    if (now === null) response.destroy()
    else reply(response, now)
  })
  for (const [colours, bold] of [
    [{}, true],
    [{ NO_COLOR: '1' }, false],
  ] as const) {
    now = [incident('first')]
    const watch = runAtTerminal(t, ['incident', 'list', '--watch'], { ...environment, ...colours })
    await watch.shows(/first[^\n]*\n/)
    const [heading = '', titles, row] = watch.screen()
    t.match(heading, /^1 open, \d\d:\d\d:\d\d UTC; Ctrl-C ends it$/)
    t.strictSame([titles, row], ['id     state    since                 w…', 'first  problem  2026-10-05T12:00:00Z  W…'])
    t.equal(watch.raw().includes('\u001b[1m'), bold)
    watch.next()
    now = Array.from({ length: 20 }, (_, i) => incident(`more-${i}`))
    await watch.shows(/older/)
    const full = watch.screen()
    t.ok(full.length < terminalWindow.rows && full.every(line => line.length <= terminalWindow.columns), full.join('\n'))
    t.match(full[0], /^20 open/)
    t.equal(full.at(-1), 'and 12 older')
    watch.next()
    now = null
    await watch.shows(/does not respond/)
    watch.next()
    now = []
    await watch.shows(/0 open/)
    watch.type(ctrlC)
    t.equal(await watch.ended, 0)
  }
})

t.test('watch ends at once on Ctrl-C while the server delays its response', { skip }, async t => {
  let looks = 0
  const held = Promise.withResolvers<void>()
  const environment = await serve(t, (_path, _request, response) => {
    looks += 1
    if (looks === 1) return reply(response, [])
    held.resolve()
  })
  const watch = runAtTerminal(t, ['incident', 'list', '--watch'], environment)
  await held.promise
  const began = performance.now()
  watch.type(ctrlC)
  t.equal(await watch.ended, 0)
  t.ok(performance.now() - began < 10_000, 'it does not wait for the response')
})

t.test('long command shows one line of progress, cut to the window, and removes it before its table', { skip }, async t => {
  const waiting = Promise.withResolvers<ServerResponse>()
  const environment = await serve(t, (_path, _request, response) => waiting.resolve(response))
  const url = `${environment.WATCHKEEPER_URL}/behind/a/proxy/with/a/very/long/path`
  const list = runAtTerminal(t, ['resource', 'list'], { ...environment, WATCHKEEPER_URL: url })
  const response = await waiting.promise
  await list.shows(/behind[\s\S]*behind/)
  t.match(list.screen(), [/^http:\/\/127\.0\.0\.1:\d+\/behind\/a\/.*…$/], 'it is redrawn in one line')
  t.equal(list.screen().length, 1)
  const one = {
    id: 'r',
    key: 'a',
    name: 'evil\u001b[2J',
    template: 'job@1',
    labels: {},
    meta: {},
    archived_at: null,
    open_incident: null,
  }
  reply(response, [one])
  t.equal(await list.ended, 0)
  t.strictSame(list.screen(), ['key  template  incident  name', 'a    job@1               evil [2J'])
})

t.test('command over the bus shows one line of progress while the bus does not respond', { skip }, async t => {
  const silent = createNetServer(() => undefined)
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void silent.close())
  const bus = `nats://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const list = runAtTerminal(t, ['member', 'list'], { HOME: temporaryFolder(t), NATS_URL: bus })
  await list.shows(/the installation is asked …/)
  t.strictSame(list.screen(), ['the installation is asked …'])
})

t.test('apply at a terminal says what it waits for, and prints one line for each object in addition', { skip }, async t => {
  const step = { result: 'made', kind: 'Destination', name: 'A', what: '' }
  const counts = { made: 1, changed: 0, left: 0, deleted: 0, archived: 0 }
  const failed = { kind: 'Destination', name: 'B', message: 'evil\u001b[2J', file: 'a.json', line: 1, may_repeat: false }
  const asked = [Promise.withResolvers<ServerResponse>(), Promise.withResolvers<ServerResponse>()]
  let requests = 0
  const environment = await serve(t, (_path, request, response) => {
    if (request.method === 'GET') reply(response, [])
    else asked[requests++]?.resolve(response)
  })
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'a.json'), JSON.stringify(['A', 'B'].map(name => ({ kind: 'Destination', name, type: 'slack' }))))
  const apply = runAtTerminal(t, ['apply', folder], environment)
  const next = (n: number) =>
    Promise.race([asked[n]?.promise, apply.ended.then(() => Promise.reject(new Error(apply.raw())))]) as Promise<ServerResponse>
  const first = await next(0)
  await apply.shows(/the files are compared …/)
  reply(first, { state: 'unfinished', steps: [step], counts, remaining: 1, failed: null })
  const second = await next(1)
  await apply.shows(/1 of 2 objects are done …/)
  t.strictSame(apply.screen(), ['made      Destination A', '1 of 2 objects are done …'])
  reply(second, { state: 'failed', steps: [{ ...step, result: 'left' }], counts, remaining: 1, failed })
  t.equal(await apply.ended, 4)
  const shown = apply.screen()
  t.strictSame(shown.slice(0, 2), ['made      Destination A', '1 made, 0 changed, 0 left; 1 of 2 are no'])
  const failure = /^tdone\.a\.json:1:DestinationBfailed:evil\[2J;correctit,andrunitagaintogoon\.$/
  t.match(shown.slice(2).join('').replaceAll(' ', ''), failure)
})

t.test(
  'observe reports a command that Ctrl-C ended, exits like the command, and shows refusals without control characters',
  { skip },
  async t => {
    const sent: { state: string; reason: string }[] = []
    const environment = await serve(t, async (_path, request, response) => {
      let body = ''
      for await (const part of request) body += part
      sent.push(JSON.parse(body))
      refuse(response, 'evil\u001b[2J')
    })
    const script = 'echo ready; exec tail -f /dev/null'
    const observe = runAtTerminal(t, ['observe', 'db1', 'run', '--', 'sh', '-c', script], environment)
    await observe.shows(/ready/)
    observe.type(ctrlC)
    t.equal(await observe.ended, 130)
    t.match(sent, [{ state: 'problem', reason: 'ended by SIGINT' }])
    t.strictSame(observe.screen(), ['ready', '^CThe report was not sent: evil [2J.'])
  },
)
