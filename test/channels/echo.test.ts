// A channel that only a test has, registered by one line: a real installation makes, lists, changes and hides its destinations, sends to
// them, and knows them on the command line, for agents, in files and in the documents of the API. No file outside this folder names it.
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { channelTypes } from '#shared/channels/registry.ts'
import { typescriptClient } from '../support/clients/mcp-clients.ts'
import { startPreloaded } from '../support/worlds/preloaded-program.ts'

const program = await startPreloaded(t, [join(import.meta.dirname, 'register-echo.ts')])
const { folder, url, key, workspace, preload } = program

/** Every text that left the installation, apart from requests to the far end. */
const seen: string[] = []

async function api(method: string, path: string, body?: object) {
  const answer = await program.api(method, path, body)
  seen.push(answer.text)
  return answer
}
const destinations = `/v3/workspaces/${workspace}/destinations`
const classic = (path: string) => `/v2/notifications/${path}?workspace_id=${workspace}`

async function command(words: string[], environment: Record<string, string> = {}) {
  const ended = await program.command(words, environment)
  seen.push(ended.stdout, ended.stderr)
  return ended
}

interface Heard {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}
const heard: Heard[] = []
let answers: number[] = []
const farEnd = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { method = '', url: path = '', headers } = request
  heard.push({ method, path, headers, body: Buffer.concat(chunks).toString() })
  farEnd.emit('heard')
  response.writeHead(answers.shift() ?? 200).end(`no: ${headers.authorization}`)
})
await new Promise<void>(resolve => farEnd.listen(0, '127.0.0.1', resolve))
t.teardown(() => {
  farEnd.closeAllConnections()
  farEnd.close()
})
const server = `http://127.0.0.1:${(farEnd.address() as AddressInfo).port}`
/** Resolves with the next request to the far end; rejects after 30 s without one. */
async function next(): Promise<Heard> {
  if (heard.length === 0) await once(farEnd, 'heard', { signal: AbortSignal.timeout(30_000) })
  return heard.shift() as Heard
}

const tokens = { first: 'sesame-one-1', second: 'sesame-two-2', third: 'sesame-three-3' }
const settings = { server, token: tokens.first, loudness: 5 }
const shown = { server, token: '[redacted]', room: 'lobby', loudness: 5, mood: 'grave', twice: false }
const shownAgain = { ...shown, loudness: 3 }
let id = ''

t.test('channel is listed with its fields, to every key (v3 10.10)', async t => {
  const { result } = await api('GET', '/v3/channels')
  t.strictSame(
    result.map(({ type }: { type: string }) => type),
    [...channelTypes(), 'echo'],
  )
  t.match(result.at(-1), { name: 'Echo', help: 'Repeats what it hears.', life: 'none', answers: 'delivered' })
  t.strictSame(result.at(-1).fields[1], {
    ...{ key: 'token', label: 'Token', help: 'From its page of tokens.', type: 'string', required: true, secret: true },
    ...{ default: null, options: [], min: 1, max: 40 },
  })
  t.match(result[1].fields, [
    { key: 'url', top: true },
    { key: 'send_on_open', default: false, top: true },
  ])
})

t.test('destination is made, listed and changed by its settings, and shows no secret (v3 10.11)', async t => {
  const made = await api('POST', destinations, { name: 'Room', type: 'echo', settings })
  t.equal(made.status, 201)
  id = made.result.id
  const whole = {
    id,
    name: 'Room',
    type: 'echo',
    channel: '',
    enabled: true,
    send_on_open: false,
    default: true,
    settings: shown,
  }
  t.strictSame(made.result, whole)
  t.strictSame((await api('GET', destinations)).result, [whole])
  const changed = await api('PATCH', `${destinations}/${id}`, {
    settings: { loudness: null, names: ['Ada', ' Bo '], token: '[redacted]' },
  })
  t.strictSame(changed.result.settings, { ...shown, loudness: 3, names: ['Ada', 'Bo'] })
  const classicOne = await api('POST', destinations, { name: 'Hook', type: 'webhook', url: `${server}/hook` })
  t.notOk('settings' in classicOne.result, 'a type without settings of its own has none')
  t.match(await api('POST', destinations, { name: 'No URL', type: 'webhook' }), {
    status: 422,
    error: { details: { field: 'url' } },
  })
})

