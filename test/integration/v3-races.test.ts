// Callers of generation 3 at the same thing at the same time, over HTTP with the real keeper, on both stores. Of two that exclude each other exactly
// one wins, each response agrees with what is stored, and nothing is stored behind an archive. Each title cites its rule of docs/reference/v3.md.
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { createSystemClock } from '#shared/clock.ts'
import { openStore } from '#shared/store/open-store.ts'
import type { Store } from '#shared/store/port.ts'
import { startDirectory } from '../../services/directory/app.ts'
import { createGateway } from '../../services/gateway/app.ts'
import { startKeeper } from '../../services/keeper/app.ts'
import { addPerson, call, incidentSalt, version } from '../support/api-world.ts'
import { createMemoryHub } from '../support/memory-bus.ts'
import { startSecantus } from '../support/secantus.ts'

const logger = pino({ level: 'silent' })
const holds = { confirmAfterMs: 120_000, closeAfterMs: 120_000 }

/** A problem at `probe` opens and confirms at once; revision 2 looks at `load` instead. */
const revision = (key: string, number: number) => ({
  key,
  version: number,
  name: 'Host',
  fields: [{ key: 'team', type: 'string', default: 'core' }],
  signals: [
    { key: 'probe', kind: 'event' },
    { key: 'load', kind: 'event' },
  ],
  rules: [
    {
      key: 'down',
      action: 'Look.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: { signal: number === 1 ? 'probe' : 'load', field: 'status', operator: 'eq', operand: 'problem' },
    },
  ],
})

type Stage = Awaited<ReturnType<typeof setStage>>

async function setStage(t: Test, store: Store) {
  const clock = createSystemClock()
  const hub = createMemoryHub({ clock })
  const around = () => ({ bus: hub.connect(), clock, logger, metrics: new Registry(), store })
  const directory = await startDirectory(around())
  const keeper = await startKeeper(around(), { keeperId: 'keeper', exclusive: true, incidentSalt, ...holds })
  const { fastify, service } = await createGateway(around(), { version, incidentSalt })
  await fastify.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(async () => {
    await service.stop()
    await keeper.stop()
    await directory.stop()
    clock.stop()
    await store.close()
  })
  const base = `http://127.0.0.1:${(fastify.server.address() as AddressInfo).port}`
  const { token } = await addPerson({ store, clock }, 'olga', { w1: 'owner' })
  const api = async (method: string, path: string, body?: object) => {
    const sent = { token, ...(body === undefined ? {} : { body }) }
    const { status, json } = await call(base, method, `/api/v3/workspaces/w1${path}`, sent)
    return { status, result: json.result, details: json.error?.details ?? null }
  }
  const create = async (key: string) => (await api('POST', '/resources', { template: 'host@1', key, name: key })).result
  const rows = (id: string) => store.find('pushedObservations', { where: { id: { gte: id, lt: `${id}~` } }, limit: 1_000 })
  for (const number of [1, 2, 3]) await api('POST', '/templates', revision('host', number))
  return { store, api, create, rows }
}

const statuses = (answers: readonly { status: number }[]): number[] => answers.map(({ status }) => status).sort((a, b) => a - b)

/** All but one lose. */
const oneOf = (count: number, won: number, lost: number): number[] => [won, ...Array(count - 1).fill(lost)]

const races: Record<string, (t: Test, stage: Stage, rounds: number) => Promise<void>> = {
  'v3 3.2 of publications of one revision at once one is 201, the others 409': racePublications,
  'v3 6.1 of creations of one key at once one is 201, the others 409 key': raceCreations,
  'v3 6.4 an archive and reports: 202 is in the log, 422 resource is not, and nothing is stored later': raceArchive,
  'v3 6.5 a rebind and reports: all are stored, and the bound revision judges the newest': raceRebind,
  'v3 6.5 of rebinds to one revision at once one is 200, the others 422 template': raceRebinds,
  'v3 5.6 of acknowledgements at once one is 200, the others 409': raceAcknowledgements,
  'v3 6.3 changes at once: none is lost, and each response has its own': raceChanges,
  'v3 7.2 a sent id at once, alone and in batches: one Observation, one response': raceIds,
}

