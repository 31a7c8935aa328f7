// Template revisions that are missing or damaged in the store, in whole installations with real HTTP, on both stores: the response of each
// route, and the messages to the operator. Each title cites its rule of docs/reference/v3.md.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { MongoClient } from 'mongodb'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { allSystemTemplates } from '#shared/manifest/system-templates.ts'
import { openStore } from '#shared/store/open-store.ts'
import type { Store } from '#shared/store/port.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { readAllSettings } from '../../infra/runtime/all-settings.ts'
import { followCollector } from '../../infra/runtime/collector-pace.ts'
import { decideRunMode } from '../../infra/runtime/run-mode.ts'
import { startServices } from '../../infra/runtime/services.ts'
import { createWaiting } from '../../infra/runtime/waiting.ts'
import { startTestBus } from '../support/bus/nats.ts'
import { presentLevel } from '../support/present-level.ts'
import { startSecantus } from '../support/store/secantus.ts'
import { addPerson, call } from '../support/worlds/api-world.ts'
import { until } from './custom-stage.ts'

const clock = createSystemClock()
t.teardown(() => clock.stop())

/** An open store, and a function that damages a stored revision so that no reader of Templates accepts it. */
interface Opened {
  store: Store
  environment: Record<string, string>
  damage(id: string): Promise<void>
}

async function openSqlite(t: Test): Promise<Opened> {
  const dataFolder = t.testdir()
  const store = await openStore({ dataFolder, logger: pino({ level: 'silent' }) })
  const damage = async (id: string) => {
    const file = new DatabaseSync(join(dataFolder, 'watchkeeper.db'))
    file.prepare("UPDATE templates SET body = 'no JSON' WHERE id = ?").run(id)
    file.close()
  }
  return { store, environment: { DATA_DIR: dataFolder }, damage }
}

async function openMongodb(t: Test): Promise<Opened | null> {
  const secantus = await startSecantus()
  if (secantus === null) return null
  t.teardown(() => secantus.stop())
  const mongodbUrl = `${secantus.url}/unusable`
  const store = await openStore({ mongodbUrl, dataFolder: '', logger: pino({ level: 'silent' }) })
  const damage = async (id: string) => {
    const client = await new MongoClient(mongodbUrl).connect()
    const templates = client.db().collection<{ _id: string }>('templates')
    await templates.updateOne({ _id: id }, { $set: { template: 'no Template' } })
    await client.close()
  }
  return { store, environment: { DATA_DIR: t.testdir(), MONGODB_URL: mongodbUrl }, damage }
}

