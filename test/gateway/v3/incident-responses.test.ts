// Kept answers of the checks of an Incident, with the real keeper, directory and gateway in virtual time. Reference: docs/reference/v3.md, 5.10.
import t from 'tap'
import { day, hour } from '#shared/limits/limits.ts'
import { startDashboardWorld } from '../../support/worlds/dashboard-world.ts'
import { closeMs } from '../../support/worlds/whole-world.ts'

const world = await startDashboardWorld()
t.teardown(() => world.stop())
await world.store.upsert('locations', [{ id: 'bbbb', rev: 1, name: 'helsinki', displayName: null, createdAt: 1 }])
const v3 = `/api/v3/workspaces/${world.workspaceId}`

async function addMonitor(mode = 'at_least_one'): Promise<string> {
  const meta = { url: 'https://shop.example/', locations: ['aaaa', 'bbbb'], failure_mode: mode, interval_seconds: 3_600 }
  const made = await world.editor.send('POST', `${v3}/resources`, { body: { template: 'http-check', name: 'Shop', meta } })
  if (made.status !== 201) throw new Error(made.text)
  for (const location of ['aaaa', 'bbbb']) await world.report(made.json.result.id, location, true)
  await world.clock.advance(1_000)
  return made.json.result.id
}

async function fail(id: string, location: string, error: string): Promise<void> {
  const response = { statusLine: 'HTTP/1.1 503 Unavailable', headers: ['via: a'], body: error, binary: false, truncated: false }
  await world.report(id, location, false, { error, response })
  await world.clock.advance(1_000)
}

const incidentOf = async (id: string): Promise<string | null> =>
  (await world.editor.send('GET', `${v3}/resources/${id}`)).json.result.open_incident?.id ?? null
const responsesOf = async (incident: string | null, as = world.editor) =>
  (await as.send('GET', `${v3}/incidents/${incident}/responses`)).json.result as { location: string; body: string | null }[]
const bodies = async (incident: string | null) => (await responsesOf(incident)).map(({ location, body }) => [location, body])

t.test('the first and the newest answer of each location are kept with the open Incident (v3 5.10)', async t => {
  const id = await addMonitor()
  await fail(id, 'aaaa', 'one')
  const incident = await incidentOf(id)
  await fail(id, 'aaaa', 'two')
  await fail(id, 'bbbb', 'three')
  await fail(id, 'aaaa', 'four')
  t.strictSame(await bodies(incident), [
    ['aaaa', 'one'],
    ['bbbb', 'three'],
    ['aaaa', 'four'],
  ])
  const [first] = await responsesOf(incident)
  t.match(first, {
    ...{ signal: 'reachability@aaaa', location: 'aaaa', status_line: 'HTTP/1.1 503 Unavailable', headers: ['via: a'] },
    ...{ body: 'one', binary: false, truncated: false, error: 'one', at: /Z$/ },
  })
  for (const location of ['aaaa', 'bbbb']) await world.report(id, location, true)
  await world.clock.advance(closeMs)
  t.equal(await incidentOf(id), null)
  await fail(id, 'aaaa', 'later')
  t.equal((await responsesOf(incident)).length, 3, 'an Incident that is closed keeps them')
  t.strictSame(await bodies(await incidentOf(id)), [['aaaa', 'later']])
  const stored = await world.store.get('subjects', [id])
  t.strictSame(stored[0]?.answers?.waiting, {}, 'nothing waits while an Incident is open')
})

t.test('an answer waits for an Incident, a day at most (v3 5.10)', async t => {
  const id = await addMonitor('all')
  await fail(id, 'aaaa', 'early')
  t.equal(await incidentOf(id), null)
  await fail(id, 'bbbb', 'last')
  t.strictSame(await bodies(await incidentOf(id)), [
    ['aaaa', 'early'],
    ['bbbb', 'last'],
  ])
  const other = await addMonitor('all')
  await fail(other, 'aaaa', 'old')
  for (let passed = 0; passed <= day; passed += hour) {
    await world.clock.advance(hour)
    await world.report(other, 'aaaa', false, { error: 'old' })
    await world.report(other, 'bbbb', true)
  }
  await fail(other, 'bbbb', 'new')
  t.strictSame(await bodies(await incidentOf(other)), [['bbbb', 'new']])
})

t.test('a viewer and a scoped key read neither headers nor body, and others read nothing (v3 5.10)', async t => {
  const id = await addMonitor()
  await fail(id, 'aaaa', 'hidden')
  const incident = await incidentOf(id)
  t.match(await responsesOf(incident, world.viewer), [{ headers: null, body: null, status_line: 'HTTP/1.1 503 Unavailable' }])
  t.equal((await world.stranger.send('GET', `${v3}/incidents/${incident}/responses`)).status, 404)
  t.equal((await world.editor.send('GET', `${v3}/incidents/none/responses`)).status, 404)
  for (const path of [`/incidents/${incident}`, '/incidents', `/resources/${id}`, `/resources/${id}/observations`, '/monitors'])
    t.notMatch((await world.editor.send('GET', v3 + path)).text, /via: a|"body":"hidden"/, path)
})

t.test('answers are deleted with their Resource', async t => {
  const id = await world.addMonitor('Deleted')
  await world.report(id, 'aaaa', true)
  await fail(id, 'aaaa', 'gone')
  t.equal(await world.store.count('responses', { subjectId: id }), 1)
  const deleted = await world.call('DELETE', `/api/v2/monitoring/websites/${id}`, { token: world.token })
  t.equal(deleted.json.error, null, deleted.text)
  await world.clock.advance(5_000)
  t.equal(await world.store.count('responses', { subjectId: id }), 0)
})
