// Changes of subjects that only the dashboard offers, by the session API over real HTTP: conversion of a website monitor, maintenance,
// deletion. The directory is real, and the keeper's real step handles commands.
import t, { type Test } from 'tap'
import { subjects } from '#shared/bus/subjects.ts'
import { websiteCheck } from '../support/checks.ts'
import { startFakeKeeper } from '../support/worlds/fake-keeper.ts'
import { startSessionWorld } from '../support/worlds/session-world.ts'

const website = websiteCheck({ locations: [] })

async function startWithMonitor(t: Test) {
  const world = await startSessionWorld(t)
  const { workspaceId, hub, store, clock } = world
  const keeper = await startFakeKeeper(hub.connect(), store, clock)
  t.teardown(() => keeper.close())
  await world.addPerson('edith', { [workspaceId]: 'editor' })
  await world.addPerson('vera', { [workspaceId]: 'viewer' })
  await world.addPerson('stan')
  const subjectId = 'monitor001'
  const create = { kind: 'create-website', id: 'create', workspaceId, slug: 'shop', name: 'Shop', check: website }
  await hub.connect().request(subjects.command(subjectId), create, { timeoutMs: 1_000 })
  const browsers = {
    editor: await world.signedIn('edith'),
    viewer: await world.signedIn('vera'),
    stranger: await world.signedIn('stan'),
  }
  const subject = async () => (await store.get('subjects', [subjectId]))[0] ?? null
  return { ...world, ...browsers, subject, path: `/session/subjects/${subjectId}` }
}

t.test('website monitor becomes custom permanently by its first signal', async t => {
  const { editor, path, subject } = await startWithMonitor(t)
  const made = await editor.send('POST', `${path}/signals`, { body: { name: 'Deploys', kind: 'event' } })
  t.equal(made.status, 201)
  t.match(made.json, { id: 'deploys', signal_kind: 'custom_event', subject_id: 'shop', kind: 'signal' })
  t.equal((await subject())?.kind, 'custom')
  t.equal((await editor.send('POST', `${path}/signals`, { body: { name: 'Deploys', kind: 'event' } })).status >= 400, true)
})

t.test("website monitor becomes custom by its first authored rule, which may read the monitor's checks", async t => {
  const { editor, path, subject } = await startWithMonitor(t)
  const document = { inputs: [{ signal: 'shop', mode: 'latest_value', compare: '>', threshold: 500 }], decision: { need: 'any' } }
  const made = await editor.send('POST', `${path}/rules`, { body: { name: 'Slow', document } })
  t.equal(made.status, 201)
  t.match(made.json, { id: 'slow', policy_version: 1, kind: 'subject_rule' })
  t.equal((await subject())?.kind, 'custom')
})

t.test('maintenance of a subject starts, its end is moved, and it is cancelled', async t => {
  const { editor, path, clock, subject } = await startWithMonitor(t)
  const at = (ms: number) => new Date(clock.now() + ms).toISOString()
  const started = await editor.send('POST', `${path}/maintenance`, { body: { ends_at: at(3_600_000) } })
  t.equal(started.status, 201)
  const window = {
    subject_id: 'shop',
    active: true,
    cancelled_at: null,
    muted: ['problem', 'no_data'],
    kind: 'maintenance_window',
  }
  t.match(started.json, window)
  t.equal((await subject())?.maintenance?.context.by, 'edith')
  t.equal((await editor.send('POST', `${path}/maintenance`, { body: { ends_at: at(60_000) } })).status, 409, 'one runs already')
  const moved = await editor.send('PATCH', `${path}/maintenance`, { body: { ends_at: at(7_200_000) } })
  t.match([moved.status, moved.json.started_at], [200, started.json.started_at])
  const cancelled = await editor.send('DELETE', `${path}/maintenance`)
  t.match([cancelled.status, cancelled.json.active], [200, false])
  t.equal((await editor.send('DELETE', `${path}/maintenance`)).status, 404, 'none runs')
})

t.test('custom subject is deleted, and the deletion of a website monitor is refused', async t => {
  const { editor, path, subject } = await startWithMonitor(t)
  t.equal((await editor.send('DELETE', path)).status, 409)
  await editor.send('POST', `${path}/signals`, { body: { name: 'Deploys', kind: 'event' } })
  t.equal((await editor.send('DELETE', path)).status, 204)
  t.equal((await subject())?.deletedAt === null, false)
  t.equal((await editor.send('DELETE', path)).status, 404)
})