/** Starts a receiver of messages to the operator. */
async function startReceiver(t: Test) {
  const told: { type: string; text: string; data: { details: Record<string, unknown> } }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    told.push(JSON.parse(body))
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/operator`, told }
}

/** Starts the services like `npm start`; `restart` starts them again on the same store and bus. */
async function setStage(t: Test, { store, environment }: Opened) {
  const bus = await startTestBus()
  const receiver = await startReceiver(t)
  const logged: Record<string, unknown>[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
  const settings = readAllSettings({
    ...environment,
    PORT: '0',
    OPS_PORT: '0',
    SQIDS_SALT: 'salt',
    OPERATOR_WEBHOOK_URL: receiver.url,
  })
  let starts = 0
  let metrics = new Registry()
  const start = async () => {
    starts += 1
    metrics = new Registry()
    return startServices(
      { bus: await bus.connect(`start ${starts}`, { declare: true }), clock, logger, metrics },
      { store, level: presentLevel() },
      {
        settings,
        mode: decideRunMode(settings),
        version: '2.0.0',
        incidentSalt: 'salt',
        secretsKey: '',
        processId: `process ${starts}`,
        proberIssuer: null,
        locationId: '',
        busAddress: { url: bus.url, token: bus.token, credentialsFile: '', ownMachine: true },
        pace: followCollector(clock),
        waiting: createWaiting(clock, logger, false),
      },
    )
  }
  let services = await start()
  t.teardown(async () => {
    await services.stop()
    await bus.stop()
    await store.close()
  })
  const { token } = await addPerson({ store, clock }, 'olga', { w1: 'owner' })
  return {
    receiver,
    logged,
    metrics: () => metrics.metrics(),
    warnings: () => services.warnings(),
    /** Stops the services, runs `between`, and starts the services again. */
    restart: async (between: () => Promise<unknown> = async () => undefined) => {
      await services.stop()
      await between()
      services = await start()
    },
    send: async (method: string, path: string, body?: unknown) => {
      const sent = { token, ...(body === undefined ? {} : { body }) }
      const { status, json } = await call(services.url as string, method, path, sent)
      return { status, result: json.result, error: json.error }
    },
    api: async (method: string, path: string, body?: unknown) => {
      const sent = { token, ...(body === undefined ? {} : { body }) }
      const { status, json } = await call(services.url as string, method, `/api/v3/workspaces/w1${path}`, sent)
      return { status, result: json.result, error: json.error }
    },
  }
}

type Stage = Awaited<ReturnType<typeof setStage>>

/** Returns a revision whose rule reads `probe`: a problem opens an Incident, which is confirmed at once. */
const revision = (key: string, version: number, destination: string) => ({
  key,
  version,
  name: 'Host',
  fields: [{ key: 'team', type: 'string', default: 'core' }],
  signals: [{ key: 'probe', kind: 'event' }],
  rules: [
    {
      key: 'down',
      action: 'Look.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: { signal: 'probe', field: 'status', operator: 'eq', operand: 'problem' },
      routes: [{ destination, on: ['problem', 'acknowledged'] }],
    },
  ],
})

const problem = { signal: 'probe', state: 'problem', reason: 'disk full' }

/**
 * Creates Resources of three revisions, each Resource with an open Incident. Then damages two of the revisions, and restarts the services.
 */
async function ruinTwo({ api, restart }: Stage, { store, damage }: Opened) {
  const destinations: Record<string, string> = {}
  for (const name of ['well', 'hurt', 'gone', 'newer']) {
    const sent = { name, type: 'webhook', url: `https://hooks.example/${name}`, enabled: false }
    destinations[name] = (await api('POST', '/destinations', sent)).result.id
  }
  const incidents: Record<string, string> = {}
  for (const key of ['well', 'hurt', 'gone']) {
    await api('POST', '/templates', revision(key, 1, destinations[key] as string))
    for (const resource of [key, `${key}-2`]) {
      await api('POST', '/resources', { template: `${key}@1`, key: resource, name: resource })
      await api('POST', `/resources/${resource}/observations`, problem)
    }
    incidents[key] = (await api('GET', `/resources/${key}`)).result.open_incident.id
  }
  // Two Templates have an intact higher revision. In the third, the damaged revision is the highest.
  for (const key of ['hurt', 'gone']) await api('POST', '/templates', revision(key, 2, destinations['newer'] as string))
  await api('POST', '/templates', revision('top', 1, destinations['newer'] as string))
  await api('POST', '/templates', revision('top', 2, destinations['newer'] as string))
  await restart(async () => {
    await damage('w1/hurt@1')
    await damage('w1/top@2')
    await store.delete('templates', ['w1/gone@1'])
  })
  return { destinations, incidents }
}

const stores: [title: string, open: (t: Test) => Promise<Opened | null>][] = [
  ['the embedded store', openSqlite],
  ['the MongoDB wire protocol', openMongodb],
]

for (const [title, open] of stores) {
  t.test(`unusable Templates on ${title}`, { timeout: 240_000 }, async t => {
    const opened = await open(t)
    if (opened === null) return t.comment('skipped: no server of the MongoDB wire protocol')
    const stage = await setStage(t, opened)
    const ruined = await ruinTwo(stage, opened)
    await t.test('list is complete with damaged revisions (v3 4.13)', t => checkLists(t, stage))
    for (const [key, fault] of [
      ['hurt', 'damaged'],
      ['gone', 'missing'],
    ] as const)
      await t.test(`Resource and its Incident are read, acknowledged and muted when its Template is ${fault} (v3 4.12)`, t =>
        checkResource(t, stage, { key, fault, incident: ruined.incidents[key] as string }),
      )
    await t.test('request that names an unusable revision is refused with its field (v3 4.13)', t => checkRequests(t, stage))
    await t.test('operator is notified once of an unusable Template over restarts (v3 4.12)', t =>
      checkOperator(t, stage, opened),
    )
    await t.test('destination of a damaged revision can be deleted, and its Resources can be rebound (v3 4.13)', t =>
      checkLeaving(t, stage, ruined),
    )
  })
}

