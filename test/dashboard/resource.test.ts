// A monitor of a Template in a real browser, with the real keeper, directory and gateway in virtual time: its form is drawn from the fields
// of the Template, and the monitor is changed by the same form.
import t from 'tap'
import { startDashboardWorld } from '../support/worlds/dashboard-world.ts'
import { axeFaults, type OpenOptions, open, overflows, tabTo, withBrowser } from './chromium.ts'

const host = {
  ...{ key: 'host', version: 1, name: 'Host', summary: 'A machine that reports its load.' },
  fields: [
    { key: 'load_max', label: 'Highest load', type: 'number', default: 4, min: 1, max: 64, help: 'More is a problem' },
    { key: 'team', label: 'Team', type: 'string', required: true },
    { key: 'tier', label: 'Tier', type: 'enum', options: ['gold', 'silver'], default: 'silver' },
    { key: 'watched', label: 'Watched at night', type: 'boolean' },
    { key: 'disks', label: 'Disks', type: 'string_list' },
    { key: 'ports', label: 'Ports', type: 'integer_list' },
    { key: 'name', label: 'Name in the rack', type: 'string' },
  ],
  signals: [{ key: 'load', kind: 'event' }],
  rules: [
    {
      ...{ key: 'busy', action: 'Look at the host.', wait: { confirm_after: 0, recover_after: 0 } },
      decision: { signal: 'load', field: 'value', operator: 'gt', operand: { meta: 'load_max' } },
    },
  ],
}

await withBrowser(async () => {
  const world = await startDashboardWorld()
  t.teardown(() => world.stop())
  const v3 = `/api/v3/workspaces/${world.workspaceId}`
  const visit = (path: string, as: string, options: OpenOptions = {}) => open(world.address, path, { as, ...options })
  const stored = async (key: string) => (await world.viewer.send('GET', `${v3}/resources/${key}`)).json.result
  const withoutRefusals = (faults: readonly string[]) => faults.filter(fault => !/422/.test(fault))

  t.test('without a Template the page leads to the editor, and a monitor without one is under More', async t => {
    const { page, faults, close } = await visit('/monitors/new/reports', 'edith')
    await page.getByText('No Templates of your own yet').waitFor()
    await page.getByText('More', { exact: true }).click()
    await page.getByRole('link', { name: 'Add monitor without a Template' }).click()
    await page.getByLabel('Name').waitFor()
    t.same(faults, [])
    await close()
  })

  t.test('a monitor of a Template is made by keyboard from the fields of its Template, and changed by the same form', async t => {
    t.equal((await world.editor.send('POST', `${v3}/templates`, { body: host })).status, 201)
    const { page, faults, close } = await visit('/monitors/new/reports', 'edith')
    await page.getByText('A machine that reports its load.').waitFor()
    await tabTo(page, 'Host')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'New monitor: Host' }).waitFor()
    await page.getByText('More is a problem. At least 1, at most 64. Empty: 4.').waitFor()
    await tabTo(page, 'name')
    await page.keyboard.type('Build server')
    await page.keyboard.press('Enter')
    await page.locator('[data-field=team] .refusal').waitFor()
    await page.getByLabel('Team').fill('core')
    await page.getByLabel('Highest load').fill('80')
    await page.getByRole('button', { name: 'Add monitor' }).click()
    await page.locator('[data-field=load_max] .refusal').waitFor()
    await page.getByLabel('Highest load').fill('2.5')
    await page.getByLabel('Watched at night').selectOption('yes')
    await page.getByLabel('Disks').fill('/\n/var lib\n')
    await page.getByLabel('Ports').fill('22, 443')
    await page.getByLabel('Name in the rack').fill('r7')
    await page.getByText('Key and labels').click()
    await page.getByLabel('Key', { exact: true }).fill('build-1')
    await page.getByLabel('Labels').fill('env')
    await page.getByRole('button', { name: 'Add monitor' }).click()
    await page.getByText('A label is written as key=value; "env" is not.').waitFor()
    await page.getByLabel('Labels').fill('env=prod\nteam=core')
    await page.getByRole('button', { name: 'Add monitor' }).click()
    await page.getByRole('heading', { name: 'Build server' }).waitFor()
    const answers = {
      ...{ load_max: 2.5, team: 'core', tier: 'silver', watched: true },
      ...{ disks: ['/', '/var lib'], ports: [22, 443], name: 'r7' },
    }
    const labels = { env: 'prod', team: 'core' }
    t.match(await stored('build-1'), { name: 'Build server', template: 'host@1', meta: answers, labels })

    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('heading', { name: 'Edit Build server' }).waitFor()
    t.equal(await page.getByLabel('Disks').inputValue(), '/\n/var lib')
    t.equal(await page.getByLabel('Watched at night').inputValue(), 'true')
    await page.getByLabel('Highest load').fill('')
    await page.getByLabel('Ports').fill('')
    await page.getByLabel('Labels').fill('team=shop')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Build server is saved.').waitFor()
    const { ports: _ports, ...kept } = answers
    const changed = await stored('build-1')
    t.strictSame([changed.meta, changed.labels], [{ ...kept, load_max: 4 }, { team: 'shop' }])
    t.same(withoutRefusals(faults), [])
    await close()
  })

  t.test('form fits a phone and is accessible, and a viewer gets no form', async t => {
    for (const [colorScheme, width] of [['dark', 360] as const, ['light', 1280] as const]) {
      for (const path of ['/monitors/new/reports', '/monitors/new/of/host']) {
        const { page, faults, close } = await visit(path, 'edith', { colorScheme, width })
        await page.locator('main h1').waitFor()
        t.same(await axeFaults(page), [], `${path}, ${width} px`)
        t.notOk(await overflows(page), `${path}, ${width} px`)
        t.same(faults, [])
        await close()
      }
    }
    const { page, close } = await visit('/monitors/new/of/host', 'vera')
    await page.getByText('An editor or owner of the workspace adds monitors.').waitFor()
    t.equal(await page.locator('main form').count(), 0)
    await close()
  })
})