t.test('custom subject is found by slug and workspace when it never was a monitor', async t => {
  const { editor, viewer, stranger, hub, workspaceId, clock, store } = await startWithMonitor(t)
  const create = { kind: 'create-subject', id: 'backup', workspaceId, slug: 'näch-tlich', name: 'Näch tlich' }
  await hub.connect().request(subjects.command('custom0001'), create, { timeoutMs: 1_000 })
  const named = (slug: string, rest = '', workspace = workspaceId) =>
    `/session/subjects/${encodeURIComponent(slug)}${rest}?workspace_id=${workspace}`
  const path = named('näch-tlich')
  const isDeleted = async () => (await store.get('subjects', ['custom0001']))[0]?.deletedAt !== null
  const refused: [title: string, browser: typeof editor, path: string, status: number][] = [
    ['a viewer', viewer, path, 403],
    ['a stranger', stranger, path, 404],
    ['no such slug', editor, named('näch'), 404],
    ['no slug at all', editor, named(' '), 404],
    ['no such workspace', editor, named('näch-tlich', '', 'elsewhere1'), 404],
    ['no workspace id at all', editor, named('näch-tlich', '', '%00'), 404],
    ['no workspace', editor, '/session/subjects/n%C3%A4ch-tlich', 404],
    ['an id beside a workspace', editor, named('custom0001'), 404],
    ['a website monitor', editor, named('shop'), 409],
  ]
  for (const [title, browser, path, status] of refused) t.equal((await browser.send('DELETE', path)).status, status, title)
  t.equal(await isDeleted(), false)
  const soon = new Date(clock.now() + 60_000).toISOString()
  const window = await editor.send('POST', named('näch-tlich', '/maintenance'), { body: { ends_at: soon } })
  t.match([window.status, window.json.subject_id], [201, 'näch-tlich'])
  t.equal((await editor.send('DELETE', path)).status, 204)
  t.equal(await isDeleted(), true)
  t.equal((await editor.send('DELETE', path)).status, 404)
})

t.test('viewer, stranger and malformed body are refused without a change', async t => {
  const { editor, viewer, stranger, path, subject, browser } = await startWithMonitor(t)
  const before = JSON.stringify(await subject())
  const signal = { name: 'Deploys', kind: 'event' }
  const soon = { ends_at: '2099-01-01T00:00:00Z' }
  const cases: [string, typeof editor, string, string, unknown, number][] = [
    ['nobody', browser(), 'POST', '/signals', signal, 401],
    ['a viewer', viewer, 'POST', '/signals', signal, 403],
    ['a stranger', stranger, 'POST', '/signals', signal, 404],
    ['a viewer', viewer, 'POST', '/rules', {}, 403],
    ['a viewer', viewer, 'POST', '/maintenance', soon, 403],
    ['a stranger', stranger, 'PATCH', '/maintenance', soon, 404],
    ['a viewer', viewer, 'DELETE', '/maintenance', undefined, 403],
    ['a viewer', viewer, 'DELETE', '', undefined, 403],
    ['an end in the past', editor, 'POST', '/maintenance', { ends_at: '2020-01-01T00:00:00Z' }, 422],
    ['an end that is none', editor, 'POST', '/maintenance', { ends_at: 'soon' }, 422],
    ['an end in the year 10000', editor, 'POST', '/maintenance', { ends_at: '9999-12-31T23:59:59-00:01' }, 422],
    ['no end', editor, 'POST', '/maintenance', {}, 422],
    ['a kind that is none', editor, 'POST', '/signals', { name: 'x', kind: 'platform_http' }, 422],
    [
      'an unknown input',
      editor,
      'POST',
      '/rules',
      { name: 'x', document: { inputs: [{ signal: 'no', mode: 'status' }], decision: { need: 'any' } } },
      422,
    ],
  ]
  for (const [who, browser, method, at, body, status] of cases) {
    const shown = await browser.send(method, `${path}${at}`, body === undefined ? {} : { body })
    t.equal(shown.status, status, `${who}: ${method} ${at} ${shown.text}`)
    t.type(shown.json.error.message, 'string')
  }
  t.equal(JSON.stringify(await subject()), before)
})