async function checkLists(t: Test, { api, logged }: Stage): Promise<void> {
  const published = await api('GET', '/templates')
  t.strictSame(
    published.result?.map(({ id }: { id: string }) => id),
    [...allSystemTemplates().map(({ key, version }) => `${key}@${version}`), 'gone@2', 'hurt@2', 'top@1', 'well@1'],
  )
  for (const damaged of ['hurt@1', 'top'])
    t.match(await api('GET', `/templates/${damaged}`), { status: 404, error: { message: /damaged/ } }, damaged)
  t.match(await api('GET', '/templates/hurt'), { status: 200, result: { id: 'hurt@2' } })
  t.match(await api('GET', '/overview'), { status: 200 })
  const line = logged.find(({ msg }) => msg === 'template revision is damaged')
  t.match(line, { level: 50, service: 'directory', workspaceId: 'w1', template: 'hurt@1' })
  const keysOf = async (path: string, key: (one: never) => string) => {
    const { status, result, error } = await api('GET', path)
    t.equal(status, 200, `${path} ${JSON.stringify(error)}`)
    return result?.map(key).sort()
  }
  const resources = (query: string) => keysOf(`/resources${query}`, ({ key }: { key: string }) => key)
  const all = ['gone', 'gone-2', 'hurt', 'hurt-2', 'well', 'well-2']
  t.strictSame(await resources(''), all)
  t.strictSame(await resources('?template=hurt@1'), ['hurt', 'hurt-2'])
  t.strictSame(await resources('?template=hurt&meta.team=core'), ['hurt', 'hurt-2'], 'as the highest whole revision declares it')
  t.strictSame(await resources('?template=gone&meta.team=core'), ['gone', 'gone-2'])
  t.strictSame(await resources('?template=top&meta.team=core'), [], 'as the revision below the damaged one declares it')
  const incidents = (query: string) => keysOf(`/incidents${query}`, ({ resource }: { resource: { key: string } }) => resource.key)
  t.strictSame(await incidents(''), all)
  t.strictSame(await incidents('?template=hurt&meta.team=core'), ['hurt', 'hurt-2'])
  for (const [query, field] of [
    ['?template=hurt@1&meta.team=core', 'template'],
    ['?template=gone@1&meta.team=core', 'template'],
  ])
    for (const list of ['/resources', '/incidents'])
      t.match(await api('GET', `${list}${query}`), { status: 422, error: { details: { field } } }, `${list}${query}`)
}

interface Unusable {
  key: string
  fault: 'damaged' | 'missing'
  incident: string
}

async function checkResource(t: Test, { api }: Stage, { key, fault, incident }: Unusable): Promise<void> {
  const explanation = `not judged: its Template ${key}@1 is ${fault}`
  const ok = async (method: string, path: string, shows: object, body?: unknown) => {
    const answer = await api(method, path, body)
    t.equal(answer.status, 200, `${method} ${path} ${JSON.stringify(answer.error)}`)
    t.match(answer.result, shows, `${method} ${path}`)
  }
  const one = `/resources/${key}`
  await ok('GET', one, { open_incident: { id: incident, explanation }, rules: [{ status: 'no_data', since: null, explanation }] })
  await ok('GET', `/incidents/${incident}`, { lifecycle: 'open', condition: 'problem', action: 'Look.', explanation, next: null })
  await ok('GET', `${one}/incidents`, [{ id: incident }])
  await ok('GET', `${one}/observations`, [{ signal: 'probe', state: 'problem', reason: 'disk full' }])
  await ok('GET', `/incidents/${incident}/deliveries`, [{ event: 'problem', status: 'held' }])
  await ok('POST', `/incidents/${incident}/acknowledge`, { acknowledgement: { via: 'api' }, explanation, next: null })
  t.match(await api('POST', `/incidents/${incident}/acknowledge`), { status: 409 })
  await ok('PUT', `${one}/maintenance`, { maintenance: { by: 'olga' } }, { minutes: 5 })
  await ok('DELETE', `${one}/maintenance`, { maintenance: null })
  const { result } = await api('GET', `/incidents/${incident}/deliveries`)
  t.strictSame(
    result.map(({ event }: { event: string }) => event),
    ['problem'],
    'nobody knows the routes of its acknowledgement',
  )
}

