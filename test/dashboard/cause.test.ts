// The cause of an incident stands first on every page, also on a phone and after the close, and the list says what is watched. In a real
// browser, with the real keeper in virtual time.
import t from 'tap'
import { startDashboardWorld } from '../support/worlds/dashboard-world.ts'
import { closeMs, confirmMs } from '../support/worlds/whole-world.ts'
import { axeFaults, open, overflows, withBrowser } from './chromium.ts'

const cause = /status 503, expected 200 \(frankfurt\)/i

await withBrowser(async () => {
  const world = await startDashboardWorld()
  t.teardown(() => world.stop())
  await world.store.upsert('locations', [
    { id: 'aaaa', rev: 1, name: 'frankfurt', displayName: null, createdAt: world.clock.now() },
  ])
  const id = await world.addMonitor('Shop', { locations: ['frankfurt'] })
  await world.report(id, 'aaaa', false)
  await world.clock.advance(confirmMs)

  for (const [colorScheme, width] of [['light', 1280] as const, ['dark', 360] as const])
    t.test(`cause stands before the machine on each page, ${colorScheme}, at ${width} px`, async t => {
      const { page, faults, close } = await open(world.address, '/', { as: 'vera', colorScheme, width })
      const row = page.locator('tr.row', { hasText: 'Shop' })
      await row.getByText(cause).waitFor()
      t.notMatch(await row.textContent(), /1 of 1 location/)
      await page.goto(`${world.address}/monitors/${id}`)
      await page.getByText(cause).first().waitFor()
      t.match(await page.locator('p.watched').textContent(), /^GET https?:\/\/\S+ every 1h from frankfurt$/)
      await page.getByRole('link', { name: 'Reachability' }).first().click()
      await page.locator('p.cause').waitFor()
      t.match(await page.locator('p.cause').textContent(), cause)
      const top = async (selector: string) => (await page.locator(selector).first().boundingBox())?.y ?? Number.NaN
      t.ok((await top('p.cause')) < (await top('.stage')), 'above the drawing')
      t.same(await axeFaults(page), [])
      t.notOk(await overflows(page))
      await page.goto(`${world.address}/incidents`)
      await page.getByText(cause).first().waitFor()
      t.same(faults, [])
      await close()
    })

  t.test('cause is still said after the close', async t => {
    await world.report(id, 'aaaa', true)
    await world.clock.advance(closeMs)
    const { page, faults, close } = await open(world.address, `/monitors/${id}`, { as: 'vera' })
    await page.getByText(/Last incident: .*status 503, expected 200 \(frankfurt\)/i).waitFor()
    await page.getByRole('link', { name: 'Reachability' }).first().click()
    await page.locator('p.cause').waitFor()
    t.match(await page.locator('p.cause').textContent(), cause)
    t.same(faults, [])
    await close()
  })
})
