// Links that lead to an object of another workspace than the present one: the page and its actions are of the object's workspace.
import t from 'tap'
import { startDashboardWorld } from '../support/worlds/dashboard-world.ts'
import { open, withBrowser } from './chromium.ts'

await withBrowser(async () => {
  const world = await startDashboardWorld()
  t.teardown(() => world.stop())
  await world.ask('create-workspace', { id: 'away000000', name: 'Away', userId: 'user-edith' })

  /** Opens a page as a person whose browser showed the workspace Away last. */
  const fromAway = (path: string) =>
    open(world.address, path, {
      as: 'edith',
      before: context =>
        context.addCookies([{ name: 'watchkeeper-workspace', value: 'away000000', url: world.address }]).then(() => undefined),
    })
  const shown = "document.querySelector('select.workspace')?.selectedOptions[0].text"

  t.test('each page of an object shows the workspace of the object', async t => {
    const { id, incident } = await world.addFailing('Linked')
    for (const path of [
      `/monitors/${id}`,
      `/monitors/${id}/edit`,
      `/monitors/${id}/signals`,
      `/incidents/${incident}`,
      `/incidents/${incident}?at=1`,
    ]) {
      const { page, faults, close } = await fromAway(path)
      await page.locator('h1', { hasText: /Linked/ }).waitFor()
      await page.waitForFunction(`${shown} === 'Home'`)
      t.same(faults, [], path)
      await close()
    }
  })

  t.test('incident that a link from another workspace opened is acknowledged', async t => {
    const { incident } = await world.addFailing('Taken')
    const { page, faults, close } = await fromAway(`/incidents/${incident}`)
    await page.getByRole('button', { name: 'Acknowledge a', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click()
    await page.getByText('Acknowledged by edith').waitFor()
    t.same(faults, [])
    await close()
  })
})
