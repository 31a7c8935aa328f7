// Commands against a server with control characters in every text. A proxy adds the control characters to the responses of a real
// installation.
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
/** Names of fields that stay without control characters, because commands compare their words or parse their instants. */
const plain = /^(kind|type|role|result|lifecycle|condition|confirmation|decision|at|\w+_at|next_cursor)$/

function poisoned(value: unknown): unknown {
  if (typeof value === 'string') return value + poison
  if (Array.isArray(value)) return value.map(poisoned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain.test(key) ? member : poisoned(member)]))
}

/** Removes the control characters from a request, so that the installation knows the ids in the request. */
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

/** Returns whether the text has no control character except line feeds, and no format character, whether bidirectional or invisible. */
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

t.test('command over the API prints the texts of its server without their control and format characters', async t => {
  const busy = file('busy.json', manifest)
  const later = file('later.json', { ...manifest, version: 2, rules: [{ ...manifest.rules[0], destination: { name: 'x' } }] })
  const load = { signal: 'load', state: 'ok', at: '2026-10-05T12:00:00Z' }
  const fewer = file('loads.json', [load, { ...load, signal: 'x' }])
  const lines: [line: string, code: number, printed: RegExp, more?: string[]][] = [
    ['template publish', 0, /^busy@1 \[2J 31m \n$/, [busy]],
    ['template publish', 4, /^busy@1 is published already: .* \[2J 31m \.$/m, [busy]],
    ['template publish', 4, /^\S+later\.json:1: rules\.0\.destination \[2J 31m : 'x' names no destination/, [later]],
    [
      'template preview',
      4,
      /^\S+loads\.json:1: observations\.1\.signal \[2J 31m : The Resource has no signal 'x'/,
      [busy, '--observations', fewer],
    ],
    ['template list', 0, /^busy@1 \[2J 31m +load/m],
    ['template show busy', 0, /^busy@1 \[2J 31m {2}"Busy \[2J 31m "/],
    ['resource create Db1 --template busy --label env=a', 0, /^db1 \[2J 31m \n$/],
    ['resource create Db1 --template busy --key db1', 4, /^The key db1 is taken: .* \(field key \[2J 31m \)\.$/m],
    ['resource create Db1 --template none', 4, /^There is no Template none \[2J 31m {2}\(field template/],
    ['resource list --wide', 0, / db1 \[2J 31m .* env=a \[2J 31m/],
    ['resource show db1', 0, /^db1 \[2J 31m {2}\(\w+ \[2J 31m \) "Db1 \[2J 31m ", busy@1/],
    ['resource change db1 --name Db1', 0, /^Resource db1 \[2J 31m {2}\("Db1 \[2J 31m "\) is changed\.$/m],
    ['observe db1 load --state problem --reason full', 0, /^Observation \w+ \[2J 31m {2}of db1 is accepted\.$/m],
    ['observe db1 none', 4, /^The Resource has no signal 'none' \[2J 31m /],
    ['monitor create Shop http://127.0.0.1:9/', 0, /^shop \[2J 31m \n$/],
    ['monitor list', 0, /^shop \[2J 31m +website-check@1 \[2J 31m /m],
    // The Template that this server names is not the one of monitors.
    ['monitor change shop --meta method=NONE', 5, /^There is no monitor "shop", but a Resource: /],
    ['incident list', 0, / problem .* db1 \[2J 31m +overloaded \[2J 31m /],
    [
      'incident show',
      0,
      /^Cause: full \(load\) \[2J 31m \nIncident \w+ \[2J 31m {2}of db1 \[2J 31m {2}\("Db1 \[2J 31m "\), rule overloaded/,
      [`Db1${poison}`],
    ],
    [
      'incident explain',
      0,
      /^Cause: full \(load\) \[2J 31m \.\nRule overloaded \[2J 31m {2}of Db1 .* reads: load problem \[2J 31m \./,
      [`Db1${poison}`],
    ],
    ['incident ack', 0, /^Incident \w+ \[2J 31m {2}of db1 \[2J 31m {2}is taken by owner/, [`Db1${poison}`]],
    ['incident ack', 4, /^The Incident was taken on by owner \[2J 31m \.$/m, [`Db1${poison}`]],
    ['destination create hook --to http://127.0.0.1:9/', 0, /^\w+ \[2J 31m \n$/],
    ['destination create other --to ftp://x', 4, /^The URL must be .* \(field url \[2J 31m \)\.$/m],
    ['destination list', 0, /^\w+ \[2J 31m +webhook .* hook \[2J 31m$/m],
    ['destination test', 4, /^The test message is not delivered \(unreachable \[2J 31m \)\.$/m, [`hook${poison}`]],
    [
      'destination change',
      0,
      /^Destination \w+ \[2J 31m {2}\("hook \[2J 31m "\) is changed\.$/m,
      [`hook${poison}`, '--enabled', 'yes'],
    ],
    ['destination deliveries', 0, / test \[2J 31m .* unreachable \[2J 31m/, [`hook${poison}`]],
    ['maintenance start db1 5m', 0, /^db1 \[2J 31m {2}is in maintenance from \S+Z \[2J 31m {2}until \S+Z /],
    ['maintenance end db1', 0, /^db1 \[2J 31m {2}is not in maintenance\.$/m],
    ['maintenance end db1', 4, /^No maintenance window is running\. \[2J 31m /],
    ['address create --description jobs', 0, /^http:\S+\/in\/[\w-]{43} \[2J 31m \n$/],
    ['address list', 0, /^\w+ \[2J 31m .* jobs \[2J 31m$/m],
    ['address delete', 0, /^Observation address \w+ \[2J 31m {2}is deleted\.$/m, [`jobs${poison}`]],
    ['audit', 0, / owner \[2J 31m +key wk_\w+ \[2J 31m …/],
    ['location list', 0, /^\w{4} \[2J 31m +\d +\S+ +local \[2J 31m /m],
    ['user list', 0, /^\w{10} \[2J 31m +owner \[2J 31m +admin /m],
    ['status --check', 4, /^http:\S+, "Default \[2J 31m ": 2 Incidents are open/],
    ['template rebind busy busy@1', 0, /^No Resource of busy \[2J 31m {2}is left to bind to busy@1/],
    ['apply', 0, /^left +Template busy@1 \[2J 31m .*\n0 made, 0 changed, 1 left\.\n$/, [busy]],
    ['resource archive db1', 0, /^Resource db1 \[2J 31m {2}\("Db1 \[2J 31m "\) is archived\.$/m],
    ['destination delete', 0, /^Destination \w+ \[2J 31m {2}\("hook \[2J 31m "\) is deleted\./, [`hook${poison}`]],
    ['mcp --url', 0, /^$/, [address, '--token', key]],
  ]
  for (const [line, expected, printed, more = []] of lines) {
    const words = [...line.split(' ').filter(Boolean), ...more]
    const { code, stdout, stderr } = await run(words)
    t.equal(code, expected, `${line}: ${stderr}`)
    t.match(stdout === '' ? stderr : stdout, printed, line)
    t.ok(isClean(stdout) && isClean(stderr), `${line}: ${JSON.stringify(stdout + stderr)}`)
    t.notMatch(stderr, /^Unexpected: /m, line)
  }
})

t.test('message about several objects with one name shows no control character of their ids', async t => {
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
  const exported = { files: { 'templates/../../evil.yaml': 'kind: Template\n' }, objects: 1, omitted: [] }
  const server = createServer((request, response) => {
    const isList = (request.url ?? '').replace(/\?.*$/, '').endsWith('/workspaces')
    const result = isList ? [{ id: 'w', name: 'W', role: 'owner' }] : exported
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
