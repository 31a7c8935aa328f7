// The kind of check that only tests have, in virtual time with a real prober, keeper, directory and gateway, and in a real browser: its form is
// drawn from its fields, its page shows what was found, and generations 1 and 2 do not show it.
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t from 'tap'
import { addCheckKind } from '#shared/checks/registry.ts'
import { startProber } from '../../services/prober/app.ts'
import { addChecker } from '../../services/prober/checks/registry.ts'
import { axeFaults, open, overflows, withBrowser } from '../dashboard/chromium.ts'
import { startDashboardWorld } from '../support/worlds/dashboard-world.ts'
import { sealingKey } from '../support/worlds/whole-world.ts'
import { checkEcho } from './echo/checker.ts'
import { echo } from './echo/kind.ts'

// Other test files of the process do not know the kind.
t.teardown(addCheckKind(echo))
t.teardown(addChecker(echo.key, checkEcho))

const world = await startDashboardWorld()
t.teardown(() => world.stop())
const around = { bus: world.hub.connect(), clock: world.clock, logger: pino({ level: 'silent' }), metrics: new Registry() }
const starting = startProber(around, {
  locationId: 'aaaa',
  proberId: 'p1',
  version: '2.0.0',
  serviceUrl: 'http://us',
  secretsKey: sealingKey,
})
await world.clock.advance(1_000)
const prober = await starting
t.teardown(() => Promise.all([prober.stop(), world.clock.advance(5_000)]))

const resources = `/api/v3/workspaces/${world.workspaceId}/resources`
const call = (method: string, path: string, body?: object) =>
  world.call(method, path, { token: world.token, ...(body && { body }) })

await withBrowser(async () => {
  const visit = (path: string, as: string, options = {}) => open(world.address, path, { as, ...options })
  const stored = async (key: string) => (await call('GET', `${resources}/${key}`)).json.result
  const withoutRefusals = (faults: readonly string[]) => faults.filter(fault => !/422/.test(fault))

  t.test('a monitor of the kind is made in a form drawn from its fields, and its page shows what was found', async t => {
    const { page, faults, close } = await visit('/monitors/new', 'edith')
    await page.getByRole('link', { name: 'An echo' }).click()
    await page.getByText('Finds what it is told.').waitFor()
    await page.getByLabel('Name').fill('Cuckoo clock')
    await page.getByText('How often and from where').click()
    t.ok(await page.getByRole('checkbox', { name: 'de' }).isChecked(), 'the location that has a prober is chosen')
    await page.getByLabel('Text').fill('c'.repeat(41))
    await page.getByLabel('Interval', { exact: true }).fill('60')
    await page.getByRole('button', { name: 'Add monitor' }).click()
    await page.locator('[data-field=text] .refusal').waitFor()
    await page.getByLabel('Text').fill('cuckoo')
    await page.getByRole('checkbox', { name: 'Fails' }).check()
    await page.getByLabel('Pass words').fill('geheim\nstreng geheim')
    await page.getByText('When it counts as down').click()
    await page.getByLabel('Confirmation delay').fill('0')
    await page.getByText('Key and labels').click()
    await page.getByLabel('Key', { exact: true }).fill('clock')
    await page.getByRole('button', { name: 'Add monitor' }).click()
    await page.getByText('Cuckoo clock is added. Its first check is on its way.').waitFor()
    const meta = { text: 'cuckoo', fails: true, pass_words: ['geheim', 'streng geheim'], locations: ['aaaa'], confirm_after: 0 }
    t.match(await stored('clock'), { name: 'Cuckoo clock', template: 'echo-check@1', meta })
    await world.clock.advance(2_000)
    await page.getByText('echo cuckoo every 1m from de').waitFor()
    await page.getByText('echo says cuckoo').first().waitFor()
    await page.getByRole('heading', { name: 'Locations' }).waitFor()
    await page.getByRole('heading', { name: 'Response time' }).waitFor()
    t.equal(await page.getByText('geheim').count(), 0)
    t.same(withoutRefusals(faults), [])
    t.same(await axeFaults(page), [])
    await close()
  })

  t.test('it is changed by the same form, archived but not deleted, and has no table of generation 2', async t => {
    const { id } = await stored('clock')
    const { page, faults, close } = await visit(`/monitors/${id}`, 'edith')
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('heading', { name: 'Edit Cuckoo clock' }).waitFor()
    await page.getByText('When it counts as down').click()
    t.equal(await page.getByLabel('Pass words').inputValue(), 'geheim\nstreng geheim')
    t.equal(await page.getByLabel('Recovery delay').inputValue(), '120', 'a delay that nobody named is the default')
    await page.getByRole('checkbox', { name: 'Fails' }).uncheck()
    await page.getByLabel('Whisper').fill('sehr geheim')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Cuckoo clock is saved.').waitFor()
    t.match((await stored('clock')).meta, { fails: false, whisper: '[redacted]', pass_words: ['geheim', 'streng geheim'] })
    await page.getByRole('heading', { name: 'Who is notified' }).scrollIntoViewIfNeeded()
    await page.getByText('says of each rule which destinations get its messages').waitFor()
    await page.getByRole('heading', { name: 'Archive', exact: true }).scrollIntoViewIfNeeded()
    await page.getByRole('button', { name: 'Archive' }).waitFor()
    t.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0)
    await page.goto(`${world.address}/monitors/${id}/signals`)
    await page.getByText('Its signals and rules come from its Template').waitFor()
    t.same(faults, [])
    await close()
  })

  t.test('form fits a phone and is accessible, and its Template leads to it', async t => {
    for (const [colorScheme, width] of [['dark', 360] as const, ['light', 1280] as const]) {
      const { page, faults, close } = await visit('/monitors/new/of/echo-check', 'edith', { colorScheme, width })
      await page.getByText('How often and from where').click()
      await page.getByRole('checkbox', { name: 'de' }).waitFor()
      t.same(await axeFaults(page), [], `${width} px`)
      t.notOk(await overflows(page), `${width} px`)
      t.same(faults, [])
      await close()
    }
    const { page, close } = await visit('/templates/echo-check', 'edith')
    await page.locator('main').getByRole('link', { name: 'Add monitor' }).click()
    await page.getByText('Finds what it is told.').waitFor()
    await close()
  })
})

