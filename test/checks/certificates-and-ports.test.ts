// Monitors of certificates and ports in a real installation, against servers of the test: what is found, judged and told, what is kept secret,
// and that generations 1 and 2 know nothing of them.
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import t from 'tap'
import { eventually } from '../infra/run-program.ts'
import { certificates } from '../prober/certificates.ts'
import { startPreloaded } from '../support/worlds/preloaded-program.ts'

const { workspace, api, command, program } = await startPreloaded(t, [])
const [{ id: location }] = (await api('GET', '/v3/locations')).result
const resources = `/v3/workspaces/${workspace}/resources`

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}
const tlsPort = (name: 'good' | 'expired') =>
  listen(
    createTlsServer({ key: certificates.key, cert: certificates[name] }, socket => socket.on('error', () => undefined)).on(
      'tlsClientError',
      () => undefined,
    ),
  )

const [good, expired] = [await tlsPort('good'), await tlsPort('expired')]
const echo = await listen(createTcpServer(socket => socket.on('error', () => undefined).pipe(socket)))
const { authority } = certificates

const messages: string[] = []
/** The far end of messages. */
const farEnd = createHttpServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  response.end()
  messages.push(Buffer.concat(chunks).toString())
})
await listen(farEnd)

const watched = { locations: [location] }
const atOnce = { confirm_after: 0 }
const monitors: [key: string, template: string, meta: object, explanation: string, value: RegExp][] = [
  ['fine', 'certificate-check', { target: `localhost:${good}`, authority }, 'certificate ok', /^3\d{4}$/],
  ['over', 'certificate-check', { target: `localhost:${expired}`, authority }, 'certificate problem', /^-\d+$/],
  [
    ...(['echo', 'tcp-check', { host: 'localhost', port: echo, send: 'sesame\\r\\n', expect: 'sesame', ...atOnce }] as const),
    ...(['reachability ok', /^\d+$/] as const),
  ],
  [
    ...(['mute', 'tcp-check', { host: 'localhost', port: echo, expect: '220', timeout_seconds: 1, ...atOnce }] as const),
    ...(['reachability problem', /^null$/] as const),
  ],
]
const make = (key: string, template: string, meta: object) =>
  api('POST', resources, { template, key, name: key, meta: { ...meta, ...watched } })
const unable = ['127.0.0.1:1', `http://localhost:${good}/`]
for (const [i, target] of unable.entries()) await make(`unable-${i}`, 'certificate-check', { target })

for (const [key, template, meta, explanation, value] of monitors) {
  t.test(`${key}: ${explanation}`, async t => {
    t.match(await make(key, template, meta), { status: 201, result: { template: `${template}@1` } })
    const ruleOf = async () => (await api('GET', `${resources}/${key}`)).result.rules[0]
    await eventually(`${key} is checked`, async () => (await ruleOf()).status !== null)
    const [signal = '', status = ''] = explanation.split(' ')
    t.match(await ruleOf(), { key: signal === 'certificate' ? signal : 'availability', status, explanation })
    const [newest] = (await api('GET', `${resources}/${key}/observations`)).result
    t.equal(newest.state, status)
    t.match(String(newest.value), value)
  })
}

t.test('certificate that cannot be read is no observation, and judges nothing', async t => {
  for (const i of unable.keys()) {
    t.match((await api('GET', `${resources}/unable-${i}`)).result, { open_incident: null, rules: [{ status: 'no_data' }] })
    t.strictSame((await api('GET', `${resources}/unable-${i}/observations`)).result, [])
  }
})

t.test('reason of a failed check is told, the text that is sent is not', async t => {
  const causes = (await api('GET', `/v3/workspaces/${workspace}/incidents`)).result.map(({ cause }: { cause: string }) => cause)
  t.match(causes.toSorted(), [/^certificate expired \d+ days ago/, /^no answer in 1 s/])
  const { text, result } = await api('GET', `${resources}/echo`)
  t.equal(result.meta.send, '[redacted]')
  t.notMatch(text + program.output(), /sesame\\/)
  const elsewhere = await api('PATCH', `${resources}/echo`, { meta: { host: '127.0.0.1' } })
  t.match(elsewhere, { status: 422, error: { details: { field: 'send' } } }, 'it goes only where it was given for')
  t.match(await api('PATCH', `${resources}/echo`, { meta: { expect: 'sam' } }), { status: 200 })
})

t.test('authority of a check stands in no message, and nothing is filtered by it', async t => {
  const url = `http://127.0.0.1:${(farEnd.address() as AddressInfo).port}/`
  const destination = { name: 'Far end', type: 'webhook', url, default: true }
  t.equal((await api('POST', `/v3/workspaces/${workspace}/destinations`, destination)).status, 201)
  const target = `localhost:${expired}`
  t.match(await make('told', 'certificate-check', { target, authority }), { status: 201 })
  const find = () => messages.find(message => message.includes('told: certificate — Renew the certificate'))
  await eventually('it is told', () => find() !== undefined)
  const body = find() ?? ''
  const { fields } = JSON.parse(body).incident.resource
  t.match(fields, { target, days: 21 })
  t.notOk('authority' in fields)
  t.notMatch(body, 'CERTIFICATE')
  const filtered = (filter: string) => api('GET', `${resources}?template=certificate-check&meta.${filter}`)
  t.match(await filtered('authority=x'), { status: 422, error: { details: { field: 'meta.authority' } } })
  const found = (await filtered(`target=${encodeURIComponent(target)}`)).result.map((one: { key: string }) => one.key)
  t.strictSame(found.toSorted(), ['over', 'told'])
})

t.test('refused answer names its field and stores nothing', async t => {
  const refused = { template: 'tcp-check', key: 'no', name: 'No', meta: { ...watched, host: 'a:1', port: 1 } }
  t.match(await api('POST', resources, refused), { status: 422, error: { details: { field: 'host' } } })
  t.equal((await api('GET', `${resources}/no`)).status, 404)
})

t.test('command line makes one, and shows what it watches', async t => {
  const answers = ['--meta', 'host=localhost', '--meta', `port=${echo}`, '--meta', `locations=${location}`]
  t.match(await command(['resource', 'create', 'A port', '--template', 'tcp-check', ...answers]), { code: 0, stdout: 'a-port\n' })
  t.match((await command(['check', 'kinds'])).stdout, /^tls +target +string .*\n(.+\n)*tcp +host +string /m)
})

t.test('generations 1 and 2 show none of them', async t => {
  for (const path of ['/v1/rules', '/v2/monitoring/websites', '/v2/incidents', '/v2/subjects']) {
    t.strictSame((await api('GET', `${path}?workspace_id=${workspace}`)).result, [], path)
  }
})