async function checkRequests(t: Test, { api, send }: Stage): Promise<void> {
  const { result: address } = await api('POST', '/addresses', {})
  const inbox = new URL(address.url).pathname
  const { result: before } = await api('GET', '/resources')
  for (const template of ['hurt@1', 'gone@1', 'top', 'top@2']) {
    const refused = (field: string) => ({ status: 422, error: { details: { field } } })
    t.match(await api('POST', '/templates/preview', { template }), refused('template'), `preview ${template}`)
    t.match(await api('POST', '/resources', { template, name: 'New' }), refused('template'), `create ${template}`)
    t.match(await api('POST', '/resources/well/rebind', { template }), refused('template'), `rebind ${template}`)
    const report = { resource: `new-${template}`, template_id: template, signal: 'probe', state: 'ok' }
    t.match(await send('POST', inbox, report), refused('template_id'), `report ${template}`)
  }
  t.match(await api('POST', '/templates', revision('hurt', 1, address.id)), { status: 422 }, 'no such destination')
  t.strictSame((await api('GET', '/resources')).result, before, 'nothing refused leaves a trace')
}

async function checkOperator(
  t: Test,
  { api, receiver, restart, logged, metrics, warnings }: Stage,
  { store }: Opened,
): Promise<void> {
  const letters = () => store.find('deadLetters', { limit: 10, sort: [['at', 'asc']] })
  t.strictSame(await letters(), [], 'reading, acknowledging and muting set nothing aside')
  t.match(await api('POST', '/resources/hurt/observations', problem), { status: 500, error: { code: 1500 } })
  t.match(await api('POST', '/resources/well/observations', problem), { status: 202 }, 'others go on')
  const [letter] = await letters()
  const reason = 'Template hurt@1 is damaged, so its Resource hurt cannot be judged'
  t.match(letter, { reason })
  t.match(await metrics(), /^watchkeeper_keeper_dead_letters_total 1$/m)
  t.match(
    logged.filter(({ msg }) => msg === 'input became a dead letter'),
    [{ level: 50, subjectId: letter?.subjectId, err: { message: reason } }],
  )
  const counted = (count: number) =>
    until(`${count} counted`, async () => (await store.get('conditions', ['dead_letters']))[0]?.count === count)
  // A notifier checks at its start, and then every 30 s.
  await restart()
  await counted(1)
  await until('the operator is told', async () => receiver.told.length > 0)
  const text = `1 input could not be judged and became dead letters: ${reason}`
  const details = { count: 1, subject_id: letter?.subjectId, reason }
  t.match(receiver.told, [{ type: 'dead_letters.found', text, data: { details } }])
  t.match(await metrics(), /^watchkeeper_notifier_conditions\{kind="dead_letters",name="dead letters"\} 1$/m)
  t.match(warnings(), [text])
  t.match(
    logged.filter(({ msg }) => msg === 'dead letters found'),
    [{ level: 40, count: 1, reason }],
  )

  for (const key of ['hurt', 'gone']) t.match(await api('POST', `/resources/${key}/observations`, problem), { status: 500 })
  await restart()
  await counted(3)
  t.equal(receiver.told.length, 1, 'counted, and no second message')
  t.equal(logged.filter(({ msg }) => msg === 'dead letters found').length, 1)
}

async function checkLeaving(t: Test, { api }: Stage, { destinations }: Awaited<ReturnType<typeof ruinTwo>>): Promise<void> {
  const remove = (name: string) => api('DELETE', `/destinations/${destinations[name]}`)
  const used = (used_by: string) => ({ status: 422, error: { details: { used_by } } })
  t.match(await remove('well'), used('Template well@1 Rule down; Resource well Rule down; Resource well-2 Rule down'))
  t.match(await remove('newer'), used('Template gone@2 Rule down; Template hurt@2 Rule down; Template top@1 Rule down'))
  for (const name of ['hurt', 'gone']) t.match(await remove(name), { status: 200 }, `an unusable revision uses nothing: ${name}`)
  for (const key of ['hurt', 'gone']) {
    t.match(await api('POST', `/resources/${key}/rebind`, { template: 'well' }), { status: 200, result: { template: 'well@1' } })
    t.match(await api('POST', `/resources/${key}/observations`, problem), { status: 202 })
    t.match(await api('POST', `/resources/${key}-2/archive`), { status: 200 })
  }
  t.match(await api('GET', '/resources?state=all'), { status: 200 })
}
