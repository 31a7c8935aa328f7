// Template revisions in the directory (docs/reference/v3.md, section 3): published once, listed in pages, found by key and version.
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { startDirectory } from '../../services/directory/app.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'

async function start(t: Test, store: Store) {
  const clock = createHandClock()
  const hub = createMemoryHub({ clock })
  const around = { bus: hub.connect(), clock, store, logger: pino({ level: 'silent' }), metrics: new Registry() }
  const service = await startDirectory(around)
  t.teardown(() => service.stop())
  const { ask } = createDirectoryClient(hub.connect(), clock)
  return {
    ask,
    publish: (manifest: unknown, workspaceId = 'w1') => ask('publish-template', { workspaceId, manifest }),
    get: (reference: string, workspaceId = 'w1') => ask('get-template', { workspaceId, reference }),
  }
}

function onEachStore(title: string, run: (t: Test, store: Store) => Promise<void>): void {
  t.test(`${title}, on the memory store`, t => run(t, createMemoryStore()))
  t.test(`${title}, on sqlite`, async t => {
    const store = await openSqliteStore(join(t.testdir(), 'templates.db'))
    t.teardown(() => store.close())
    await run(t, store)
  })
}

const manifest = (version: number, more: object = {}) => ({
  key: 'host',
  version,
  name: 'Host',
  signals: [{ key: 'probe', kind: 'heartbeat', every_seconds: 60 }],
  rules: [
    {
      key: 'down',
      action: 'Restart it',
      wait: { confirm_after: 60, recover_after: 60 },
      decision: { signal: 'probe', field: 'status', operator: 'eq', operand: 'problem' },
    },
  ],
  ...more,
})

onEachStore('revision is published once, and a bare key means the highest version (v3 3.2)', async (t, store) => {
  const { publish, get } = await start(t, store)
  for (const version of [2, 10, 1]) await publish(manifest(version, { summary: `number ${version}` }))
  t.match(await get('host'), { version: 10 }, 'highest by number')
  t.match(await get('host@1'), { version: 1, summary: 'number 1' })
  t.equal(await get('host@3'), null)
  t.equal(await get('host', 'w2'), null, 'of its workspace alone')
  const refused = { code: 'invalid_state', message: 'Template revision exists' }
  await t.rejects(publish(manifest(2)), refused, 'other words')
  await t.rejects(publish(manifest(2, { summary: 'number 2' })), refused, 'the same words')
  t.match(await get('host@2'), { summary: 'number 2' }, 'nothing changed')
})

onEachStore('one of two concurrent publications of a revision is stored (v3 3.2)', async (t, store) => {
  const { publish, get } = await start(t, store)
  const names = ['One', 'Two', 'Three']
  const results = await Promise.allSettled(names.map(name => publish(manifest(1, { name }))))
  const won = results.flatMap(result => (result.status === 'fulfilled' ? [result.value.name] : []))
  t.equal(won.length, 1)
  t.match(await get('host'), { name: won[0] })
})

onEachStore('manifest is refused with its dotted place and not stored (v3 1.4)', async (t, store) => {
  const { ask, publish } = await start(t, store)
  const rows: [sent: unknown, code: string, field: string][] = [
    [manifest(1, { url: 'x' }), 'malformed', 'url'],
    [manifest(0), 'validation', 'version'],
    [manifest(1, { key: 'website-check' }), 'validation', 'key'],
    ['host', 'malformed', ''],
  ]
  for (const [sent, code, field] of rows) {
    await t.rejects(publish(sent), { code, facts: { field } }, field)
    await t.rejects(
      ask('read-manifest', { workspaceId: 'w1', manifest: sent }),
      { code, facts: { field } },
      `${field}: read alone`,
    )
  }
  t.equal(await store.count('templates', {}), 0)
})

onEachStore('destination is resolved by name when the Template is published (v3 3.9)', async (t, store) => {
  const { ask, publish } = await start(t, store)
  const fields = { type: 'webhook' as const, url: 'https://hooks.example/x', channel: '', default: false, transformationId: null }
  const { id } = await ask('create-destination', { workspaceId: 'w1', name: 'Ops', ...fields })
  const [rule] = manifest(1).rules
  const routed = (workspaceId: string) =>
    publish(manifest(1, { rules: [{ ...rule, routes: [{ destination: { name: 'ops' }, on: ['opened'] }] }] }), workspaceId)
  t.strictSame((await routed('w1')).rules[0]?.routes, [{ destination: id, on: ['opened'] }])
  await t.rejects(routed('w2'), { code: 'validation', facts: { field: 'rules.0.routes.0.destination' } }, 'of another workspace')
})

onEachStore('workspace holds 1,000 revisions, listed in pages by key and version (v3 3.2)', async (t, store) => {
  const { ask, publish } = await start(t, store)
  const { perWorkspace } = limits.templateRevision
  const published = Array.from({ length: perWorkspace }, (_, i) =>
    manifest(1 + (i >> 1), { key: i % 2 === 0 ? 'b' : 'a', summary: 'x'.repeat(500) }),
  )
  // Publishes 50 at once, because a directory refuses more requests than it can serve concurrently.
  while (published.length > 0) await Promise.all(published.splice(0, 50).map(one => publish(one)))
  await t.rejects(publish(manifest(1)), { code: 'validation', facts: { field: 'key' } }, 'one more')
  await publish(manifest(1), 'w2')
  const listed: string[] = []
  let after: string | null = null
  let pages = 0
  do {
    const page: { items: { key: string; version: number }[]; next: string | null } = await ask('list-templates', {
      workspaceId: 'w1',
      after,
    })
    listed.push(...page.items.map(({ key, version }) => `${key}@${version}`))
    after = page.next
    pages += 1
  } while (after !== null)
  const half = Array.from({ length: perWorkspace / 2 }, (_, i) => i + 1)
  t.strictSame(listed, [...half.map(version => `a@${version}`), ...half.map(version => `b@${version}`)])
  t.ok(pages > 1, `${pages} pages`)
})

onEachStore('revisions of a workspace have at most 16 MiB in all (v3 3.2)', async (t, store) => {
  const { publish } = await start(t, store)
  const help = '✓'.repeat(500)
  const fields = Array.from({ length: 32 }, (_, i) => ({
    key: `f${i}`,
    type: 'enum',
    options: Array.from({ length: 64 }, (_, j) => `${j}${'✓'.repeat(126)}`),
    help,
  }))
  const large = (version: number) => publish(manifest(version, { fields }))
  await large(1)
  const [stored] = await store.find('templates', { where: { workspaceId: 'w1' }, limit: 1 })
  const bytes = stored?.bytes ?? 0
  const room = Math.floor(limits.templateRevision.bytesPerWorkspace / bytes)
  for (let version = 2; version <= room; version++) await large(version)
  await t.rejects(large(room + 1), { code: 'validation', facts: { field: 'key' } })
  await publish(manifest(room + 1), 'w1')
})

onEachStore('website-check@1 is in every workspace (v3 3.10)', async (t, store) => {
  const { get } = await start(t, store)
  for (const reference of ['website-check', 'website-check@1']) {
    t.match(await get(reference, 'anywhere'), {
      key: 'website-check',
      version: 1,
      rules: [{ key: 'availability', decision: null }],
    })
  }
  t.equal(await get('website-check@2'), null)
})
