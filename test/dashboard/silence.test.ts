// What people see of silence, and of a workspace in which nobody is notified: in a real browser, with the real keeper in virtual time.
import t from 'tap'
import { startDashboardWorld } from '../support/worlds/dashboard-world.ts'
import { axeFaults, open, overflows, withBrowser } from './chromium.ts'

await withBrowser(async () => {
  const world = await startDashboardWorld()
  t.teardown(() => world.stop())
  const v3 = `/api/v3/workspaces/${world.workspaceId}`
  const send = async (path: string, body: object) => {
    const sent = await world.editor.send('POST', v3 + path, { body })
    if (sent.status >= 300) throw new Error(sent.text)
    return sent.json.result
  }
  const rule = (key: string, decision: object) => ({
    key,
    action: 'Look.',
    wait: { confirm_after: 0, recover_after: 0 },
    decision,
  })
  await send('/templates', {
    ...{ key: 'host', version: 1, name: 'Host' },
    signals: [
      { key: 'beat', kind: 'heartbeat', every_seconds: 10 },
      { key: 'job', kind: 'event' },
      { key: 'load', kind: 'event' },
    ],
    rules: [
      rule('alive', { not: { signal: 'beat', field: 'known' } }),
      rule('busy', { signal: 'load', field: 'value', operator: 'gt', operand: 90 }),
    ],
  })

  t.test('a silent signal is not ok, its rule says since when in plain words, and a signal without a report waits', async t => {
    const { id } = await send('/resources', { key: 'h1', name: 'h1', template: 'host@1' })
    await send('/observations', { observations: [{ resource: 'h1', signal: 'beat', state: 'ok' }] })
    const lastAt = new Date(world.clock.now()).toISOString().slice(11, 19)
    await world.clock.advance(40_000)
    for (const [colorScheme, width] of [['light', 1280] as const, ['dark', 360] as const]) {
      const { page, faults, close } = await open(world.address, `/monitors/${id}`, { as: 'vera', colorScheme, width })
      const signals = page.getByRole('region', { name: 'Signals' })
      await signals.getByText(`Silent since ${lastAt}`).waitFor()
      t.notMatch(await signals.textContent(), /\bOK\b/)
      t.match(await signals.textContent(), /job.*Waiting for its first report/)
      const words = `No report since ${lastAt} UTC, expected every 10 s.`
      t.match(await page.getByRole('region', { name: 'Rules' }).textContent(), words)
      t.match(await page.locator('.why-now').textContent(), words)
      t.notMatch(await page.locator('main').textContent(), /not known/)
      t.same(await axeFaults(page), [])
      t.notOk(await overflows(page))
      t.same(faults, [])
      await close()
    }
  })

  t.test('each page says that nobody is notified until there is a destination', async t => {
    const { page, faults, close } = await open(world.address, '/', { as: 'edith' })
    await page.getByText('Nobody is notified: this workspace has no destination for messages.').waitFor()
    await page.getByRole('link', { name: 'Add a destination' }).click()
    await page.getByRole('button', { name: 'Add destination' }).click()
    const dialog = page.getByRole('dialog')
    t.equal(await dialog.locator('input, select').first().getAttribute('name'), 'type', 'the form asks for the type first')
    await dialog.getByLabel('Type').selectOption('webhook')
    await dialog.getByLabel('Name').fill('Ops')
    await dialog.getByLabel('URL').fill('https://hooks.example/ops')
    await page.keyboard.press('Enter')
    await page.getByText('Destination Ops created').waitFor()
    await page.locator('.nobody').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Disable: Ops' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable destination' }).click()
    await page.getByText('Nobody is notified: every destination of this workspace is disabled.').waitFor()
    t.same(await axeFaults(page), [])
    t.same(faults, [])
    await close()
  })
})
