// A kind of check that only a test has, registered by one line in each of two registries: a real installation lists it, makes, checks and
// judges its monitors, sends a message about them, and knows them on the command line, for agents, in files and in the documents of the API.
// No file outside this folder names it.
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { checksPage } from '../../infra/gates/checks-page.ts'
import { typescriptClient } from '../support/clients/mcp-clients.ts'
import { startPreloaded } from '../support/worlds/preloaded-program.ts'
import { echo } from './echo/kind.ts'

const installation = await startPreloaded(t, [join(import.meta.dirname, 'register-echo.ts')])
const { folder, url, key, workspace, preload, api, command } = installation
const [{ id: location, name: place }] = (await api('GET', '/v3/locations')).result
const resources = `/v3/workspaces/${workspace}/resources`

const farEnd = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  response.end()
  farEnd.emit('heard', Buffer.concat(chunks).toString())
})
await new Promise<void>(resolve => farEnd.listen(0, '127.0.0.1', resolve))
t.teardown(() => {
  farEnd.closeAllConnections()
  farEnd.close()
})
/** Resolves with the body of the next message; rejects after 30 s without one. */
const nextMessage = async (): Promise<string> => (await once(farEnd, 'heard', { signal: AbortSignal.timeout(30_000) }))[0]

const secrets = { pass_words: ['sesame-one-1', 'sesame-two-2'], whisper: 'sesame-three-3' }
const notSecret = { text: 'cuckoo', fails: true, locations: [location], interval_seconds: 10, confirm_after: 0 }

t.test('kind is listed with its options, beside the built-in one (v3 3.14)', async t => {
  const { result } = await api('GET', '/v3/checks')
  t.strictSame(
    result.map(({ type }: { type: string }) => type),
    ['http', 'tls', 'tcp', 'dns', 'icmp', 'echo'],
  )
  t.match(result.at(-1), { name: 'Echo', help: 'Finds what it is told.', value: { name: 'Time', unit: 'ms' } })
  t.strictSame(result.at(-1).options[2], {
    ...{ key: 'pass_words', label: 'Pass words', help: '', type: 'string_list', secret: true, required: false },
    ...{ default: [], options: [], words: null, example: null, takes: ['string_list'] },
    ...{ lines: false, section: null, min: 0, max: 2 },
  })
  t.match(checksPage([echo]), '| `whisper` | have at most 40 characters | `""` | Whisper. A secret. |')
})

t.test('monitor is made, checked, judged and told of', async t => {
  const destination = { name: 'Far end', type: 'webhook', url: `http://127.0.0.1:${(farEnd.address() as AddressInfo).port}/` }
  t.equal((await api('POST', `/v3/workspaces/${workspace}/destinations`, destination)).status, 201)
  const message = nextMessage()
  const body = { template: 'echo-check', key: 'e', name: 'Cuckoo clock', meta: { ...notSecret, ...secrets } }
  const shown = { ...body.meta, whisper: '[redacted]' }
  t.match(await api('POST', resources, body), { status: 201, result: { template: 'echo-check@1', meta: shown } })
  const told = await message
  t.match(told, 'Cuckoo clock is down')
  t.match(told, 'echo says cuckoo')
  t.match(JSON.parse(told).incident.resource, { template: 'echo-check@1', fields: { text: 'cuckoo', fails: true } })
  t.notMatch(told, /sesame/)
  const [{ labels }] = (await api('GET', `${resources}/e/observations`)).result
  t.strictSame(labels, { status: String(secrets.whisper.length) }, 'the sealed secret came to the check opened')
})

t.test('sealed secret goes only where it was given for', async t => {
  const change = (meta: object) => api('PATCH', `${resources}/e`, { meta })
  t.match(await change({ whisper: '[redacted]', fails: false }), { status: 200, result: { meta: { whisper: '[redacted]' } } })
  const elsewhere = { status: 422, error: { details: { field: 'whisper' }, message: /must be sent again/ } }
  t.match(await change({ text: 'magpie' }), elsewhere)
  t.match(await change({ text: 'magpie', whisper: '[redacted]' }), elsewhere)
  t.match(await change({ whisper: 'x'.repeat(41) }), { status: 422, error: { details: { field: 'whisper' } } })
  t.match((await api('GET', `${resources}/e`)).result.meta, { text: 'cuckoo', whisper: '[redacted]' }, 'nothing is changed')
  t.match(await change({ text: 'magpie', whisper: 'sesame-five-5' }), { status: 200 })
  t.match(await change({ text: 'cuckoo', whisper: null, fails: true }), { status: 200, result: { meta: { fails: true } } })
  t.notOk('whisper' in (await api('GET', `${resources}/e`)).result.meta, 'it is taken away')
  const made = await api('POST', resources, { template: 'echo-check', name: 'N', meta: { ...notSecret, whisper: '[redacted]' } })
  t.match(made, { status: 422, error: { message: /no stored secret to keep/ } })
})

