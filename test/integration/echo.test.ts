// A kind of check that only this test registers, driven through generation 3, a real prober and the judge.
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t from 'tap'
import { addCheckKind } from '#shared/checks/registry.ts'
import { exportFiles } from '../../services/gateway/configuration/export-files.ts'
import { startProber } from '../../services/prober/app.ts'
import { addChecker } from '../../services/prober/checks/registry.ts'
import { planned, present, resource } from '../infra/apply/planned.ts'
import { checkEcho } from '../support/echo/check-echo.ts'
import { echo } from '../support/echo/kind.ts'
import { startWholeWorld } from '../support/worlds/whole-world.ts'

addCheckKind(echo)
addChecker(echo.key, checkEcho)

const resources = '/api/v3/workspaces/w1/resources'

t.test('a registered kind is made, checked, judged, redacted and listed, and generations 1 and 2 do not show it', async t => {
  const world = await startWholeWorld()
  t.teardown(() => world.stop())
  await world.addLocations(['fra'])
  const { token } = await world.addPerson('ada', { w1: 'owner' })
  const { token: viewer } = await world.addPerson('vic', { w1: 'viewer' })
  const around = { bus: world.hub.connect(), clock: world.clock, logger: pino({ level: 'silent' }), metrics: new Registry() }
  const starting = startProber(around, { locationId: 'aaaa', proberId: 'p1', version: '2.0.0', serviceUrl: 'http://us' })
  await world.clock.advance(1_000)
  const prober = await starting
  t.teardown(() => Promise.all([prober.stop(), world.clock.advance(5_000)]))

  const call = (method: string, path: string, body?: object) => world.call(method, path, { token, ...(body && { body }) })
  const template = await call('GET', '/api/v3/workspaces/w1/templates/echo-check')
  t.match(template.json.result, { id: 'echo-check@1', fields: [{ key: 'text' }, { key: 'fails' }, { key: 'pass_words' }] })
  const secrets = { pass_words: ['geheim'], whisper: 'geheim' }
  const meta = { text: 'cuckoo', fails: true, ...secrets, locations: ['aaaa'], interval_value: 1, confirm_after: 0 }
  const refused = await call('POST', resources, {
    template: 'echo-check',
    key: 'e',
    name: 'Echo',
    meta: { ...meta, fails: 'yes' },
  })
  t.match([refused.status, JSON.stringify(refused.json)], [422, /fails/])
  const made = await call('POST', resources, { template: 'echo-check', key: 'e', name: 'Echo', meta })
  t.match(made, { status: 201, json: { result: { template: 'echo-check@1', meta } } })
  const { id } = made.json.result
  t.match(await world.checkEntry('aaaa', id), { kind: 'echo', options: { text: 'cuckoo', fails: true } })

  await world.clock.advance(2_000)
  const down = await call('GET', `${resources}/e`)
  t.match(down.json.result, { open_incident: { standing: 'problem', explanation: '1 of 1 location failing' } })
  const incident = await call('GET', `/api/v3/workspaces/w1/incidents/${down.json.result.open_incident.id}`)
  t.match(JSON.stringify(incident.json), 'echo says cuckoo')
  for (const path of ['/api/v1/rules', '/api/v2/monitoring/websites', '/api/v2/incidents', '/api/v2/subjects']) {
    const listed = await call('GET', `${path}?workspace_id=w1`)
    t.strictSame(listed.json.result, [], path)
  }
  t.match(JSON.stringify((await call('GET', `/api/v2/monitoring/websites/${id}`)).json), /2002/)
  t.equal((await call('PATCH', `${resources}/e`, { meta: { fails: false, recover_after: 0 } })).status, 200)
  await world.clock.advance(62_000)
  t.equal((await call('GET', `${resources}/e`)).json.result.open_incident, null)

  const seen = await world.call('GET', `${resources}/e`, { token: viewer })
  t.match(seen.json.result.meta, { pass_words: '[redacted]', whisper: '[redacted]' })
  const alerts = JSON.stringify(await world.store.find('alerts', { where: {}, limit: 100 }))
  t.ok(alerts.includes('cuckoo') && !alerts.includes('geheim'), 'messages hold no secret')
})

t.test('configuration files hold a Resource of a registered kind without its secret, and apply makes it', async t => {
  const meta = { text: 'cuckoo', fails: false, pass_words: ['geheim'], whisper: 'geheim', locations: ['aaaa'], interval_value: 1 }
  const resources = [{ ...resource, id: 'r1', key: 'e', template: 'echo-check@1', meta }]
  const [file] = exportFiles({ ...present, resources, classic: null }).files.filter(({ path }) => path.startsWith('resources/'))
  t.equal(file?.path, 'resources/echo-check.yaml')
  t.match(file?.text, /text: cuckoo/)
  t.match(file?.text, /- local/)
  t.notMatch(file?.text, /geheim/)
  const [step] = planned(
    'kind: Resource\nkey: e\nname: E\ntemplate: echo-check\nmeta: {text: cuckoo, locations: [local], interval_value: 1}\n',
  )
  t.match(step?.requests, [{ body: { template: 'echo-check@1', meta: { text: 'cuckoo', locations: ['aaaa'] } } }])
  t.throws(() => planned('kind: Resource\nkey: e\nname: E\ntemplate: echo-check\nmeta: {locations: [local]}\n'), {
    message: /meta\.text/,
  })
})