const stages: [title: string, open: (t: Test) => Promise<Store | null>, rounds: number][] = [
  ['SQLite', async t => openStore({ dataFolder: t.testdir(), logger }), 6],
  [
    'the MongoDB wire protocol',
    async t => {
      const secantus = await startSecantus()
      if (secantus === null) return null
      t.teardown(() => secantus.stop())
      return openStore({ mongodbUrl: `${secantus.url}/v3-races`, dataFolder: '', logger })
    },
    3,
  ],
]

for (const [title, open, rounds] of stages) {
  t.test(title, { timeout: 240_000 }, async t => {
    const store = await open(t)
    if (store === null) return t.comment('skipped: SecantusDB could not be installed')
    const stage = await setStage(t, store)
    for (const [name, race] of Object.entries(races)) await t.test(name, t => race(t, stage, rounds))
  })
}

async function racePublications(t: Test, { store, api }: Stage, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const key = `t${round}`
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, i) => api('POST', '/templates', { ...revision(key, 1), name: `Of ${i}` })),
    )
    t.strictSame(statuses(answers), oneOf(4, 201, 409))
    const [stored, ...others] = await store.find('templates', { where: { workspaceId: 'w1', key }, limit: 10 })
    t.strictSame([stored?.template.name, others], [answers.find(({ status }) => status === 201)?.result.name, []])
  }
}

async function raceCreations(t: Test, { store, api }: Stage, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const key = `created-${round}`
    const body = { template: 'host@1', key, name: 'Host' }
    const answers = await Promise.all(Array.from({ length: 4 }, () => api('POST', '/resources', body)))
    t.strictSame(statuses(answers), oneOf(4, 201, 409))
    for (const { status, details } of answers) if (status === 409) t.strictSame(details, { field: 'key' })
    const stored = await store.find('subjects', { where: { slug: key, workspaceId: 'w1' }, limit: 10 })
    t.strictSame(
      stored.map(({ id }) => id),
      [answers.find(({ status }) => status === 201)?.result.id],
    )
  }
}

async function raceArchive(t: Test, { api, create, rows }: Stage, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const key = `archived-${round}`
    const { id } = await create(key)
    const report = (i: number) => ({ signal: 'probe', state: 'problem', id: `run-${i}` })
    const batch = { observations: [6, 7].map(i => ({ resource: key, ...report(i) })) }
    const single = (i: number) => api('POST', `/resources/${key}/observations`, report(i))
    // Half of the reports are on their way when the archive comes.
    const early = [0, 1, 2].map(single)
    const archiving = api('POST', `/resources/${key}/archive`)
    const [archived, batched, ...answers] = await Promise.all([
      archiving,
      api('POST', '/observations', batch),
      ...early,
      ...[3, 4, 5].map(single),
    ])
    t.equal(archived.status, 200)
    const items: { status: string; observation?: string; error?: { code: number; details: object } }[] = batched.result.results
    const taken = [
      ...answers.flatMap(({ status, result }) => (status === 202 ? [result.observation] : [])),
      ...items.flatMap(({ status, observation }) => (status === 'accepted' ? [observation] : [])),
    ]
    for (const { status, details } of answers) if (status !== 202) t.strictSame([status, details], [422, { field: 'resource' }])
    for (const { error } of items) if (error) t.match(error, { code: 1422, details: { field: 'resource' } })
    const log = await api('GET', `/resources/${key}/observations`)
    const logged = log.result.map((entry: { id: string }) => entry.id)
    t.strictSame(logged.sort(), taken.sort(), 'the log has what was answered 202, and nothing else')
    t.equal((await single(8)).status, 422)
    t.equal((await rows(id)).length, taken.length, 'nothing is stored after the archive')
    const { result } = await api('GET', `/resources/${key}`)
    t.strictSame([result.open_incident, result.archived_at], [null, archived.result.archived_at])
    const incidents = await api('GET', `/resources/${key}/incidents`)
    const reasons = incidents.result.map((one: { closed_reason: string }) => one.closed_reason)
    t.strictSame(reasons, taken.length > 0 ? ['resource_archived'] : [])
    t.equal((await api('POST', `/resources/${key}/archive`)).status, 409)
  }
}