t.test('check is tried before it is saved, and nothing is stored (v3 6.10)', async t => {
  const tries = `/v3/workspaces/${workspace}/checks/try`
  const before = (await api('GET', resources)).result.length
  const tried = await api('POST', tries, { template: 'echo-check', meta: { ...notSecret, whisper: 'sesame-six-66' } })
  const found = { location: { id: location, name: place }, outcome: 'failed', error: 'echo says cuckoo', status: 13, value: 1 }
  t.match(tried, { status: 200, result: [{ ...found, phases: { total_ms: 1, tls_ms: null } }] }, 'also with a secret')
  const passing = { template: 'echo-check@1', resource: 'e', meta: { fails: false } }
  t.match((await api('POST', tries, passing)).result, [{ outcome: 'passed', error: null }])
  t.match((await api('GET', `${resources}/e`)).result.meta, { fails: true }, 'the Resource stays as it is')
  for (const [body, status, field] of [
    [{ template: 'nothing', meta: {} }, 422, 'template'],
    [{ template: 'echo-check', meta: { ...notSecret, text: 1 } }, 422, 'text'],
    [{ template: 'echo-check', meta: { ...notSecret, locations: ['none'] } }, 422, 'locations'],
    [{ template: 'website-check', meta: {}, resource: 'e' }, 422, 'resource'],
    [{ template: 'echo-check', meta: {}, resource: 'nobody' }, 404, undefined],
  ] as const) {
    t.match(await api('POST', tries, body), { status, error: { details: { field } } }, JSON.stringify(body))
  }
  t.equal((await api('GET', resources)).result.length, before)
  const many = await Promise.all(Array.from({ length: 12 }, () => api('POST', tries, passing)))
  t.ok(
    many.some(
      ({ status, error }) => status === 429 && /At most 10 tries a minute/.test(error.details.reason ?? JSON.stringify(error)),
    ),
    'the eleventh of a minute is refused',
  )
})

t.test('command line lists the kind, and makes, changes and shows its monitors', async t => {
  t.match((await command(['check', 'kinds'])).stdout, /^echo +whisper +secret +secret +Whisper/m)
  const answers = ['--meta', 'text=by command', '--meta', `locations=${location}`, '--meta', 'interval_seconds=300']
  const made = await command(['resource', 'create', 'Second clock', '--template', 'echo-check', ...answers])
  t.match(made, { code: 0, stdout: 'second-clock\n' })
  const changed = await command(['resource', 'change', 'second-clock', '--meta', 'pass_words=a,b', '--json'])
  t.match(JSON.parse(changed.stdout).meta, { text: 'by command', fails: false, pass_words: ['a', 'b'] })
  t.match(await command(['resource', 'change', 'second-clock', '--meta', 'fails=maybe']), { code: /[^0]/, stderr: /fails/ })
  t.match(await command(['monitor', 'show', 'second-clock']), { code: 5, stderr: /but a Resource/ })
  t.match(JSON.parse((await command(['monitor', 'list', '--search', 'clock', '--json'])).stdout), [])
})

t.test('an agent lists the kind and makes a monitor of it', async t => {
  const client = await typescriptClient({ url, key, environment: preload }, '2026')
  t.teardown(() => client.close())
  t.match((await client.call('list_check_kinds')).structuredContent, {
    result: ['http', 'tls', 'tcp', 'dns', 'icmp', 'echo'].map(type => ({ type })),
  })
  const meta = { ...notSecret, fails: false }
  const made = await client.call('create_resource', { template: 'echo-check', key: 'third', name: 'Third clock', meta })
  t.match(made.structuredContent, { result: { key: 'third', template: 'echo-check@1', meta } })
})

t.test('files have monitors of the kind without secrets, which come from the environment', async t => {
  const exported = join(folder, 'exported')
  const { stderr } = await command(['export', exported])
  t.match(stderr, 'The Resource e has secrets')
  const text = readFileSync(join(exported, 'resources', 'echo-check.yaml'), 'utf8')
  t.match(text, /text: cuckoo/)
  t.match(text, new RegExp(`- ${place}`))
  for (const file of readdirSync(exported, { recursive: true, withFileTypes: true })) {
    if (file.isFile()) t.notMatch(readFileSync(join(file.parentPath, file.name), 'utf8'), /sesame/, file.name)
  }
  t.match((await command(['apply', exported, '--dry-run'])).code, 0, 'an export fits its workspace')
  const files = join(folder, 'files')
  mkdirSync(files)
  const write = (meta: string) =>
    writeFileSync(join(files, 'a.yaml'), `kind: Resource\nkey: f\nname: F\ntemplate: echo-check\nmeta: ${meta}\n`)
  write(`{locations: [${place}], interval_seconds: 10}`)
  t.match((await command(['apply', files])).stderr, /a\.yaml:\d+: meta\.text/)
  write(`{text: cuckoo, locations: [${place}], interval_seconds: 10, whisper: '[redacted]'}`)
  t.match((await command(['apply', files])).stderr, /WATCHKEEPER_RESOURCE_F_WHISPER/)
  const environment = { WATCHKEEPER_RESOURCE_F_WHISPER: 'sesame-four-4' }
  t.match((await command(['apply', files], environment)).stdout, /^made +Resource f: echo-check@1$/m)
  t.match((await command(['apply', files])).stdout, /^left +Resource f$/m)
  t.match((await api('GET', `${resources}/f`)).result.meta, { text: 'cuckoo', whisper: '[redacted]' })
})

t.test('documents of the API show its Template in generation 3 alone', async t => {
  const documents = await Promise.all(
    ['v1', 'v2', 'v3'].map(async version => (await fetch(`${url}/api/openapi/${version}.json`)).text()),
  )
  t.strictSame(
    documents.map(text => text.includes('echo')),
    [false, false, true],
  )
  const { components } = JSON.parse(documents[2] ?? '')
  const examples = components.schemas.Template.examples.map(({ id }: { id: string }) => id)
  t.strictSame([examples[0], examples.at(-2), examples.at(-1)], ['website-check@1', 'echo-check@1', 'heartbeat-check@1'])
  for (const path of ['/v1/rules', '/v2/monitoring/websites', '/v2/incidents', '/v2/subjects']) {
    t.strictSame((await api('GET', `${path}?workspace_id=${workspace}`)).result, [], path)
  }
  t.notMatch(installation.program.output(), /sesame/, 'nor does the log hold a secret')
})
