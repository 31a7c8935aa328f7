// Commands against a server that puts control characters into every text. A proxy adds them to the responses of a real installation.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { startProgram } from '../../integration/system.ts'
import { runProgram, temporaryFolder } from '../run-program.ts'

const folder = temporaryFolder(t)
const data = join(folder, 'data')
const program = await startProgram({ DATA_DIR: data })
t.teardown(() => program.stop())
const { url } = JSON.parse(readFileSync(join(data, 'api.json'), 'utf8')) as { url: string }

/** Control characters that clear a terminal, begin a sequence by one C1 character, and reverse the direction of writing. */
const poison = '\u001b[2J\u009b31m\u202e'
/** Words and instants that a command compares or reads. */
const plain = /^(kind|type|role|lifecycle|condition|confirmation|decision|at|\w+_at|next_cursor)$/

function poisoned(value: unknown): unknown {
  if (typeof value === 'string') return value + poison
  if (Array.isArray(value)) return value.map(poisoned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain.test(key) ? member : poisoned(member)]))
}

/** Removes the characters from a request, so that the installation knows the ids in it. */
const healed = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll(JSON.stringify(poison).slice(1, -1), ''))

const proxy = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const path = (request.url ?? '').replaceAll(encodeURIComponent(poison), '')
  const headers = { authorization: request.headers.authorization ?? '', 'content-type': 'application/json' }
  const sent = body === '' ? {} : { body: JSON.stringify(healed(JSON.parse(body))) }
  const answered = await fetch(`${url}${path}`, { method: request.method ?? 'GET', headers, ...sent })
  const { result, error, meta } = (await answered.json()) as { result: unknown; error: unknown; meta: unknown }
  response.writeHead(answered.status).end(JSON.stringify({ result: poisoned(result), error: poisoned(error), meta }))
})
await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
t.teardown(() => {
  proxy.closeAllConnections()
  proxy.close()
})

const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
const key = readFileSync(join(data, 'first-key'), 'utf8').trim()
const environment = { HOME: folder, DATA_DIR: join(folder, 'nothing'), WATCHKEEPER_API_KEY: key }
const run = (words: string[], at = address) => runProgram(t, words, { ...environment, WATCHKEEPER_URL: at }).ended

/** No control character but the end of a line, and no format character: neither bidirectional nor invisible. */
const isClean = (text: string) => !/[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}]/u.test(text)

const manifest = {
  kind: 'Template',
  key: 'busy',
  version: 1,
  name: 'Busy',
  signals: [{ key: 'load', kind: 'event' }],
  rules: [
    {
      key: 'overloaded',
      action: 'Look.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: { signal: 'load', field: 'status', operator: 'eq', operand: 'problem' },
    },
  ],
}
const file = (name: string, content: unknown) => {
  writeFileSync(join(folder, name), JSON.stringify(content))
  return join(folder, name)
}

t.test('no command prints a control character or a format character of its server', async t => {
  const busy = file('busy.json', manifest)
  const later = file('later.json', { ...manifest, version: 2, rules: [{ ...manifest.rules[0], destination: { name: 'x' } }] })
  const load = { signal: 'load', state: 'ok', at: '2026-10-05T12:00:00Z' }
  const fewer = file('loads.json', [load, { ...load, signal: 'x' }])
  const lines: [line: string, more?: string[]][] = [
    ['template publish', [busy]],
    ['template publish', [busy]],
    ['template publish', [later]],
    ['template preview', [busy, '--observations', fewer]],
    ['template list'],
    ['template show busy'],
    ['resource create Db1 --template busy --label env=a'],
    ['resource create Db1 --template busy --key db1'],
    ['resource create Db1 --template none'],
    ['resource list --wide'],
    ['resource show db1'],
    ['resource change db1 --name Db1'],
    ['observe db1 load --state problem --reason full'],
    ['observe db1 none'],
    ['monitor create Shop http://127.0.0.1:9/'],
    ['monitor list'],
    ['monitor change shop --meta method=NONE'],
    ['incident list'],
    ['incident show', [`Db1${poison}`]],
    ['incident explain', [`Db1${poison}`]],
    ['incident ack', [`Db1${poison}`]],
    ['incident ack', [`Db1${poison}`]],
    ['destination create hook --to http://127.0.0.1:9/'],
    ['destination create other --to ftp://x'],
    ['destination list'],
    ['destination test', [`hook${poison}`]],
    ['destination change', [`hook${poison}`, '--enabled', 'yes']],
    ['destination deliveries', [`hook${poison}`]],
    ['maintenance start db1 5m'],
    ['maintenance end db1'],
    ['maintenance end db1'],
    ['address create --description jobs'],
    ['address list'],
    ['address delete', [`jobs${poison}`]],
    ['audit'],
    ['status --check'],
    ['template rebind busy busy@1'],
    ['apply', [busy]],
    ['resource archive db1'],
    ['destination delete', [`hook${poison}`]],
    ['mcp --url', [address, '--token', key]],
  ]
  for (const [line, more = []] of lines) {
    const words = [...line.split(' ').filter(Boolean), ...more]
    const { code, stdout, stderr } = await run(words)
    t.ok(isClean(stdout) && isClean(stderr), `${line} [${code}]: ${JSON.stringify(stdout + stderr)}`)
    t.notMatch(stderr, /^Unexpected: /m, line)
  }
})

t.test('sentence about several objects of one name shows no control character of their ids', async t => {
  for (const name of ['one', 'other'])
    await run(['address', 'create', '--description', 'same'], url).then(({ code }) => t.equal(code, 0, name))
  const { code, stderr } = await run(['address', 'delete', `same${poison}`])
  t.equal(code, 2)
  t.match(stderr, / fits 2 Observation addresses: /)
  t.ok(isClean(stderr), JSON.stringify(stderr))
})

t.test('export writes no file outside its folder, whatever key a server gives to a Template', async t => {
  const place = join(folder, 'exports')
  mkdirSync(place)
  const rules = manifest.rules.map(rule => ({ ...rule, destination: null, routes: null }))
  const evil = { ...manifest, key: '../../evil', summary: '', fields: [], rules }
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*$/, '')
    const result = path.endsWith('/workspaces')
      ? [{ id: 'w', name: 'W', role: 'owner' }]
      : path.endsWith('/templates')
        ? [evil]
        : []
    response.end(JSON.stringify({ result, error: null, meta: null }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const { code, stderr } = await run(['export', join(place, 'new')], `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  t.match(stderr, 'The server gives a Template a key that names no file (templates/../../evil.yaml): nothing was written.\n')
  t.equal(code, 4)
  t.strictSame(readdirSync(place), [])
  t.notOk(readdirSync(folder).includes('evil.yaml'))
})