t.test('faulty settings are refused with their field (v3 10.11)', async t => {
  const before = (await api('GET', destinations)).result
  const rows: [title: string, change: object, status: number, field: string, isOfChange?: false][] = [
    ['an unknown key', { loud: 1 }, 400, 'settings.loud'],
    ['no number', { loudness: 'five' }, 422, 'settings.loudness'],
    ['a number out of its bounds', { loudness: 6 }, 422, 'settings.loudness'],
    ['another word', { mood: 'sad' }, 422, 'settings.mood'],
    ['a long text', { room: 'r'.repeat(257) }, 422, 'settings.room'],
    ['a control character', { room: 'a\u0007' }, 422, 'settings.room'],
    ['a long list', { names: ['a', 'b', 'c', 'd'] }, 422, 'settings.names'],
    ['an address with credentials', { server: 'http://me:pw@127.0.0.1/', token: 'x' }, 422, 'settings.server'],
    ['no address', { server: 'nowhere', token: 'x' }, 422, 'settings.server'],
    ['a required setting that is null', { token: null }, 422, 'settings.token'],
    ['another address without the secret', { server: 'http://127.0.0.1:1/' }, 422, 'settings.token'],
    ['no secret', { token: undefined }, 422, 'settings.token', false],
    ['a secret that nobody stored', { token: '[redacted]' }, 422, 'settings.token', false],
  ]
  for (const [title, change, status, field, isOfChange = true] of rows) {
    if (isOfChange) {
      const { status: found, error } = await api('PATCH', `${destinations}/${id}`, { settings: change })
      t.match([found, error?.details], [status, { field }], `change: ${title}`)
    }
    if (title.startsWith('another address')) continue
    const created = await api('POST', destinations, { name: 'Other', type: 'echo', settings: { ...settings, ...change } })
    t.match([created.status, created.error?.details], [status, { field }], title)
  }
  for (const [member, value] of Object.entries({ url: server, channel: 'ops', send_on_open: true })) {
    const { status, error } = await api('PATCH', `${destinations}/${id}`, { [member]: value })
    t.match([status, error?.details], [422, { field: member }], `${member} of another type`)
  }
  const moved = await api('POST', destinations, { name: 'Other', type: 'slack', url: server, settings: { url: server } })
  t.match([moved.status, moved.error?.details], [422, { field: 'settings.url' }])
  t.strictSame((await api('GET', destinations)).result, before)
})

t.test('generation 2 shows nothing of it (v3 10.11)', async t => {
  const listed = (await api('GET', classic('destinations'))).result
  t.strictSame(
    listed.map(({ name }: { name: string }) => name),
    ['Hook'],
  )
  t.match(listed, [{ default: false }])
  t.equal((await api('GET', classic('destinations/1'))).error?.code, 2002)
  const body = { workspace_id: workspace, name: 'ROOM', destination_type: 'webhook', url: server }
  t.match((await api('POST', '/v2/notifications/destinations', body)).error, { code: 2001, message: 'Destination name taken' })
  const type = { ...body, name: 'x', destination_type: 'echo' }
  t.match((await api('POST', '/v2/notifications/destinations', type)).error, { code: 2001, message: 'Invalid destination type' })
})

t.test('test message and alerts are sent as the channel renders them, with the present secret', async t => {
  const taken = { status: 'delivered', reason: null, message: 'Delivered to Echo.' }
  t.strictSame((await api('POST', `${destinations}/${id}/test`, {})).result, taken)
  const tested = await next()
  t.match(tested, { method: 'PUT', path: '/rooms/lobby', headers: { authorization: `Bearer ${tokens.first}` } })
  t.match(JSON.parse(tested.body), {
    event: 'test',
    settings: { token: true, server: true, room: 'lobby', names: ['Ada', 'Bo'] },
  })
  for (const name of ['idempotency-key', 'webhook-id', 'webhook-timestamp']) t.notOk(name in tested.headers, name)

  const rule = { key: 'fails', action: 'Look.', wait: { confirm_after: 0, recover_after: 0 }, destination: { id } }
  const decision = { signal: 'run', field: 'status', operator: 'eq', operand: 'problem' }
  const template = {
    key: 'job',
    version: 1,
    name: 'Job',
    signals: [{ key: 'run', kind: 'event' }],
    rules: [{ ...rule, decision }],
  }
  t.equal((await api('POST', `/v3/workspaces/${workspace}/templates`, template)).status, 201)
  const resource = { key: 'one', name: 'One', template: 'job' }
  t.equal((await api('POST', `/v3/workspaces/${workspace}/resources`, resource)).status, 201)
  const reports = `/v3/workspaces/${workspace}/resources/one/observations`
  const report = (state: string) => api('POST', reports, { signal: 'run', state })
  // The far end asks for another attempt. Before it, the token and the room change.
  answers = [418]
  t.equal((await report('problem')).error, null)
  const refused = await next()
  t.match(JSON.parse(refused.body), { event: 'problem', about: 'ONE' })
  await api('PATCH', `${destinations}/${id}`, { settings: { token: tokens.second, room: 'attic' } })
  const again = await next()
  t.equal(again.headers.authorization, `Bearer ${tokens.second}`, 'a retry uses the present secret')
  t.match([again.path, again.body], ['/rooms/lobby', refused.body], 'and the message as it was made')
  t.equal((await report('ok')).error, null)
  const recovered = await next()
  t.match([recovered.path, JSON.parse(recovered.body).event], ['/rooms/attic', 'recovery'])
  const log = async () => (await api('GET', `${destinations}/${id}/deliveries`)).result as { event: string; status: string }[]
  while ((await log()).length < 4) await new Promise(setImmediate)
  t.match(await log(), [
    { event: 'recovery', status: 'delivered' },
    { event: 'problem', status: 'delivered' },
    { event: 'problem', status: 'failed', reason: 'http_418' },
    { event: 'test', status: 'delivered' },
  ])
  t.strictSame((await api('GET', classic('deliveries'))).result, [], 'the log of generation 2 has no row of it')
})

