// The question "What do you want to watch?" in a real browser, with the real keeper, directory and gateway in virtual time: each answer leads
// to a form, which shows address and name and folds all else, keeps secrets, and shows a refusal where it belongs.
import type { Page } from 'playwright-core'
import t from 'tap'
import { offeredKinds } from '#shared/checks/registry.ts'
import { sections } from '#shared/checks/sections.ts'
import { startDashboardWorld } from '../support/worlds/dashboard-world.ts'
import { axeFaults, type OpenOptions, open, overflows, withBrowser } from './chromium.ts'

await withBrowser(async () => {
  const world = await startDashboardWorld()
  t.teardown(() => world.stop())
  const v3 = `/api/v3/workspaces/${world.workspaceId}`
  const visit = (path: string, as = 'edith', options: OpenOptions = {}) => open(world.address, path, { as, ...options })
  const stored = async (key: string) => (await world.viewer.send('GET', `${v3}/resources/${key}`)).json.result
  const others = (faults: readonly string[]) => faults.filter(fault => !/422/.test(fault))
  const choose = async (page: Page, answer: string) => {
    await page.getByRole('link', { name: answer, exact: true }).click()
    await page.locator('.answers [aria-current]', { hasText: answer }).waitFor()
  }
  const add = async (page: Page, name: string) => {
    await page.getByRole('button', { name: 'Add monitor' }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
  }

  t.test('two fields and one click make a monitor of each kind, named by its address unless it has a name', async t => {
    const rows: [answer: string, fields: Record<string, string>, name: string, made: object][] = [
      ['A website or API', { URL: 'shop.example/health' }, 'shop.example', { url: 'https://shop.example/health' }],
      ['A certificate', { Host: 'https://shop.example:8443' }, 'shop.example', { target: 'https://shop.example:8443' }],
      ['A port', { Host: 'db.example', Port: '5432' }, 'db.example:5432', { host: 'db.example', port: 5_432 }],
      ['A name (DNS)', { 'Domain name': 'shop.example', Name: 'Zone' }, 'Zone', { name: 'shop.example' }],
      ['A machine (ping)', { Host: '192.0.2.1' }, '192.0.2.1', { host: '192.0.2.1' }],
    ]
    t.strictSame(
      rows.map(([answer]) => answer),
      offeredKinds().map(({ watches }) => watches),
    )
    for (const [answer, fields, name, made] of rows) {
      const { page, faults, close } = await visit('/monitors/new')
      await choose(page, answer)
      await page.getByRole('button', { name: 'Add monitor' }).waitFor()
      const shown = await page.locator('.form > .field label, .form > .field .field-name').allTextContents()
      t.strictSame(shown, [...new Set([...Object.keys(fields), 'Name'])], `${answer}: fields that are not folded`)
      const headings = await page.locator('.form > details > summary').allTextContents()
      t.strictSame(headings, [...Object.values(sections), 'Key and labels'], answer)
      t.equal(await page.locator('.form > details[open]').count(), 0, answer)
      t.equal(await page.evaluate("document.activeElement.getAttribute('name')"), Object.keys(made)[0], answer)
      for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(text)
      await add(page, name)
      const id = new URL(page.url()).pathname.split('/')[2] ?? ''
      t.match(await stored(id), { name, meta: made }, answer)
      t.same(faults, [], answer)
      await close()
    }
  })

  t.test('a refused answer in a folded section is unfolded and gets the focus, also if it is tried', async t => {
    const { page, faults, close } = await visit('/monitors/new')
    await page.getByLabel('URL').fill('shop.example')
    await page.getByText('What a good answer is').click()
    await page.getByLabel('Accepted statuses').fill('often')
    for (const act of ['Add monitor', 'Try now']) {
      await page.getByText('What a good answer is').click()
      await page.getByRole('button', { name: act }).click()
      await page.locator('details[open] [name=statuses]:focus').waitFor()
      await page.getByText('This must hold 1 to 10 statuses').waitFor()
    }
    t.same(others(faults), [])
    await choose(page, 'A name (DNS)')
    await page.getByLabel('Domain name').fill('no name')
    await page.getByRole('button', { name: 'Add monitor' }).click()
    await page.locator('[data-field=name] .refusal').waitFor()
    t.equal(await page.getByLabel('Domain name').getAttribute('aria-invalid'), 'true', 'not the name of the monitor')
    await close()
  })

  t.test('secrets are typed unseen, kept, replaced, taken away, and demanded anew if the address changes', async t => {
    const { page, faults, close } = await visit('/monitors/new')
    await page.getByLabel('URL').fill('https://shop.example')
    await page.getByLabel('Name', { exact: true }).fill('Sealed')
    await page.getByText('Request', { exact: true }).click()
    t.equal(await page.getByLabel('Bearer token').getAttribute('type'), 'password')
    await page.getByLabel('Bearer token').fill('b-secret')
    await page.getByLabel('Secret headers').fill('X-Api-Key: k-secret\nX-More: m-secret')
    await add(page, 'Sealed')
    const id = new URL(page.url()).pathname.split('/')[2] ?? ''
    const open = async () => {
      await page.goto(`${world.address}/monitors/${id}/edit`)
      await page.getByText('Request', { exact: true }).click()
    }
    const save = async () => {
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Sealed is saved.').waitFor()
    }
    const secrets = async () => {
      const { bearer, secret_headers } = (await stored(id)).meta
      return [bearer, secret_headers]
    }
    await open()
    t.equal(await page.getByText('Kept. It is never shown.').count(), 2)
    t.equal(await page.getByLabel('Password').getAttribute('type'), 'password', 'one that is not set can be set')
    t.same(await axeFaults(page), [])
    await save()
    t.strictSame(await secrets(), ['[redacted]', '[redacted]'], 'kept')

    await open()
    await page.getByRole('button', { name: 'Replace: Secret headers' }).click()
    await page.locator('[name=secret_headers]:focus').waitFor()
    await save()
    t.strictSame(await secrets(), ['[redacted]', undefined], 'replaced by none')

    await open()
    await page.getByLabel('URL').fill('https://other.example')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('[name=bearer]:focus').fill('b-secret')
    await save()
    t.match((await stored(id)).meta, { url: 'https://other.example', bearer: '[redacted]' })
    t.notOk((await page.content()).includes('b-secret'))
    t.same(others(faults), [])
    await close()
  })

  t.test('a monitor of the Template of websites keeps its form, which warns of settings by which no check can pass', async t => {
    const meta = { url: 'https://old.example', interval_value: 1, locations: ['aaaa'] }
    const body = { template: 'website-check@1', key: 'old', name: 'Old', meta }
    t.equal((await world.editor.send('POST', `${v3}/resources`, { body })).status, 201)
    const { page, faults, close } = await visit('/monitors/new/of/website-check')
    await page.getByRole('link', { name: 'Watch a website' }).waitFor()
    await page.goto(`${world.address}/monitors/${(await stored('old')).id}/edit`)
    await page.getByLabel('Method').selectOption('HEAD')
    t.equal(await page.locator('.website-warning').count(), 0)
    await page.getByLabel('Text that the response must hold').fill('welcome')
    await page.getByText('A response to HEAD has no body').waitFor()
    await page.getByLabel('Method').selectOption('GET')
    await page.getByText('A response to HEAD has no body').waitFor({ state: 'detached' })
    const sent = page.waitForRequest(request => request.method() === 'PATCH')
    await page.getByRole('button', { name: 'Save' }).click()
    t.strictSame((await sent).postDataJSON(), { name: 'Old', meta: { expected_text: 'welcome' } }, 'only what is changed')
    await page.getByText('Old is saved.').waitFor()
    t.match((await stored('old')).meta, { method: 'GET', expected_text: 'welcome', interval_value: 1 })
    t.same(faults, [])
    await close()
  })

  t.test('every form fits a phone and is accessible with its sections unfolded, and a viewer gets none', async t => {
    for (const [index, { templates }] of offeredKinds().entries()) {
      for (const [colorScheme, width] of index === 0
        ? ([
            ['dark', 1280],
            ['light', 360],
          ] as const)
        : ([['dark', 360]] as const)) {
        const path = `/monitors/new/of/${templates[0]?.key}`
        const { page, faults, close } = await visit(path, 'edith', { colorScheme, width })
        await page.locator('.form').waitFor()
        await page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
        t.same(await axeFaults(page), [], `${path}, ${width} px`)
        t.notOk(await overflows(page), `${path}, ${width} px`)
        t.same(faults, [])
        await close()
      }
    }
    const { page, close } = await visit('/monitors/new', 'vera')
    await page.getByText('An editor or owner of the workspace adds monitors.').waitFor()
    t.equal(await page.locator('main form').count(), 0)
    await close()
  })
})
