// Pages under faults, in a real browser with the real keeper, directory and gateway in virtual time: rights that end, wrong clocks, failing
// networks, and data at their bounds.
import type { BrowserContext, Page } from 'playwright-core'
import t from 'tap'
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import { limits } from '#shared/limits/limits.ts'
import { startDashboardWorld } from '../support/worlds/dashboard-world.ts'
import { closeMs } from '../support/worlds/whole-world.ts'
import { axeFaults, open, overflows, seeAll, withBrowser } from './chromium.ts'

await withBrowser(async () => {
  const world = await startDashboardWorld()
  t.teardown(() => world.stop())
  const { token, workspaceId } = world

  const made = async (method: string, path: string, body: object) => {
    const { status, json, text } = await world.call(method, path, { token, body })
    if (status >= 300 || (json.error ?? null) !== null) throw new Error(`${path}: ${text}`)
    return json.result
  }
  /** A stream checks the rights of its person once a second. */
  const lookAtRights = () => world.clock.advance(2_000)
  const live = (page: Page) => page.locator('[data-link=live]').waitFor()

  t.test('editor who becomes a viewer on an open page loses the actions and still gets updates', async t => {
    const { id } = await world.addFailing('Demoted')
    await world.addMember('rita', 'editor')
    const { page, faults, close } = await open(world.address, `/monitors/${id}`, { as: 'rita' })
    const act = page.getByRole('button', { name: 'Maintenance m', exact: true })
    await act.waitFor()
    await live(page)
    await world.ask('change-role', { workspaceId, userId: 'user-rita', role: 'viewer' })
    await lookAtRights()
    await act.waitFor({ state: 'detached' })
    await live(page)
    await world.report(id, 'aaaa', true)
    await world.clock.advance(1_000)
    await page.locator('.monitor-head .status', { hasText: 'Recovering' }).waitFor()
    t.same(faults, [])
    await close()
  })

  t.test('action that the server no longer allows is refused with a message, and changes nothing', async t => {
    const { id } = await world.addFailing('Refused')
    await world.addMember('rolf', 'editor')
    const { page, close } = await open(world.address, `/monitors/${id}`, { as: 'rolf' })
    await live(page)
    await page.keyboard.press('m')
    const act = page.getByRole('button', { name: 'Start maintenance for 1 h' })
    await act.waitFor()
    // The stream has not checked the rights yet, so the page still shows the action.
    await world.ask('change-role', { workspaceId, userId: 'user-rolf', role: 'viewer' })
    await act.click()
    t.match(await page.locator('.announcement[data-refusal=true]').textContent(), /editor/)
    const { json } = await world.editor.send('GET', `/session/monitors/${id}`)
    t.equal(json.window, null)
    await close()
  })

  t.test('page of a deleted workspace says that the workspace is deleted, and links another workspace', async t => {
    await world.addMember('mona', 'viewer')
    await world.ask('create-workspace', { id: 'mona000000', name: 'Of Mona', userId: 'user-mona' })
    const path = `/?workspace=${workspaceId}`
    const { page, faults, close } = await open(world.address, path, { as: 'mona' })
    await live(page)
    await world.ask('remove-member', { workspaceId, userId: 'user-mona' })
    await lookAtRights()
    await page.getByRole('heading', { name: 'No longer your workspace' }).waitFor()
    t.same(await axeFaults(page), [])
    await page.getByRole('button', { name: 'Show Of Mona' }).click()
    await page.getByRole('heading', { name: 'What do you want to watch?' }).waitFor()
    await live(page)
    // The browser reports the 404 of the refused stream in its console. The page is not at fault.
    t.same(
      faults.filter(fault => !fault.includes('404')),
      [],
    )
    await close()
  })

  t.test('page shows the right time to a deadline when the clock of the visitor is an hour ahead or behind', async t => {
    const { incident } = await world.addFailing('Clocks')
    const due = async (shiftMs: number) => {
      const { page, close } = await open(world.address, `/incidents/${incident}`, {
        as: 'vera',
        before: async context => void context.addInitScript(`{ const real = Date.now; Date.now = () => real() + ${shiftMs} }`),
      })
      const text = await page.locator('.stage .due text').textContent()
      await close()
      return text
    }
    for (const hours of [0, 1, -1]) t.match(await due(hours * 3_600_000), /^reminder in (4:00:00|3:59:\d\d)$/, `${hours} h`)
  })

  t.test('page reports a part that did not load, and shows the part after the next try', async t => {
    const { incident } = await world.addFailing('Slow')
    let isCut = true
    const cut = async (context: BrowserContext) =>
      void context.route('**/session/incidents/**', route => (isCut ? route.abort() : route.continue()))
    const { page, close } = await open(world.address, `/incidents/${incident}`, { as: 'vera', before: cut })
    await page.getByText('No connection to Watchkeeper').waitFor()
    t.same(await axeFaults(page), [])
    isCut = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Slow' }).waitFor()
    await close()
  })

  t.test('section whose script does not load offers to try again', async t => {
    const { id } = await world.addFailing('Cut')
    const { page, context, close } = await open(world.address, `/monitors/${id}`, { as: 'vera' })
    await live(page)
    await context.setOffline(true)
    const section = page.locator('.later', { hasText: 'Incidents' })
    await section.scrollIntoViewIfNeeded()
    await section.getByText('This could not be loaded.').waitFor()
    await context.setOffline(false)
    await section.getByRole('button', { name: 'Try again' }).click()
    await section.getByRole('table').waitFor()
    t.equal(await section.getByRole('button', { name: 'Try again' }).count(), 0)
    await close()
  })

  t.test('page first shows that it is loading, and then its content, when its data arrive late', async t => {
    const { incident } = await world.addFailing('Train')
    const slow = async (context: BrowserContext) => {
      await context.route('**/session/incidents/**', async route => {
        await held
        await route.continue()
      })
    }
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const { page, faults, close } = await open(world.address, `/incidents/${incident}`, { as: 'vera', before: slow })
    await page.getByText('Loading').waitFor()
    release()
    await page.getByRole('heading', { name: 'Train' }).waitFor()
    t.same(faults, [])
    await close()
  })

  t.test(
    'names from right to left and names that look like markup are shown as text within the width of the page',
    { timeout: 90_000 },
    async t => {
      const arabic = 'مراقبة'.repeat(17).slice(0, 100)
      const markup = '<script>alert(1)</script><img src=x>'
      for (const name of [arabic, markup]) {
        const { id, incident } = await world.addFailing(name)
        const { json } = await world.editor.send('GET', `/session/monitors/${id}`)
        const labels = { '<script>': '<b>bold</b>' }
        const signal = json.resource.signals[0].key
        const path = `/api/v3/workspaces/${workspaceId}/resources/${id}/observations`
        await made('POST', path, { signal, state: 'problem', labels, body: { text: '<script>alert(1)</script>' } })
        for (const path of ['/', `/monitors/${id}`, `/incidents/${incident}`, '/incidents'])
          for (const width of [1280, 360]) {
            const { page, faults, close } = await open(world.address, path, { as: 'vera', width })
            await page.getByText(name).first().waitFor()
            t.notOk(await overflows(page), `${path}, ${width} px`)
            t.same(faults, [], path)
            await close()
          }
        const { page, faults, close } = await open(world.address, `/monitors/${id}`, { as: 'vera' })
        await seeAll(page)
        await page.getByRole('region', { name: 'Observation log' }).waitFor()
        t.same(faults, [])
        await close()
      }
    },
  )

  t.test('Observation and delivery of the largest size are shown within the width of the page', async t => {
    const { id } = await world.addFailing('Large')
    const { json } = await world.editor.send('GET', `/session/monitors/${id}`)
    const path = `/api/v3/workspaces/${workspaceId}/resources/${id}/observations`
    const signal = json.resource.signals[0].key
    await made('POST', path, { signal, state: 'problem', body: { text: 'x'.repeat(limits.subject.metaBytes - 11) } })
    const at = world.clock.now()
    const delivery: DeliveryLogDocument = {
      ...{ id: 'Large1', rev: 1, number: 1, workspaceId, destinationId: 'd1', destinationNumber: 1, destinationName: 'Ops' },
      ...{ destinationType: 'webhook', alertKind: 'problem', event: 'problem', status: 'delivered', reason: null },
      ...{ shownInV2: 1, payload: 'x'.repeat(65_536), error: '', incidentId: `${id}.1`, at, expireAt: at + 1_000_000 },
    }
    await world.store.insert('deliveryLog', [delivery])
    for (const width of [1280, 360]) {
      const log = await open(world.address, `/monitors/${id}`, { as: 'vera', width })
      await seeAll(log.page)
      await log.page.getByRole('region', { name: 'Observation log' }).waitFor()
      const deliveries = await open(world.address, '/deliveries', { as: 'vera', width })
      await deliveries.page.getByText('Show', { exact: true }).first().click()
      await deliveries.page.getByText('xxxx').first().waitFor()
      for (const { page, faults, close } of [log, deliveries]) {
        t.notOk(await overflows(page), `${page.url()}, ${width} px`)
        t.same(await axeFaults(page), [])
        t.same(faults, [])
        await close()
      }
    }
  })

  t.test('monitor of one hundred signals shows all signals within the width of the page', { timeout: 60_000 }, async t => {
    const subject = await made('POST', '/api/v2/subjects', { workspace_id: workspaceId, name: 'Hundred' })
    for (let n = 1; n <= 100; n++) {
      const asked = { name: `Signal number ${n}`, kind: 'custom_event' }
      const { id } = await made('POST', `/api/v2/subjects/${subject.id}/signals`, asked)
      const path = `/api/v3/workspaces/${workspaceId}/resources/${subject.id}/observations`
      await made('POST', path, { signal: id, state: n % 7 === 0 ? 'problem' : 'ok', value: n })
    }
    await world.clock.advance(1_000)
    const listed = await world.editor.send('GET', `/api/v3/workspaces/${workspaceId}/monitors?search=Hundred`)
    for (const width of [1280, 360]) {
      const { page, faults, close } = await open(world.address, `/monitors/${listed.json.result[0].id}`, { as: 'vera', width })
      await page
        .locator('main')
        .getByText(/signal-number-100|Signal number 100/)
        .first()
        .waitFor()
      t.same(await axeFaults(page), [])
      t.notOk(await overflows(page), `${width} px`)
      t.same(faults, [])
      await close()
    }
  })

  t.test('slider reaches every moment of an incident with thousands of records', { timeout: 120_000 }, async t => {
    const { id, incident } = await world.addFailing('Flapping')
    for (let n = 0; n < 2_500; n++) {
      await world.report(id, 'aaaa', true)
      await world.report(id, 'aaaa', false)
    }
    const { page, faults, close } = await open(world.address, `/incidents/${incident}`, { as: 'vera' })
    const slider = page.getByRole('slider')
    await page.locator('input[type=range][max="5001"]').waitFor()
    await slider.focus()
    await page.keyboard.press('Home')
    await page.waitForURL(url => url.search === '?at=1')
    t.match(await slider.getAttribute('aria-valuetext'), /^1 of 5002: .*Pending$/)
    await page.getByText(/\d+ later records: move the slider/).waitFor()
    await page.keyboard.press('End')
    t.match(await slider.getAttribute('aria-valuetext'), /^5002 of 5002: .*Problem$/)
    t.ok((await page.locator('.timeline li').count()) < 100)
    t.same(await axeFaults(page), [])
    t.same(faults, [])
    await close()
    await world.report(id, 'aaaa', true)
    await world.clock.advance(closeMs)
  })
})
