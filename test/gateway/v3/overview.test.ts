// Overview of a workspace and single read of a Template, over HTTP with the real keeper, also at the bounds of the overview. Each title
// cites its rule of docs/reference/v3.md.

import { pino } from 'pino'
import { Registry } from 'prom-client'
import t from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import { facetsOf } from '#shared/incidents/incident-facets.ts'
import { limits } from '#shared/limits/limits.ts'
import { startDirectory } from '../../../services/directory/app.ts'
import { incident, subject } from '../../store/documents.ts'
import { createMemoryHub } from '../../support/bus/memory-bus.ts'
import { createHandClock } from '../../support/hand-clock.ts'
import { createMemoryStore } from '../../support/store/memory-store.ts'
import type { CallOptions } from '../../support/worlds/api-world.ts'
import { startWholeWorld, type WholeWorld } from '../../support/worlds/whole-world.ts'

const minute = 60_000

let world: WholeWorld
let owner: string
t.before(async () => {
  world = await startWholeWorld()
  owner = (await world.addPerson('olga', { w1: 'owner', w2: 'owner' }, { displayName: 'Olga' })).token
})
t.teardown(() => world.stop())

async function call(method: string, path: string, options: CallOptions = {}) {
  const { status, json } = await world.call(method, `/api/v3${path}`, { token: owner, ...options })
  t.ok(status < 300, JSON.stringify(json))
  return json.result
}

const rule = (key: string, confirmAfter: number) => ({
  key,
  action: 'Look.',
  wait: { confirm_after: confirmAfter, recover_after: 120 },
  decision: { signal: key, field: 'status', operator: 'eq', operand: 'problem' },
})
const manifest = (version: number) => ({
  key: 'host',
  version,
  name: `Host ${version}`,
  signals: [
    { key: 'disk', kind: 'event' },
    { key: 'load', kind: 'event' },
  ],
  rules: [rule('disk', 0), rule('load', 600)],
})

const empty = { problem: 0, no_data: 0, unconfirmed: 0, recovering: 0 }

t.test('overview of an empty workspace is empty (v3 9.7)', async t => {
  t.strictSame(await call('GET', '/workspaces/w2/overview'), {
    resources: { ...empty, active: 0, archived: 0, clear: 0 },
    incidents: { open: 0, unacknowledged: 0, counted: 0 },
    rules: [],
    rules_omitted: 0,
    oldest: [],
  })
})

t.test('overview counts each Resource once by its worst Incident, and Incidents by rule (v3 9.7)', async t => {
  await call('POST', '/workspaces/w1/templates', { body: manifest(1) })
  for (const key of ['a', 'b', 'c', 'd', 'e'])
    await call('POST', '/workspaces/w1/resources', { body: { template: 'host', name: key, key } })
  const report = (key: string, signal: string, state: string) =>
    call('POST', `/workspaces/w1/resources/${key}/observations`, { body: { signal, state } })
  await report('a', 'disk', 'problem')
  await report('a', 'load', 'problem')
  await world.clock.advance(minute)
  await report('b', 'load', 'problem')
  await world.clock.advance(minute)
  await report('c', 'disk', 'problem')
  await report('c', 'disk', 'ok')
  await call('POST', '/workspaces/w1/resources/e/archive')
  const [first] = await call('GET', '/workspaces/w1/incidents?resource=a&rule=disk')
  await call('POST', `/workspaces/w1/incidents/${first.id}/acknowledge`)

  const found = await call('GET', '/workspaces/w1/overview')
  t.strictSame(found.resources, { ...empty, active: 4, archived: 1, clear: 1, problem: 1, unconfirmed: 1, recovering: 1 })
  t.strictSame(found.incidents, { open: 4, unacknowledged: 3, counted: 4 })
  t.strictSame(found.rules, [
    { rule: 'disk', open: 2, unacknowledged: 1, ...empty, problem: 1, recovering: 1 },
    { rule: 'load', open: 2, unacknowledged: 2, ...empty, unconfirmed: 2 },
  ])
  t.equal(found.rules_omitted, 0)
  t.strictSame(
    found.oldest.map(({ resource }: { resource: { key: string } }) => resource.key),
    ['a', 'a', 'b', 'c'],
  )
  const listed = await call('GET', '/workspaces/w1/incidents?lifecycle=open')
  t.strictSame(found.oldest, listed.toReversed(), 'as lists show them')
})

t.test('overview reads the oldest 10,000 open Incidents and names 50 rules (v3 9.7)', async t => {
  const store = createMemoryStore()
  const clock = createHandClock()
  const hub = createMemoryHub({ clock })
  const context = { bus: hub.connect(), clock, store, logger: pino({ level: 'silent' }), metrics: new Registry() }
  const service = await startDirectory(context)
  t.teardown(() => service.stop())
  const { ask } = createDirectoryClient(hub.connect(), clock)
  const { counted, rules, oldest } = limits.overview
  await store.insert('subjects', [subject('subject001', { workspaceId: 'w' }), subject('subject002', { workspaceId: 'x' })])
  const opened = (i: number, subjectId = 'subject001') => {
    const facets = facetsOf({ isOpen: true, isConfirmed: true, isAcknowledged: false })
    const placed = { subjectId, workspaceId: subjectId === 'subject001' ? 'w' : 'x', number: i, open: 1 as const, facets }
    return incident(`${subjectId}.${i}`, { ...placed, ruleShown: `rule${i % rules}`, troubleSince: i })
  }
  await store.insert('incidents', [opened(1, 'subject002'), ...Array.from({ length: counted - 1 }, (_, i) => opened(i + 1))])
  t.match(await ask('get-overview', { workspaceId: 'w' }), { open: counted - 1, counted: counted - 1, rulesOmitted: 0 })
  await store.insert('incidents', [opened(counted), { ...opened(counted + 1), ruleShown: 'one more' }])
  const beyond = await ask('get-overview', { workspaceId: 'w' })
  t.match(beyond, { open: counted + 1, unacknowledged: counted + 1, counted, rulesOmitted: 0 })
  t.strictSame(
    beyond.oldest.map(({ openedAt }) => openedAt),
    Array.from({ length: oldest }, (_, i) => i + 1),
  )
  await store.upsert('incidents', [{ ...opened(1), ruleShown: 'one more' }])
  t.match(await ask('get-overview', { workspaceId: 'w' }), { rules: { length: rules }, rulesOmitted: 1 })
})

t.test('key reads the newest revision of a Template, and key with version reads that revision (v3 3.12)', async t => {
  await call('POST', '/workspaces/w1/templates', { body: manifest(3) })
  const listed = await call('GET', '/workspaces/w1/templates')
  const byId = (id: string) => listed.find((one: { id: string }) => one.id === id)
  t.strictSame(await call('GET', '/workspaces/w1/templates/host'), byId('host@3'))
  t.strictSame(await call('GET', '/workspaces/w1/templates/host@1'), byId('host@1'))
  t.strictSame(await call('GET', '/workspaces/w1/templates/website-check'), byId('website-check@1'))
  for (const reference of ['host@2', 'website-check@2', 'none', 'host@', '@1', 'x'.repeat(101), '%00', 'host@1@1']) {
    const { status } = await world.call('GET', `/api/v3/workspaces/w1/templates/${reference}`, { token: owner })
    t.equal(status, 404, reference)
  }
  const { status } = await world.call('GET', '/api/v3/workspaces/w2/templates/host', { token: owner })
  t.equal(status, 404, 'of another workspace')
})
