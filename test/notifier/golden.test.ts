// The exact requests of every kind of message, as real notifiers send them: method, path, headers in their order, and the bytes of the
// body. `golden/requests.jsonl` records them, one to a line. After an intended change of a message: GOLDEN=write npx tap test/notifier/golden.test.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { createNotifierClient } from '#shared/bus/clients/clients.ts'
import type { AlertDocument, AlertFacts } from '#shared/contracts/incidents/alert.ts'
import type { DestinationDocument, SigningSecret } from '#shared/contracts/notifications/destination.ts'
import type { RouteTransition } from '#shared/contracts/resources/template.ts'
import { hour, minute } from '#shared/limits/limits.ts'
import { fieldNames } from '#shared/template/fields.ts'
import { alert, createHouse, destination, facts, startAt, until } from './house.ts'

const file = join(import.meta.dirname, 'golden', 'requests.jsonl')

interface Sent {
  method: string
  path: string
  /** `name: value`. */
  headers: string[]
  body: string
}

/** Receiver that keeps each request as it came, apart from its own port. `waiting`: requests since the last call of `take`. */
async function createRecorder() {
  const sent: Sent[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { rawHeaders, method = '', url = '' } = request
    const headers = rawHeaders.flatMap((name, i) =>
      i % 2 === 1 ? [] : [`${name}: ${name === 'host' ? 'HOST' : rawHeaders[i + 1]}`],
    )
    sent.push({ method, path: url, headers, body: Buffer.concat(chunks).toString() })
    response.writeHead(200).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    host: `127.0.0.1:${port}`,
    take: async (): Promise<Sent> => {
      await until(() => sent.length > 0, 'a request')
      return sent.shift() as Sent
    },
    close: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    },
  }
}

const secretOf = (letter: string, expiresAt: number | null): SigningSecret => ({
  id: letter,
  secret: `whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`,
  createdAt: 0,
  expiresAt,
})
const payload = (number: number, template: string) => ({
  id: `t${number}`,
  rev: 1,
  number,
  workspaceId: 'workspace-one',
  name: `t${number}`,
  nameKey: `t${number}`,
  template,
  createdAt: 0,
  updatedAt: 0,
})
const everyField = fieldNames.map(name => `{{ ${name} }}`).join(' ')
const templates = [payload(1, JSON.stringify({ text: everyField })), payload(2, everyField), payload(3, '{"broken": {{ error }}')]
const payloadTemplates: [name: string, transformationId: number][] = [
  ['a JSON payload template', 1],
  ['a text payload template', 2],
  ['a payload template that does not render', 3],
]

const url = (host: string, user = '') => `http://${user}${host}/hooks/T0/B1?token=hunter2`
type Over = Partial<DestinationDocument>
const receivers: [name: string, over: (host: string) => Over][] = [
  ['slack', () => ({ type: 'slack' })],
  ['slack with a channel', () => ({ type: 'slack', channel: 'ops' })],
  ['webhook', () => ({ type: 'webhook', sendOnOpen: true })],
  [
    'signed webhook',
    () => ({ type: 'webhook', secrets: [secretOf('n', null), secretOf('o', startAt + hour), secretOf('p', 1)] }),
  ],
  ['slack with credentials in its address', host => ({ type: 'slack', url: url(host, 'me:pa%20ss@') })],
  ...payloadTemplates.flatMap(([name, transformationId]): [string, () => Over][] => [
    [`slack with ${name}`, () => ({ type: 'slack', channel: 'ops', transformationId })],
    [`webhook with ${name}`, () => ({ type: 'webhook', transformationId })],
  ]),
]

const ended = { confirmedAt: startAt - 12 * minute, closedAt: startAt - 2 * minute, troubleSince: startAt - 14 * minute }
const cause = { input: 'de01', isLocation: true, reason: 'status 503, expected <200>', at: startAt, isSilence: false }
const silent = { failing: [], unknown: ['de01', 'us01'], error: '', silence: { lastAt: startAt - 2 * minute } }
const ofSubject: Partial<AlertFacts> = {
  template: null,
  ruleName: 'Too <deep> & "wide"',
  ruleKey: 'too-deep',
  failing: [],
  unknown: [],
  ok: [],
  error: 'disk `full` <!channel>',
  url: '',
  subjectName: 'Queue API',
  problems: [
    { of: 'signal', signal: 'depth', number: { value: 150, compare: '>', threshold: 100 } },
    { of: 'rule', name: 'Over\nall' },
  ],
}
const ofTemplate: Partial<AlertFacts> = {
  action: 'Restart the host. <now>',
  ruleKey: 'host_down',
  subjectName: 'srv-0042',
  resourceKey: 'srv-0042',
  template: 'paged@2',
  url: '',
  failing: [],
  unknown: [],
  ok: [],
  error: '',
  explanation: 'probe problem, load 0.1',
  reasons: [{ signal: 'probe', text: 'no `route`\nto <host>' }],
  comparisons: {
    inputs: [
      { signal: 'probe', status: 'problem', atUs: (startAt - 1_000) * 1_000, reason: 'no route' },
      { signal: 'rate', unresolved: 'no value', baseline: { days: 7, required: 5, samples: 0, median: null } },
    ],
    omitted: 0,
    truncated: false,
  },
}
const opening = { confirmedAt: null }
const messages: [name: string, over: Partial<AlertDocument>, changed: Partial<AlertFacts>][] = [
  ['problem', {}, {}],
  ['problem at several locations', {}, { failing: ['de01', 'fr01'], ok: ['us01'], unknown: [] }],
  ['problem of a rule of a subject', {}, ofSubject],
  ['problem of a rule of a Template', {}, ofTemplate],
  ['reminder', { reminder: true, decidedAt: startAt + 4 * hour }, {}],
  ['reminder of a rule of a Template', { reminder: true, decidedAt: startAt + 4 * hour }, ofTemplate],
  ['no data', { kind: 'no_data' }, silent],
  ['no data of a rule of a subject', { kind: 'no_data' }, { ...ofSubject, error: '', problems: [] }],
  ['recovery', { kind: 'recovery' }, { ...ended, cause }],
  ['recovery of a rule of a Template', { kind: 'recovery' }, { ...ofTemplate, ...ended, condition: 'ok', reasons: [] }],
  ['acknowledged', { kind: 'acknowledged' }, { acknowledgedBy: 'Ada <x>' }],
  ['acknowledged of a rule of a Template', { kind: 'acknowledged' }, { ...ofTemplate, acknowledgedBy: 'Ada <x>' }],
  ['opened', { kind: 'opened' }, opening],
  ['opened of a rule of a Template', { kind: 'opened' }, { ...ofTemplate, ...opening }],
  ['problem first told after maintenance', { decidedAt: startAt + hour }, { troubleSince: startAt - hour }],
]