t.test('command line lists its type and sets its settings, a secret from the environment', async t => {
  t.match((await command(['destination', 'types'])).stdout, /^echo +token +string +required, secret +From its page/m)
  const create = ['destination', 'create', 'By command', '--type', 'echo', '--set', `server=${server}`, '--set', 'loudness=4']
  t.match(await command([...create, '--set', 'token=plain']), { code: 2, stderr: /--set token=env:<VARIABLE>/ })
  t.match(await command([...create, '--set', `tokem=${tokens.third}`]), {
    code: 2,
    stderr: /--set tokem: a echo has server, token/,
  })
  t.match(await command([...create, '--set', tokens.third]), { code: 2, stderr: /A setting is --set <key>=<value>/ })
  const made = await command([...create, '--set', 'token=env:ECHO_TOKEN', '--json'], { ECHO_TOKEN: tokens.third })
  t.match(JSON.parse(made.stdout), { name: 'By command', type: 'echo', settings: { ...shown, loudness: 4 } })
  const change = ['destination', 'change', 'By command', '--set', 'twice=true', '--set', 'loudness=', '--json']
  t.match(JSON.parse((await command(change)).stdout).settings, { twice: true, loudness: 3 })
})

t.test('files have its settings without secrets, which come from the environment', async t => {
  const exported = join(folder, 'exported')
  const { stderr } = await command(['export', exported])
  t.match(stderr, 'WATCHKEEPER_DESTINATION_ROOM_TOKEN')
  const text = readFileSync(join(exported, 'destinations.yaml'), 'utf8')
  t.match(text, /name: Room\ntype: echo\nsettings:\n {2}server: /)
  t.match((await command(['apply', exported, '--dry-run'])).code, 0, 'an export fits its workspace')
  const files = join(folder, 'files')
  mkdirSync(files)
  const one = `kind: Destination\nname: From files\ntype: echo\nsettings: {server: '${server}', mood: glad, room: ' attic ', names: ['Ada ']}\n`
  writeFileSync(join(files, 'a.yaml'), one)
  t.match(await command(['apply', files]), { code: /[^0]/, stderr: /set WATCHKEEPER_DESTINATION_FROM_FILES_TOKEN to its token/ })
  const environment = { WATCHKEEPER_DESTINATION_FROM_FILES_TOKEN: tokens.third }
  t.match((await command(['apply', files], environment)).stdout, /^made +Destination From files$/m)
  t.match((await command(['apply', files])).stdout, /^left +Destination From files$/m)
  writeFileSync(join(files, 'a.yaml'), one.replace('glad', 'grave'))
  t.match((await command(['apply', files])).stdout, /^changed +Destination From files: settings\.mood$/m)
  writeFileSync(join(files, 'a.yaml'), one.replace('mood: glad', 'token: x'))
  t.match((await command(['apply', files])).stderr, /a\.yaml:4: settings\.token: it is a secret/)
})

t.test('document of the API and the page of MCP tools have its settings', async t => {
  const document = JSON.parse(await (await fetch(`${url}/api/openapi/v3.json`)).text())
  const { properties, required } =
    document.paths['/api/v3/workspaces/{workspace}/destinations'].post.requestBody.content['application/json'].schema
  t.match(properties.type.enum, [...channelTypes(), 'echo'])
  t.match(JSON.stringify(properties.settings), /"loudness":\{.*?"maximum":5/)
  t.notOk(required.includes('url'))
  t.match(JSON.stringify(document.components.schemas.Destination.properties.settings), /"Settings of Echo"/)
  const client = await typescriptClient({ url, key, environment: preload }, '2026')
  t.teardown(() => client.close())
  const create = (await client.list()).find(({ name }) => name === 'create_destination')?.inputSchema as unknown as JsonSchema
  t.match(create.properties['type'], { type: 'string', description: /list_channels/ })
  t.strictSame(create.required, ['name', 'type'])
  const listed = (await client.call('list_channels')).structuredContent as { result: { type: string }[] }
  t.strictSame(
    listed.result.map(({ type }) => type),
    [...channelTypes(), 'echo'],
  )
  const asked = { name: 'By an agent', type: 'echo', settings: { server, token: tokens.third } }
  t.match((await client.call('create_destination', asked)).structuredContent, { result: { type: 'echo', settings: shownAgain } })
})

interface JsonSchema {
  properties: Record<string, unknown>
  required: string[]
}

t.test('its secrets are in no answer, log, file or audit row', async t => {
  await api('GET', `/v3/workspaces/${workspace}/audit`)
  await api('GET', `/v3/workspaces/${workspace}/deliveries`)
  seen.push(program.program.output())
  for (const file of readdirSync(join(folder, 'exported'), { recursive: true, withFileTypes: true })) {
    if (file.isFile()) seen.push(readFileSync(join(file.parentPath, file.name), 'utf8'))
  }
  const everything = seen.join('\n')
  t.match(everything, 'http_418', 'the texts were gathered')
  for (const token of Object.values(tokens)) t.notOk(everything.includes(token), token.slice(0, 9))
})
