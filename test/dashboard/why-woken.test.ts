// The question "why was I woken at 3:10" in a real browser, by keyboard only. The link of a message opens the page
// of a closed incident. The page shows what failed, where and when, who was notified, and the machine's state at that minute.
import t from 'tap'
import { linkOf } from '#shared/channels/message/words.ts'
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import { hour } from '#shared/limits/limits.ts'
import { startDashboardWorld } from '../support/worlds/dashboard-world.ts'
import { closeMs, confirmMs } from '../support/worlds/whole-world.ts'
import { axeFaults, open, tabTo, withBrowser } from './chromium.ts'

await withBrowser(async () => {
  const world = await startDashboardWorld()
  t.teardown(() => world.stop())

  /** Creates a monitor with two locations. It fails at one location, and its incident is confirmed at 3:10 and closes. */
  async function nightOf(name: string): Promise<string> {
    const id = await world.addMonitor(name, { locations: ['de', 'fr'], agreement: 'any' })
    const failsAt = Date.parse('2023-11-15T03:10:00Z') - confirmMs
    while (world.clock.now() < failsAt) {
      await world.report(id, 'aaaa', true)
      await world.report(id, 'bbbb', true)
      await world.clock.advance(Math.min(hour, failsAt - world.clock.now()))
    }
    await world.report(id, 'bbbb', false)
    await world.clock.advance(confirmMs)
    await world.report(id, 'bbbb', true)
    await world.clock.advance(closeMs)
    return id
  }

  t.test('a newcomer learns from the link of a message why they were woken at 3:10', { timeout: 60_000 }, async t => {
    await world.store.insert('locations', [{ id: 'bbbb', rev: 1, name: 'fr', displayName: null, createdAt: world.clock.now() }])
    const id = await nightOf('Checkout')
    const [incident] = await world.store.find('incidents', { limit: 10 })
    const woken = Date.parse('2023-11-15T03:10:00Z')
    const message = (number: number, at: number, event: 'problem' | 'recovery'): DeliveryLogDocument => ({
      ...{ id: `Night${number}`, rev: 1, number, workspaceId: world.workspaceId, destinationId: 'dest1', destinationNumber: 1 },
      ...{ destinationName: 'On call', destinationType: 'webhook', alertKind: event, event, status: 'delivered', reason: null },
      ...{
        shownInV2: 1,
        payload: '{}',
        error: '',
        incidentId: incident!.id,
        subjectId: id,
        at,
        expireAt: world.clock.now() + 1_000_000,
      },
    })
    await world.store.insert('deliveryLog', [message(1, woken + 1_000, 'problem'), message(2, woken + closeMs, 'recovery')])
    const link = linkOf({ subjectId: id } as AlertDocument, world.address)

    const { page, faults, close } = await open(world.address, new URL(link).pathname, { as: 'vera' })
    await page.getByRole('heading', { name: 'Checkout' }).waitFor()
    await page
      .getByText(/Last incident: Reachability, 15 Nov 2023, 03:08:00\. Status 503, expected 200 \(fr\)\. Closed after/)
      .waitFor()
    await tabTo(page, page.getByRole('link', { name: 'Reachability' }))
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/incidents\//)
    await page.getByRole('heading', { name: 'Checkout: Reachability' }).waitFor()
    const main = page.locator('main')
    // The page shows the beginning and the end of the incident.
    t.match(await main.textContent(), /Lasted 2 min: from 15 Nov 2023, 03:08:00 to 15 Nov 2023, 03:10:\d\d, when it recovered/)
    // The page shows the receiver and the instant of each message.
    t.match((await page.locator('section[aria-labelledby=told] tbody tr').allTextContents()).reverse(), [
      /15 Nov 2023, 03:10:01problemOn callDelivered/,
      /03:12:00recoveryOn callDelivered/,
    ])
    // The page shows the state machine at 3:10 when the slider is at the record of 3:10.
    await tabTo(page, page.getByRole('slider'))
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    t.match(await page.getByRole('slider').getAttribute('aria-valuetext'), /^2 of 4: 03:10:00, it lasted, Problem$/)
    t.equal(await page.locator('.stage .is-active').getAttribute('data-state'), 'problem')
    t.match((await page.locator('.stage .is-latest .event').allTextContents()).join(), 'it lasted')
    // The page shows the failure and the location at which it occurred.
    const readings = await page.locator('section[aria-labelledby=evidence] tbody tr').allTextContents()
    t.match(readings.sort(), [/^deOK/, /^frProblem.*status 503, expected 200/])
    t.notMatch(await main.innerHTML(), 'reachability@', 'locations have their names')
    t.match(await page.locator('section[aria-labelledby=next]').textContent(), /became Recovering: ok again/)
    t.equal(new URL(page.url()).search, '?at=2', 'the address shows the same moment to others')
    t.same(await axeFaults(page), [])
    t.same(faults, [])
    await close()
  })
})
