// Templates in a real browser, with the real keeper, directory and gateway in virtual time: written by keyboard, previewed while typing,
// published, and bound to the Resources of an older revision.
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { startDashboardWorld } from '../support/worlds/dashboard-world.ts'
import { axeFaults, type OpenOptions, open, overflows, tabTo, withBrowser } from './chromium.ts'

await withBrowser(async () => {
  const world = await startDashboardWorld()
  t.teardown(() => world.stop())
  const visit = (path: string, as: string, options: OpenOptions = {}) => open(world.address, path, { as, ...options })
  const api = `/api/v3/workspaces/${world.workspaceId}`
  const send = async (method: string, path: string, body: object) => {
    const shown = await world.editor.send(method, api + path, { body })
    if (shown.status >= 300) throw new Error(shown.text)
    return shown.json.result
  }

  const withoutRefusals = (faults: readonly string[]) => faults.filter(fault => !/42[29]|400/.test(fault))

  t.test('a Template is written by keyboard, its preview follows the typing, and it is published', async t => {
    const { page, faults, close } = await visit('/templates', 'edith')
    await page.getByText('No Templates of your own yet').waitFor()
    await tabTo(page, 'New Template')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'New Template' }).waitFor()
    // No field is filled yet: the page shows the preview and names missing fields without a refusal.
    await page.getByText('To publish it, give the Template a key and a name.').waitFor()
    t.equal(await page.locator('.refusal').count(), 0)
    t.ok(await page.getByRole('button', { name: 'Publish…' }).isDisabled())
    await tabTo(page, 'key')
    await page.keyboard.type('Night Job')
    await page.locator('[data-field=key] .refusal').waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('night-job')
    await tabTo(page, 'name')
    await page.keyboard.type('Night job')
    await tabTo(page, 'rules.0.action')
    await page.keyboard.type('Read the log of the job.')
    await page.getByText('The Template can be published.').waitFor()
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByText('One incident is confirmed.').waitFor()
    await preview.getByText('Example: failing — Read the log of the job.').waitFor()
    await tabTo(page, 'sample')
    await page.keyboard.press('ArrowDown')
    await preview.getByText('No incident is confirmed: nobody is woken.').waitFor()
    await page.keyboard.press('Shift+Tab')
    await tabTo(page, 'Publish…')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Publish night-job@1?' }).waitFor()
    await tabTo(page, 'Publish')
    await page.keyboard.press('Enter')
    await page.getByText('night-job@1 is published.').waitFor()
    await page.getByRole('heading', { name: 'Night job' }).waitFor()
    await page.getByText('report is silent').waitFor()
    t.match((await world.viewer.send('GET', `${api}/templates/night-job`)).json.result, { version: 1, name: 'Night job' })
    t.same(withoutRefusals(faults), [])
    await close()
  })

  t.test('fault deep in a rule is shown beside its field, in the form and in the JSON', async t => {
    const { page, faults, close } = await visit('/templates/night-job/edit', 'edith')
    await page.getByText('The Template can be published.').waitFor()
    await page.getByLabel('Confirmed after, seconds').fill('soon')
    await page.locator('[data-field="rules.0.wait.confirm_after"] .refusal').waitFor()
    t.equal(await page.getByLabel('Confirmed after, seconds').getAttribute('aria-invalid'), 'true')
    await page.getByText('Before this fault it was:').waitFor()
    await page.getByRole('button', { name: 'Write as JSON' }).click()
    await page.locator('[data-field=json] .refusal', { hasText: 'rules.0.wait.confirm_after' }).waitFor()
    const json = page.getByLabel('The Template as JSON')
    await json.fill((await json.inputValue()).replace('"soon"', '30'))
    await page.getByText('The Template can be published.').waitFor()
    await json.fill('{')
    await page.locator('[data-field=json] .refusal', { hasText: 'Line 1, column 2' }).waitFor()
    await json.fill('{"key": 5, "rules": "none", "signals": [7]}')
    await page.getByRole('button', { name: 'Back to the form' }).click()
    await page.getByLabel('Name', { exact: true }).waitFor()
    t.same(withoutRefusals(faults), [])
    await close()
  })

  t.test('every kind of decision, wait and route that the form offers can be published', async t => {
    await send('POST', '/destinations', { name: 'Ops', type: 'webhook', url: 'https://ops.example.com/in' })
    const { page, faults, close } = await visit('/templates/new', 'edith')
    const choose = (name: string, value: string) => page.locator(`[name="${name}"]`).selectOption(value)
    const fill = (name: string, text: string) => page.locator(`[name="${name}"]`).fill(text)
    const isTaken = async (...words: (string | RegExp)[]) => {
      await page.getByText('The Template can be published.').waitFor()
      for (const word of words) await page.getByRole('region', { name: 'Preview' }).getByText(word).first().waitFor()
    }
    await fill('key', 'load')
    await fill('name', 'Load')
    await fill('rules.0.action', 'Look.')
    await choose('signals.0.kind', 'periodic')
    await isTaken('One incident is confirmed.')
    await choose('rules.0.decision.kind', 'signal')
    await choose('rules.0.decision.field', 'value')
    await fill('rules.0.decision.operand', '2.5')
    await isTaken('One incident is confirmed.', /Load|Report/)
    await choose('rules.0.decision.reading', 'counted')
    await isTaken('One incident is confirmed.')
    await choose('rules.0.decision.reading', 'baseline')
    await isTaken('One incident is confirmed.')
    await page.getByRole('button', { name: 'Add answer' }).click()
    await fill('fields.0.key', 'limit')
    await choose('fields.0.type', 'number')
    await fill('fields.0.default', '1.5')
    await choose('rules.0.decision.operand.source', 'limit')
    await isTaken('One incident is confirmed.')
    await page.getByRole('button', { name: 'Count changes' }).click()
    await isTaken()
    await fill('rules.0.wait.flapping.changes', '2')
    await page.locator('[data-field="rules.0.wait.flapping.changes"] .refusal').waitFor()
    await page.getByRole('button', { name: 'Remove flapping' }).click()
    await isTaken('One incident is confirmed.')
    await page.getByRole('button', { name: 'Count changes' }).click()
    for (const kind of ['all', 'any_known', 'all_known', 'not', 'any']) {
      await choose('rules.0.decision.kind', kind)
      await isTaken()
    }
    await page.getByRole('button', { name: 'Add part' }).last().click()
    await isTaken()
    await choose('rules.0.way', 'destination')
    await isTaken()
    await choose('rules.0.way', 'routes')
    await page.getByLabel('an incident opens').check()
    await isTaken('Example: failing opened — Look.')
    await page.getByRole('button', { name: 'Remove route 1' }).press('Enter')
    await page.locator('button:focus', { hasText: 'Add route' }).waitFor()
    await isTaken('Its routes are empty: no message leaves.')
    t.same(withoutRefusals(faults), [])
    await close()
  })

  t.test('name with a script element or of 100 letters from right to left is shown as text, within the page', async t => {
    const rules = [
      {
        key: 'failing',
        action: '<b>Look</b>',
        wait: { confirm_after: 0, recover_after: 0 },
        decision: { signal: 'run', field: 'known' },
      },
    ]
    const names = ['<script>alert(1)</script>', 'ש'.repeat(100)]
    for (const [i, name] of names.entries()) {
      await send('POST', '/templates', { key: `odd-${i}`, version: 1, name, signals: [{ key: 'run', kind: 'event' }], rules })
      const { page, faults, close } = await visit(`/templates/odd-${i}`, 'vera', { width: 360 })
      t.match(await page.locator('h1').textContent(), name)
      t.notOk(await overflows(page), name)
      t.same(faults, [])
      await close()
    }
  })

  t.test('draft stays in its browser until it is published or discarded', async t => {
    const { page, close } = await visit('/templates/night-job/edit', 'edith')
    await page.getByLabel('Summary').fill('What runs at night')
    await page.goto(`${world.address}/templates`)
    await page.getByRole('link', { name: 'In this browser' }).click()
    t.equal(await page.getByLabel('Summary').inputValue(), 'What runs at night')
    await page.getByRole('button', { name: 'Discard draft' }).click()
    await page.getByText('is lost').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard draft' }).click()
    await page.getByRole('link', { name: 'Write version 2' }).waitFor()
    await close()
  })

  t.test('editor lists the changes of the next version and the affected Resources, and rebinds them on demand', async t => {
    for (const key of ['db1', 'db2']) await send('POST', '/resources', { template: 'night-job@1', key, name: key })
    const at = new Date(world.clock.now()).toISOString()
    await send('POST', '/resources/db1/observations', { signal: 'report', state: 'problem', at })
    const { page, faults, close } = await visit('/templates/night-job/edit', 'edith')
    await page.getByText('The Template can be published.').waitFor()
    await page.getByRole('button', { name: 'Add answer' }).click()
    await page.locator('[name="fields.0.key"]').fill('hold')
    await page.locator('[name="rules.0.wait.confirm_after.source"]').selectOption('hold')
    await page.getByText('The Template can be published.').waitFor()
    await page.getByRole('button', { name: 'Publish…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Publish night-job@2?' })
    await dialog.getByText('2 monitors of older revisions stay as they are').waitFor()
    await dialog.getByText('The rule failing waits otherwise.').waitFor()
    await dialog.getByText('The answer hold is new and has its default.').waitFor()
    await dialog.getByRole('button', { name: 'Publish' }).click()
    await page.getByRole('button', { name: 'Rebind to night-job@2: the monitors of night-job@1' }).click()
    const rebind = page.getByRole('dialog', { name: 'Rebind 2 monitors to night-job@2?' })
    await rebind.getByText('2 monitors have open incidents.').waitFor()
    await rebind.getByRole('button', { name: 'Rebind' }).click()
    await page.getByText('2 monitors of night-job@1 bound to night-job@2.').waitFor()
    const uses = (await world.viewer.send('GET', `/session/workspaces/${world.workspaceId}/template-uses`)).json.uses
    t.same(uses, { 'night-job@2': 2 })
    t.same(withoutRefusals(faults), [])
    await close()
  })

  t.test('open pages show the publication and rebinding by another client without a reload', async t => {
    const wait = { confirm_after: 0, recover_after: 0 }
    const rules = [{ key: 'failing', action: 'Look.', wait, decision: { signal: 'run', field: 'known' } }]
    const template = { key: 'shared', name: 'Shared', signals: [{ key: 'run', kind: 'event' }], rules }
    await send('POST', '/templates', { ...template, version: 1 })
    const list = await visit('/templates', 'vera')
    const one = await visit('/templates/shared', 'vera')
    const older = await visit('/templates/shared@1', 'vera')
    const row = (words: string | RegExp) => list.page.getByRole('row', { name: words }).waitFor()
    const revision = (words: string | RegExp) => one.page.getByRole('row', { name: words }).waitFor()
    await row('Shared shared Version 1 – 0 0 Usable')
    await revision('shared@1 0')
    for (const { page } of [list, one, older]) {
      await page.getByText('Live', { exact: true }).waitFor()
      await page.evaluate('window.isSame = true')
    }
    await send('POST', '/resources', { template: 'shared@1', key: 'web1', name: 'web1' })
    await world.clock.advance(limits.events.gatherMs)
    await row('Shared shared Version 1 – 1 0 Usable')
    await revision('shared@1 1')
    await send('POST', '/templates', { ...template, version: 2, name: 'Shared by all' })
    await world.clock.advance(limits.events.gatherMs)
    await row('Shared by all shared Version 2, 2 revisions – 0 1 Usable')
    await one.page.getByRole('heading', { name: 'Shared by all' }).waitFor()
    await older.page.getByText('This is an older revision.').waitFor()
    await send('POST', '/resources/web1/rebind', { template: 'shared@2' })
    await world.clock.advance(limits.events.gatherMs)
    await row('Shared by all shared Version 2, 2 revisions – 1 0 Usable')
    await revision('shared@2 1')
    await send('POST', '/resources/web1/archive', {})
    await world.clock.advance(limits.events.gatherMs)
    await row('Shared by all shared Version 2, 2 revisions – 0 0 Usable')
    for (const { page, faults, close } of [list, one, older]) {
      t.ok(await page.evaluate('window.isSame'), 'it is the same document')
      t.same(faults, [])
      await close()
    }
  })

  t.test('viewer reads Templates, and sees no action that would be refused', async t => {
    for (const path of ['/templates', '/templates/night-job', '/templates/night-job@1', '/templates/website-check']) {
      const { page, faults, close } = await visit(path, 'vera')
      await page.locator('main table').first().waitFor()
      t.equal(await page.locator('main button, main a.button').count(), 0, path)
      t.same(faults, [], path)
      await close()
    }
    const { page, close } = await visit('/templates/night-job/edit', 'vera')
    await page.getByText('Not for viewers').waitFor()
    await close()
  })

  t.test('each page is accessible, small, without errors and no wider than its window', { timeout: 240_000 }, async t => {
    for (const path of ['/templates', '/templates/night-job', '/templates/night-job/edit', '/templates/new']) {
      for (const [colorScheme, width] of [['light', 360] as const, ['dark', 1280] as const]) {
        const { page, faults, bytes, close } = await visit(path, 'edith', { colorScheme, width })
        await page.locator('h1').waitFor()
        await page.locator('main [aria-busy=true]').waitFor({ state: 'detached' })
        if (path.endsWith('edit')) await page.getByText('The Template can be published.').waitFor()
        if (path.endsWith('new')) {
          await page.getByLabel('Key', { exact: true }).first().fill('Night Job')
          await page.locator('[data-field=key] .refusal').waitFor()
        }
        if (process.env['PICTURES'] !== undefined) {
          const name = `${path.slice(1).replaceAll('/', '-')}-${colorScheme}.png`
          await page.screenshot({ path: `${process.env['PICTURES']}/${name}`, fullPage: true })
        }
        t.same(await axeFaults(page), [], `axe: ${path}, ${colorScheme}, ${width} px`)
        t.notOk(await overflows(page), `width: ${path}, ${width} px`)
        t.same(withoutRefusals(faults), [], `faults: ${path}`)
        t.ok(bytes() <= 40_000, `bytes: ${path}, ${bytes()}`)
        t.comment(`${path}: ${bytes()} bytes`)
        await close()
      }
    }
  })

  t.test('a check is added to a Template, previewed, published, made into a monitor, and changed', async t => {
    const { page, faults, close } = await visit('/templates/new', 'edith')
    const choose = (name: string, word: string) => page.locator(`[name="${name}"]`).selectOption({ label: word })
    const fill = (name: string, text: string) => page.locator(`[name="${name}"]`).fill(text)
    const preview = page.getByRole('region', { name: 'Preview' })
    const isRight = () => page.getByText('The Template can be published.').waitFor()
    await fill('key', 'door')
    await fill('name', 'Door')
    await fill('rules.0.action', 'Knock.')
    await choose('signals.0.kind', 'check: probers make it')
    await choose('signals.0.check.type', 'A port')
    await page.getByRole('group', { name: 'Answer locations' }).waitFor()
    await isRight()
    t.equal(await page.locator('[name="answers.host"]').inputValue(), 'db.example', 'the preview has an example of an answer')
    await preview.getByText('One incident is confirmed.').waitFor()
    await preview.getByText('report@here').first().waitFor({ state: 'attached' })

    await choose('signals.0.check.port.meta', 'this value')
    await page.locator('[data-field="signals.0.check.port"] .refusal').waitFor()
    await fill('signals.0.check.port', '70000')
    await page.locator('[data-field="signals.0.check.port"] .refusal', { hasText: '65535' }).waitFor()
    await fill('signals.0.check.port', '5432')
    await page.getByRole('button', { name: 'Remove Answer port' }).click()
    await isRight()
    await page.getByRole('group', { name: 'Signal report' }).getByText('Request', { exact: true }).click()
    await page.getByLabel('TLS from the first byte: value').check()
    await choose('signals.0.check.send.source', 'a new answer')
    await page.getByRole('group', { name: 'Answer send' }).waitFor()
    await choose('signals.0.agreement', 'at more than half')
    await fill('signals.0.every_seconds', '120')
    await choose('rules.0.unknown', 'data are missing, and an incident opens')
    await isRight()
    t.same(await axeFaults(page), [], 'axe')
    t.notOk(await overflows(page), 'width')

    await page.getByRole('button', { name: 'Publish…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText('door@1 is published.').waitFor()
    t.match((await world.viewer.send('GET', `${api}/templates/door`)).json.result, {
      fields: [{ key: 'locations' }, { key: 'host' }, { key: 'send', type: 'secret' }],
      signals: [
        {
          ...{ key: 'report', every_seconds: 120, locations: { meta: 'locations' }, agreement: 'majority' },
          check: { type: 'tcp', host: { meta: 'host' }, port: 5_432, tls: true, send: { meta: 'send' } },
        },
      ],
      rules: [{ unknown: 'no_data' }],
    })
    await page.getByRole('link', { name: 'Add monitor' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Back door')
    await page.getByLabel('Host', { exact: true }).fill('door.example')
    await page.locator('[name="send"]').fill('open sesame')
    await page.getByRole('button', { name: 'Add monitor' }).click()
    await page.getByRole('heading', { name: 'Back door' }).waitFor()
    const id = new URL(page.url()).pathname.split('/')[2] ?? ''
    t.match((await world.viewer.send('GET', `${api}/resources/${id}`)).json.result, {
      meta: { host: 'door.example', send: '[redacted]' },
      checks: [{ signal: 'report', type: 'tcp', every_seconds: 120 }],
    })

    await page.goto(`${world.address}/templates/door/edit`)
    await isRight()
    t.equal(await page.locator('[name="signals.0.check.port"]').inputValue(), '5432')
    t.ok(await page.getByLabel('TLS from the first byte: value').isChecked(), 'a section with a value is open')
    await fill('signals.0.check.port', '5433')
    await isRight()
    await page.getByRole('button', { name: 'Publish…' }).click()
    await page.getByRole('dialog').getByText('The signal report is checked otherwise.').waitFor()
    t.same(withoutRefusals(faults), [])
    await close()
  })
})