async function raceRebind(t: Test, { api, create, rows }: Stage, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const key = `bound-${round}`
    const { id } = await create(key)
    const send = (signal: string, state: string, i: number) =>
      api('POST', `/resources/${key}/observations`, { signal, state, id: `${signal}-${i}` })
    const [rebound, ...answers] = await Promise.all([
      api('POST', `/resources/${key}/rebind`, { template: 'host@2' }),
      ...[1, 2, 3].flatMap(i => [send('probe', 'problem', i), send('load', 'problem', i)]),
    ])
    t.strictSame([rebound.status, rebound.result.template], [200, 'host@2'])
    t.strictSame(new Set(statuses(answers)), new Set([202]))
    t.equal((await rows(id)).length, answers.length)
    const { result } = await api('GET', `/resources/${key}`)
    t.match(result, { template: 'host@2', rules: [{ status: 'problem', signals: ['load'] }] })
    const incidents = await api('GET', `/resources/${key}/incidents`)
    const open = incidents.result.filter((one: { lifecycle: string }) => one.lifecycle === 'open')
    t.strictSame([open.length, open[0]?.id], [1, result.open_incident.id], 'one Incident is open')
    for (const one of incidents.result) if (one.lifecycle === 'closed') t.equal(one.closed_reason, 'rule_removed')
  }
}

async function raceRebinds(t: Test, { api, create }: Stage, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const key = `rebound-${round}`
    await create(key)
    const to = (number: number) => api('POST', `/resources/${key}/rebind`, { template: `host@${number}` })
    const same = await Promise.all([to(2), to(2), to(2)])
    t.strictSame(statuses(same), oneOf(3, 200, 422))
    for (const { status, details } of same) if (status === 422) t.strictSame(details, { field: 'template' })
    // Of two different ones both happen, and the later one stays.
    const others = await Promise.all([to(1), to(3)])
    t.strictSame(statuses(others), [200, 200])
    const { result } = await api('GET', `/resources/${key}`)
    t.ok(['host@1', 'host@3'].includes(result.template))
  }
}

async function raceAcknowledgements(t: Test, { api, create }: Stage, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const key = `taken-${round}`
    await create(key)
    await api('POST', `/resources/${key}/observations`, { signal: 'probe', state: 'problem' })
    const { result } = await api('GET', `/resources/${key}`)
    const path = `/incidents/${result.open_incident.id}`
    const answers = await Promise.all(Array.from({ length: 4 }, () => api('POST', `${path}/acknowledge`)))
    t.strictSame(statuses(answers), oneOf(4, 200, 409))
    const won = answers.find(({ status }) => status === 200)?.result
    t.strictSame((await api('GET', path)).result.acknowledgement, won.acknowledgement)
  }
}

async function raceChanges(t: Test, { api, create }: Stage, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const key = `changed-${round}`
    await create(key)
    const change = (body: object) => api('PATCH', `/resources/${key}`, body)
    const [named, answered, ...labelled] = await Promise.all([
      change({ name: 'Renamed' }),
      change({ meta: { team: 'shop' } }),
      ...['a', 'b', 'c', 'd'].map(label => change({ labels: { [label]: label } })),
    ])
    t.strictSame(new Set(statuses([named, answered, ...labelled])), new Set([200]))
    t.equal(named.result.name, 'Renamed')
    t.equal(answered.result.meta.team, 'shop')
    for (const [i, label] of ['a', 'b', 'c', 'd'].entries()) t.equal(labelled[i]?.result.labels[label], label)
    const { result } = await api('GET', `/resources/${key}`)
    t.match(result, { name: 'Renamed', meta: { team: 'shop' }, labels: { a: 'a', b: 'b', c: 'c', d: 'd' } })
  }
}

async function raceIds(t: Test, { api, create, rows }: Stage, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const key = `sent-${round}`
    const { id } = await create(key)
    const report = (value: number) => ({ signal: 'probe', state: 'ok', value, id: 'one' })
    const single = (value: number) => api('POST', `/resources/${key}/observations`, report(value))
    const batch = (values: number[]) =>
      api('POST', '/observations', { observations: values.map(value => ({ resource: id, ...report(value) })) })
    const [first, second, both, third] = await Promise.all([single(1), single(2), batch([3, 4]), single(5)])
    t.strictSame(statuses([first, second, third]), [202, 202, 202])
    t.equal(both.result.accepted, 2)
    const answers = [first, second, third].map(({ result }) => result)
    for (const { index: _index, status: _status, ...item } of both.result.results) answers.push(item)
    for (const answer of answers) t.strictSame(answer, answers[0], 'each response is the first one')
    t.equal((await rows(id)).length, 1)
  }
}