t.test('a registered kind is made, checked, judged, redacted and listed, and generations 1 and 2 do not show it', async t => {
  const template = await call('GET', `/api/v3/workspaces/${world.workspaceId}/templates/echo-check`)
  t.match(template.json.result, { id: 'echo-check@1', fields: [{ key: 'text' }, { key: 'fails' }, { key: 'pass_words' }] })
  const secrets = { pass_words: ['geheim'], whisper: 'geheim' }
  const meta = { text: 'cuckoo', fails: true, ...secrets, locations: ['aaaa'], interval_seconds: 60, confirm_after: 0 }
  const body = { template: 'echo-check', key: 'e', name: 'Echo' }
  const refused = await call('POST', resources, { ...body, meta: { ...meta, fails: 'yes' } })
  t.match([refused.status, JSON.stringify(refused.json)], [422, /fails/])
  const made = await call('POST', resources, { ...body, meta })
  t.match(made, { status: 201, json: { result: { template: 'echo-check@1', meta: { ...meta, whisper: '[redacted]' } } } })
  const { id } = made.json.result
  t.match(await world.checkEntry('aaaa', id), { checks: [{ kind: 'echo', options: { text: 'cuckoo', fails: true } }] })

  await world.clock.advance(2_000)
  const down = await call('GET', `${resources}/e`)
  t.match(down.json.result, { open_incident: { standing: 'problem', explanation: 'reachability problem' } })
  const incident = await call('GET', `/api/v3/workspaces/${world.workspaceId}/incidents/${down.json.result.open_incident.id}`)
  t.match(JSON.stringify(incident.json), 'echo says cuckoo')
  for (const path of ['/api/v1/rules', '/api/v2/monitoring/websites', '/api/v2/incidents', '/api/v2/subjects']) {
    const listed = await call('GET', `${path}?workspace_id=${world.workspaceId}`)
    t.strictSame(listed.json.result, [], path)
  }
  t.match(JSON.stringify((await call('GET', `/api/v2/monitoring/websites/${id}`)).json), /2002/)
  t.equal((await call('PATCH', `${resources}/e`, { meta: { fails: false, recover_after: 0 } })).status, 200)
  await world.clock.advance(62_000)
  t.equal((await call('GET', `${resources}/e`)).json.result.open_incident, null)

  const seen = (await world.viewer.send('GET', `${resources}/e`)).json
  t.match(seen.result.meta, { pass_words: '[redacted]', whisper: '[redacted]' })
  const alerts = JSON.stringify(await world.store.find('alerts', { where: {}, limit: 100 }))
  t.ok(alerts.includes('cuckoo') && !alerts.includes('geheim'), 'messages hold no secret')
})