t.test('every kind of message is sent with the recorded bytes to every kind of destination', async t => {
  const recorder = await createRecorder()
  t.teardown(() => recorder.close())
  const found: { message: string; sent: Sent }[] = []
  for (const [receiver, over] of receivers) {
    for (const [message, ...changes] of messages) {
      found.push({ message: `${message}, ${receiver}`, sent: await sentFor(recorder, over(recorder.host), ...changes) })
    }
    found.push({ message: `test, ${receiver}`, sent: withoutIds(await sentFor(recorder, over(recorder.host), null)) })
  }
  for (const isSigned of [true, false]) {
    const sent = withoutIds(await operatorMessage(recorder, isSigned))
    found.push({ message: `operator message${isSigned ? ', signed' : ''}`, sent })
  }
  const lines = found.map(one => JSON.stringify(one))
  if (process.env['GOLDEN'] === 'write') writeFileSync(file, `${lines.join('\n')}\n`)
  const recorded = readFileSync(file, 'utf8').trimEnd().split('\n')
  for (const [i, line] of lines.entries()) t.equal(line, recorded[i], found[i]?.message ?? line)
  t.equal(lines.length, recorded.length)
})

type Recorder = Awaited<ReturnType<typeof createRecorder>>

/** Returns the request that a notifier makes of a stored alert; `message` null: of a test message. */
async function sentFor(
  { host, take }: Recorder,
  to: Over,
  message: Partial<AlertDocument> | null,
  changed: Partial<AlertFacts> = {},
): Promise<Sent> {
  const house = createHouse()
  const place = { rev: 1, displayName: null, createdAt: 0 }
  const one = { ...destination('one', url(host), to), number: 1 }
  await house.store.insert('destinations', [one])
  await house.store.insert('transformations', templates)
  await house.store.insert('workspaces', [{ id: 'workspace-one', rev: 1, name: 'Acme <1>' } as never])
  await house.store.upsert('locations', [
    { ...place, id: 'de01', name: 'de' },
    { ...place, id: 'fr01', name: 'fr' },
  ])
  const told = { facts: { ...facts, ...changed, routing: { routes: [{ destination: 'one', on: allTransitions }] } } }
  const isOpening = message?.kind === 'opened' || message?.kind === 'acknowledged'
  const sendOnOpen = isOpening && one.type === 'webhook' ? [{ ...one, rev: 2, sendOnOpen: true }] : []
  await house.store.replace('destinations', sendOnOpen)
  if (message !== null) await house.store.insert('alerts', [{ ...alert('one', 'a1b2c3d4e5', 1, message), ...told }])
  // Destinations that ask for no acknowledge link get the same bytes with and without a public address.
  const service = await house.start('n1', { linkBase: 'https://status.example.com' })
  if (message === null) await createNotifierClient(house.connect(), house.clock).sendTest({ destinationId: 'one' })
  else house.nudge('a1b2c3d4e5.1.a1')
  const sent = await take()
  await house.stop(service)
  return sent
}
const allTransitions: RouteTransition[] = ['opened', 'problem', 'no_data', 'recovery', 'acknowledged']

/** Returns the message about a full disk. */
async function operatorMessage({ host, take }: Recorder, isSigned: boolean): Promise<Sent> {
  const house = createHouse()
  const room = { freeBytes: 1_000_000, totalBytes: 100_000_000_000 }
  const store = { ...house.store, room: async () => room }
  const operatorWebhook = { url: url(host, isSigned ? '' : 'me:pass@'), secret: isSigned ? secretOf('o', null).secret : null }
  const service = await house.start('n1', { store, operatorWebhook })
  const sent = await take()
  await house.stop(service)
  return sent
}

/** Replaces the random id of a message, and the signature that depends on it. */
const withoutIds = ({ headers, ...sent }: Sent): Sent => ({
  ...sent,
  headers: headers.map(line => line.replace(/: msg_[\w-]{27}$/, ': msg_ID').replaceAll(/v1,[\w+/]{43}=/g, 'v1,SIGNATURE')),
})
