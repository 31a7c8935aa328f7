// Actions on several monitors of the list in a real browser, with the real keeper, directory and gateway in virtual time.
import type { Page } from 'playwright-core'
import t from 'tap'
import { startDashboardWorld } from '../support/worlds/dashboard-world.ts'
import { confirmMs } from '../support/worlds/whole-world.ts'
import { axeFaults, open, tabTo, withBrowser } from './chromium.ts'

await withBrowser(async () => {
  const world = await startDashboardWorld()
  t.teardown(() => world.stop())
  const ids: string[] = []
  for (const name of ['Alpha', 'Beta', 'Gamma']) ids.push(await world.addMonitor(name))
  for (const id of ids) await world.report(id, 'aaaa', true)
  await world.clock.advance(1_000)
  for (const id of ids) await world.report(id, 'aaaa', false)
  await world.clock.advance(confirmMs)
  const list = (as: string) => open(world.address, '/', { as })
  const chosen = (page: Page) => page.getByRole('group', { name: 'Chosen monitors' })

  /** Selects the first three rows by keyboard. */
  async function chooseThree(page: Page): Promise<void> {
    await page.locator('.row a').nth(2).waitFor()
    for (let row = 0; row < 3; row++) {
      await page.keyboard.press('j')
      await page.locator(`tr[data-index="${row}"] a:focus`).waitFor()
      await page.keyboard.press('x')
    }
    await chosen(page).getByText('3 monitors chosen').waitFor()
  }

  t.test('several incidents are acknowledged at once by keyboard, and a cancelled action keeps the selection', async t => {
    const { page, faults, close } = await list('edith')
    // The list may be read before the last of the incidents is confirmed in it.
    await page.getByRole('button', { name: /^Down 3/ }).waitFor()
    await chooseThree(page)
    await page.keyboard.press('a')
    const dialog = page.getByRole('dialog', { name: 'Acknowledge 3 incidents' })
    await dialog.getByText('Their reminders stop').waitFor()
    t.same(await axeFaults(page), [])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await chosen(page).getByText('3 monitors chosen').waitFor()
    await page.keyboard.press('a')
    await dialog.getByText('Their reminders stop').waitFor()
    await tabTo(page, 'Acknowledge')
    await page.keyboard.press('Enter')
    await page.getByText('3 incidents acknowledged.').waitFor()
    await chosen(page).waitFor({ state: 'detached' })
    await world.clock.advance(1_000)
    await page
      .locator('.row .next', { hasText: /^acknowledged by edith$/ })
      .filter({ visible: true })
      .nth(2)
      .waitFor()
    t.equal((await page.locator('.row').first().textContent())?.match(/acknowledged by/g)?.length, 1, 'said once, not twice')
    await page.keyboard.press('a')
    await page.getByText('There is no open incident to acknowledge here.').waitFor()
    t.same(faults, [])
    await close()
  })

  t.test('offline page can deselect and says why an action cannot start; the action starts when online again', async t => {
    const { page, context, close } = await list('vera')
    await chooseThree(page)
    await context.setOffline(true)
    await page.keyboard.press('m')
    await page.getByText('Maintenance needs the role editor in this workspace.').waitFor()
    await page.getByRole('button', { name: 'Choose none' }).click()
    await chosen(page).waitFor({ state: 'detached' })
    t.equal(await page.getByRole('dialog').count(), 0)
    await close()

    const editor = await list('edith')
    await chooseThree(editor.page)
    await editor.context.setOffline(true)
    await editor.page.keyboard.press('m')
    await editor.page.getByText('This could not be loaded. Try again.').waitFor()
    await editor.context.setOffline(false)
    await editor.page.keyboard.press('m')
    await editor.page.getByRole('dialog', { name: 'Maintenance: 3 monitors' }).waitFor()
    await editor.close()
  })

  t.test('maintenance of several monitors names the refused monitor and the reason', async t => {
    const { page, faults, close } = await list('edith')
    await chooseThree(page)
    await page.keyboard.press('m')
    const dialog = page.getByRole('dialog', { name: 'Maintenance: 3 monitors' })
    await dialog.waitFor()
    const archived = `/api/v3/workspaces/${world.workspaceId}/resources/${ids[1]}/archive`
    const { json } = await world.editor.send('POST', archived, { body: {} })
    t.equal(json.error, null)
    await tabTo(page, 'Start maintenance for 1 h')
    await page.keyboard.press('Enter')
    const result = page.locator('.announcement[data-refusal=true]', { hasText: '2 monitors put into maintenance.' })
    await result.waitFor()
    t.match(await result.textContent(), /Beta: .*archived/i)
    await world.clock.advance(1_000)
    await page.locator('.row', { hasText: 'in maintenance' }).nth(1).waitFor()
    const windows = await world.store.find('subjects', { limit: 10 })
    t.equal(windows.filter(({ maintenance }) => maintenance !== null).length, 2)
    t.same(
      faults.filter(fault => !fault.includes('409')),
      [],
    )
    await close()
  })

  t.test('viewer selects monitors and is offered no maintenance', async t => {
    const { page, close } = await list('vera')
    await page.locator('.row a').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await chosen(page).waitFor()
    t.equal(await chosen(page).getByRole('button', { name: 'Maintenance' }).count(), 0)
    await page.keyboard.press('m')
    await page.getByText('Maintenance needs the role editor in this workspace.').waitFor()
    t.equal(await page.getByRole('dialog').count(), 0)
    await close()
  })
})
