// The page of a monitor in a real browser, with the real keeper, directory and gateway in virtual time: its state and state machine,
// figures, past, actions, and the requirements of every page.
import { readFile } from 'node:fs/promises'
import t from 'tap'
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import { addChartedMonitor, addChartedResource } from '../support/worlds/charted-monitor.ts'
import { startDashboardWorld } from '../support/worlds/dashboard-world.ts'
import { confirmMs } from '../support/worlds/whole-world.ts'
import { axeFaults, type OpenOptions, open, overflows, seeAll, tabTo, withBrowser } from './chromium.ts'

await withBrowser(async () => {
  const world = await startDashboardWorld()
  t.teardown(() => world.stop())

  const show = (id: string, options: OpenOptions = {}) => open(world.address, `/monitors/${id}`, { as: 'vera', ...options })

  t.test('page of a monitor in trouble loads a day of checks from three locations in at most 36.5 kB', async t => {
    const id = await addChartedMonitor(world, 'Charted', { isFailing: true })
    const { page, faults, bytes, close } = await show(id, { height: 1_000 })
    await page.locator('.small-machine .is-active[data-state=problem]').waitFor()
    await page.locator('.chart .line').nth(2).waitFor()
    await page.locator('[data-link=live]').waitFor()
    for (const path of await page.locator('.chart .line').all())
      t.ok(((await path.getAttribute('d')) ?? '').split('L').length > 280, 'a line of 5-minute steps')
    t.ok(bytes() <= 36_500, `${bytes()} bytes`)
    t.comment(`${bytes()} bytes`)
    t.same(faults, [])
    await close()
  })

  t.test(
    'page of a monitor that is up loads a day of checks in at most 36.5 kB, and reserves the space of its chart',
    async t => {
      const id = await addChartedMonitor(world, 'Calm', { isFailing: false })
      const { page, faults, bytes, close } = await show(id)
      const uptime = page.getByRole('heading', { name: 'Uptime' })
      const before = (await uptime.boundingBox())?.y ?? 0
      await page.locator('.chart .line').nth(2).waitFor()
      await page.locator('[data-link=live]').waitFor()
      t.ok(Math.abs(((await uptime.boundingBox())?.y ?? 0) - before) <= 8, 'the room of the chart was kept')
      t.ok(bytes() <= 36_500, `${bytes()} bytes`)
      t.comment(`${bytes()} bytes`)
      t.same(faults, [])
      await close()
    },
  )

  t.test('page of a failing Resource with a Template loads a day of values in at most 34 kB', { timeout: 300_000 }, async t => {
    const id = await addChartedResource(world, 'measured')
    for (const as of ['vera', 'edith']) {
      const { page, faults, bytes, close } = await show(id, { as })
      await page.locator('.monitor-head .status', { hasText: 'Down' }).waitFor()
      await page.locator('.small-machine .is-active[data-state=problem]').waitFor()
      await page.locator('.chart .level-words', { hasText: 'deep: > 100' }).waitFor()
      await page.locator('[data-link=live]').waitFor()
      const lines = await page.locator('.chart .line').all()
      t.equal(lines.length, 3, 'mean, highest and lowest')
      t.equal(await page.getByRole('button', { name: 'Copy as curl' }).count(), 1, 'a command for its one signal')
      for (const line of lines) t.ok(((await line.getAttribute('d')) ?? '').split('L').length > 280, 'a line of 5-minute steps')
      t.ok(bytes() <= 34_000, `${bytes()} bytes`)
      t.comment(`${bytes()} bytes`)
      t.same(faults, [])
      await close()
    }
  })

  t.test('page shows a change that occurs between the read of its data and the start of its first stream', async t => {
    const id = await world.addMonitor('Raced')
    await world.report(id, 'aaaa', true)
    let letGo = () => {}
    const changed = new Promise<void>(resolve => {
      letGo = resolve
    })
    const { page, faults, close } = await show(id, {
      before: async context => {
        await context.route('**/events*', route => changed.then(() => route.continue()))
      },
    })
    await page.locator('.monitor-head .status', { hasText: 'Up' }).waitFor()
    await world.clock.advance(1_000)
    await world.report(id, 'aaaa', false)
    await world.clock.advance(confirmMs)
    letGo()
    await page.locator('.monitor-head .status', { hasText: 'Down' }).waitFor()
    t.same(faults, [])
    await close()
  })

  t.test('page of a monitor in trouble shows its state, machine and rules in at most 34 kB in a window of 560 px', async t => {
    const { id } = await world.addFailing('Shop')
    const { page, faults, bytes, close } = await show(id, { height: 560 })
    await page.locator('.small-machine .is-active[data-state=problem]').waitFor()
    await page.getByRole('region', { name: 'Locations' }).waitFor()
    t.match(
      await page.locator('.why-now').textContent(),
      /Status 503, expected 200 \(de\)\. Next: reminder in (4:00:00|3:59:\d\d)/,
    )
    t.equal(await page.locator('.later .chart').count(), 0, 'charts wait until they come into view')
    t.ok(bytes() <= 34_000, `${bytes()} bytes`)
    t.comment(`${bytes()} bytes`)
    await seeAll(page)
    await page.locator('.chart').waitFor()
    await page.locator('.days').waitFor()
    t.comment(`${bytes()} bytes in all`)
    await page.locator('.incident-card').click()
    await page.waitForURL(/\/incidents\//)
    t.same(faults, [])
    await close()
  })

  t.test('page is accessible, without errors, and no wider than its window', { timeout: 60_000 }, async t => {
    const { id } = await world.addFailing('Looks')
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 360]) {
        const { page, faults, bytes, close } = await show(id, { colorScheme, width })
        await page.locator('.small-machine').waitFor()
        await seeAll(page)
        t.same(await axeFaults(page), [], `axe: ${colorScheme}, ${width} px`)
        t.notOk(await overflows(page), `width: ${width} px`)
        t.ok(bytes() <= 55_000, `the whole page: ${bytes()} bytes`)
        t.same(faults, [])
        await close()
      }
  })

  t.test('page of a check shows its last results as bars with words, and values in the unit of its kind', async t => {
    const v3 = `/api/v3/workspaces/${world.workspaceId}`
    const meta = { target: 'shop.example', locations: ['aaaa'] }
    const body = { template: 'certificate-check', name: 'Shop certificate', meta }
    const made = await world.editor.send('POST', `${v3}/resources`, { body })
    const { id } = made.json.result
    await world.report(id, 'aaaa', true, { value: 62 })
    await world.clock.advance(1_000)
    await world.report(id, 'aaaa', false, { value: 3, error: 'certificate ends in 3 days, on 2026-01-08' })
    await world.clock.advance(1_000)
    for (const [colorScheme, width] of [['light', 1280] as const, ['dark', 360] as const]) {
      const { page, faults, close } = await show(id, { colorScheme, width })
      await page.getByRole('heading', { name: 'Time left' }).waitFor()
      const locations = page.getByRole('region', { name: 'Locations' })
      t.match(await locations.textContent(), /Time left.*3 days.*certificate ends in 3 days/)
      await page.getByRole('heading', { name: 'Last results' }).scrollIntoViewIfNeeded()
      const bars = page.getByRole('slider', { name: '2 results' })
      await bars.waitFor()
      const looks = (await bars.locator('.strip-bar').all()).map(bar => bar.getAttribute('data-look'))
      t.strictSame(await Promise.all(looks), ['passed', 'failed'])
      t.match(await bars.getAttribute('aria-valuetext'), /, de: Problem, certificate ends in 3 days, on 2026-01-08, 3 days$/)
      await bars.focus()
      await page.keyboard.press('ArrowLeft')
      t.match(await bars.getAttribute('aria-valuetext'), /, de: OK, 62 days$/)
      await page.locator('.results .readout', { hasText: '62 days' }).waitFor()
      t.same(await axeFaults(page), [], `axe: ${colorScheme}, ${width} px`)
      t.notOk(await overflows(page), `width: ${width} px`)
      t.same(faults, [])
      await close()
    }
  })

  t.test('values that senders report are shown with the threshold of the rule as chart, table and file', async t => {
    const v3 = `/api/v3/workspaces/${world.workspaceId}`
    const send = async (path: string, body: object) => {
      const sent = await world.editor.send('POST', v3 + path, { body })
      t.equal(sent.json.error, null, sent.text)
      return sent.json.result
    }
    const compared = { signal: 'depth', field: 'value', operator: 'gt', operand: 100 }
    await send('/templates', {
      ...{ key: 'queue', version: 1, name: 'Queue', signals: [{ key: 'depth', kind: 'periodic', every_seconds: 600 }] },
      rules: [{ key: 'deep', action: 'Look.', wait: { confirm_after: 60, recover_after: 0 }, decision: compared }],
    })
    const { id } = await send('/resources', { key: 'jobs', name: '=Jobs', template: 'queue@1' })
    for (const value of [40, -25, 150]) {
      await send(`/resources/${id}/observations`, { signal: 'depth', state: 'ok', value })
      await world.clock.advance(5 * 60_000)
    }
    const { page, faults, close } = await show(id)
    await page.getByRole('heading', { name: 'Values' }).scrollIntoViewIfNeeded()
    await page.locator('.chart .level-words', { hasText: 'deep: > 100' }).waitFor()
    t.equal(await page.locator('.chart .line').count(), 1)
    await tabTo(page, 'depth')
    await page.keyboard.press('Home')
    t.match(await page.getByRole('slider', { name: 'depth' }).getAttribute('aria-valuetext'), /: value 40$/)
    await page.keyboard.press('ArrowRight')
    t.match(await page.locator('.readout').first().textContent(), /: value -25$/)
    await page.getByText('As a table').click()
    t.match(await page.getByRole('region', { name: 'depth, as a table' }).textContent(), /150.*-25.*40/)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as CSV' }).click()
    const file = await readFile(await (await saved).path(), 'utf8')
    t.match(file.split('\r\n'), [/^at,value$/, /Z,40$/, /Z,-25$/, /Z,150$/])
    await page.getByRole('tab', { name: '7 days' }).click()
    await page.waitForURL(url => url.search === '?range=7d')
    t.same(await axeFaults(page), [])
    t.same(faults, [])
    await close()
  })

  t.test('maintenance is started, moved and ended in its section, which shows its state machine', async t => {
    const { id } = await world.addFailing('Windowed')
    const { page, faults, close } = await show(id, { as: 'edith' })
    await page.getByRole('heading', { name: 'Maintenance window' }).scrollIntoViewIfNeeded()
    await page.getByText('No window runs.').waitFor()
    await tabTo(page, 'Start maintenance')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Days').selectOption('5')
    await dialog.getByLabel('Hours').selectOption('23')
    await dialog.getByRole('button', { name: 'Start maintenance for 5 d 23 h' }).click()
    const drawing = page.getByRole('region', { name: 'Drawing of the maintenance window' })
    await drawing.locator('[data-state=running].is-active').waitFor()
    t.match(await drawing.locator('.due text').textContent(), /^ends in 5 d 2\d h$/)
    t.equal(await drawing.locator('.arrow.is-next').count(), 2, 'the arrow that time takes, and its words')
    await page.getByText(/Started by edith, until/).waitFor()
    await page.getByText('it runs out. Nobody is notified of that.').waitFor()
    await page.getByRole('button', { name: 'Move or end maintenance' }).click()
    await dialog.getByRole('button', { name: 'Start maintenance for 1 h' }).click()
    await page.getByText(/The end was moved: until/).waitFor()
    t.same(await axeFaults(page), [])
    await page.getByRole('button', { name: 'Move or end maintenance' }).click()
    await dialog.getByRole('button', { name: 'End maintenance now' }).click()
    await page.getByText('No window runs.').waitFor()
    t.same(faults, [])
    await close()
    const viewer = await show(id)
    await viewer.page.getByRole('heading', { name: 'Maintenance window' }).scrollIntoViewIfNeeded()
    await viewer.page.getByText('No window runs.').waitFor()
    t.equal(await viewer.page.getByRole('button', { name: 'Start maintenance' }).count(), 0, 'a viewer sees no act')
    await viewer.close()
  })

  t.test('page lists the messages about its monitor with their outcome, and none about other monitors', async t => {
    const { id } = await world.addFailing('Told')
    const row = (number: number, over: Partial<DeliveryLogDocument>): DeliveryLogDocument => ({
      ...{ id: `Told${number}`, rev: 1, number, workspaceId: world.workspaceId, destinationId: 'dest1', destinationNumber: 1 },
      ...{ destinationName: 'Ops', destinationType: 'webhook', alertKind: 'problem', event: 'problem', status: 'delivered' },
      ...{ reason: null, shownInV2: 1, payload: '{"text":"down"}', error: '', incidentId: `${id}.1`, subjectId: id },
      ...{ at: world.clock.now() + number, expireAt: world.clock.now() + 1_000_000 },
      ...over,
    })
    const many = Array.from({ length: 10 }, (_, n) => row(n + 10, {}))
    await world.store.insert('deliveryLog', [
      row(1, { status: 'failed', reason: 'http_503', error: 'answered 503' }),
      row(30, { incidentId: 'Another001.1', subjectId: 'Another001', destinationName: 'Elsewhere' }),
      ...many,
    ])
    const { page, faults, close } = await show(id)
    await page.getByRole('heading', { name: 'Messages' }).scrollIntoViewIfNeeded()
    const table = page.getByRole('region', { name: 'Deliveries' })
    await table.waitFor()
    t.equal(await table.locator('tbody tr').count(), 10)
    t.notMatch(await table.textContent(), 'Elsewhere')
    await table.getByRole('link', { name: 'Told' }).first().waitFor()
    await page.getByRole('link', { name: 'All messages about this monitor' }).click()
    await page.getByRole('cell', { name: 'Failed: the receiver answered 503' }).waitFor()
    t.equal(await page.locator('tbody tr').count(), 11)
    await page.getByRole('link', { name: 'Show those of all monitors' }).click()
    await page.getByRole('cell', { name: 'Elsewhere' }).waitFor()
    t.same(faults, [])
    await close()
  })

  t.test('an editor chooses by keyboard who is notified of what, and a viewer can only read this choice', async t => {
    const id = await world.addMonitor('Chosen')
    for (const name of ['Ops', 'Desk']) {
      const body = { name, type: 'webhook', url: `https://hooks.example/${name}` }
      const made = await world.editor.send('POST', `/api/v3/workspaces/${world.workspaceId}/destinations`, { body })
      t.equal(made.status, 201, made.text)
    }
    const { page, faults, close } = await show(id, { as: 'edith' })
    await page.getByRole('heading', { name: 'Who is notified' }).scrollIntoViewIfNeeded()
    await page.getByText('Ops, the default of the workspace, gets all messages.').waitFor()
    for (const kind of ['Problems', 'No data', 'Recoveries'])
      t.ok(await page.getByRole('checkbox', { name: `${kind} to Ops` }).isChecked(), `the default gets ${kind}`)
    await tabTo(page, page.getByRole('checkbox', { name: 'Problems to Desk' }))
    await page.keyboard.press('Space')
    await page.getByText('After saving: Ops gets problems, no data and recoveries; Desk gets problems.').waitFor()
    for (const kind of ['Problems', 'No data', 'Recoveries'])
      await page.getByRole('checkbox', { name: `${kind} to Ops` }).uncheck()
    await page.getByText('After saving: Desk gets problems. Nobody is notified of no data and recoveries.').waitFor()
    await tabTo(page, 'Save alert delivery')
    await page.keyboard.press('Enter')
    await page.locator('.announcement', { hasText: 'Saved. Desk gets problems.' }).waitFor()
    t.same(await axeFaults(page), [])
    const reader = await show(id, { width: 360, colorScheme: 'dark' })
    await seeAll(reader.page)
    await reader.page.getByText('Desk gets problems. Nobody is notified of no data and recoveries.').waitFor()
    t.ok(await reader.page.getByRole('checkbox', { name: 'Problems to Desk' }).isDisabled())
    t.equal(await reader.page.getByRole('button', { name: 'Save alert delivery' }).count(), 0)
    t.same(await axeFaults(reader.page), [])
    t.notOk(await overflows(reader.page))
    t.same([...faults, ...reader.faults], [])
    await Promise.all([close(), reader.close()])
  })

  t.test('log shows all reports or only rejected reports, of all days or of one day', async t => {
    const v2 = '/session/v2/subjects'
    const send = async (path: string, body: object) => {
      const sent = await world.editor.send('POST', path, { body })
      t.equal(sent.json.error, null, sent.text)
      return sent.json.result
    }
    const { id: slug } = await send(v2, { name: 'Orders', workspace_id: world.workspaceId })
    const { id: signal } = await send(`${v2}/${slug}/signals`, { name: 'beat', kind: 'custom_event' })
    const report = (status: string, ms: number, error = '') =>
      send(`${v2}/${slug}/signals/${signal}/observations`, {
        ...{ status, error, observed_at: new Date(world.clock.now() + ms).toISOString(), labels: { at: String(ms) } },
      })
    for (let n = 60; n > 0; n--) await report('ok', -n * 100)
    await report('problem', 0, 'empty basket')
    await report('problem', 3_600_000, 'a clock ahead')
    const { json } = await world.viewer.send('GET', `/api/v3/workspaces/${world.workspaceId}/monitors?search=Orders`)
    const { page, faults, close } = await show(json.result[0].id)
    await page.getByRole('heading', { name: 'Observation log' }).scrollIntoViewIfNeeded()
    const rows = page.getByRole('region', { name: 'Observation log' }).locator('tbody tr')
    await rows.filter({ hasText: 'empty basket' }).waitFor()
    t.equal(await rows.count(), 20)
    await page.getByRole('button', { name: 'Show older rows' }).click()
    await page.getByText('20 older rows are shown.').waitFor()
    t.equal(await rows.count(), 40)
    const today = new Date(world.clock.now()).toISOString().slice(0, 10)
    await page.getByLabel('Day', { exact: true }).fill(today)
    await page.waitForURL(url => url.searchParams.get('day') === today)
    await rows.nth(20).waitFor({ state: 'detached' })
    t.match(await rows.first().textContent(), /empty basket/)
    await page.getByLabel('Day', { exact: true }).fill('2020-01-01')
    await page.getByText('Nothing was reported on this day.').waitFor()
    await page.getByRole('button', { name: 'All days' }).click()
    await page.getByRole('tab', { name: 'Unaccepted' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Not accepted: its instant lies ahead; a clock ahead').waitFor()
    t.equal(await rows.count(), 1)
    await page.getByLabel('Day', { exact: true }).fill('2020-01-02')
    await page.getByText('Every report of this day was accepted.').waitFor()
    t.same(await axeFaults(page), [])
    t.same(faults, [])
    await close()
  })

  t.test(
    'monitor is archived or deleted after the page says what is lost, and the list shows the result',
    { timeout: 60_000 },
    async t => {
      const end = async (id: string, name: string, act: 'Archive' | 'Delete', losses: RegExp[]) => {
        const { page, faults, close } = await show(id, { as: 'edith' })
        await page.getByRole('heading', { name: /^Archive( or delete)?$/ }).scrollIntoViewIfNeeded()
        await page.getByRole('button', { name: act, exact: true }).waitFor()
        await tabTo(page, act)
        await page.keyboard.press('Enter')
        const dialog = page.getByRole('dialog', { name: `${act} ${name}?` })
        await dialog.locator('button:focus', { hasText: 'Cancel' }).waitFor()
        for (const loss of losses) t.match(await dialog.textContent(), loss)
        t.same(await axeFaults(page), [])
        await page.keyboard.press('Shift+Tab')
        await page.keyboard.press('Enter')
        await page.waitForURL(url => url.pathname === '/')
        await page.getByText(`${name} is ${act === 'Archive' ? 'archived' : 'deleted'}.`).waitFor()
        t.same(faults, [])
        await close()
      }
      const { id: stopped } = await world.addFailing('Stopped')
      await end(stopped, 'Stopped', 'Archive', [/Its checks stop\. 1 open incident closes/, /Nothing restores it/])
      const archived = await show(stopped, { as: 'edith' })
      await archived.page.getByText('An archived monitor is not judged.').waitFor()
      await seeAll(archived.page)
      t.equal(await archived.page.getByRole('button', { name: 'Archive' }).count(), 0)
      await archived.close()
      const { id: gone } = await world.addFailing('Gone')
      await end(gone, 'Gone', 'Delete', [/Lost for good are its settings, all its incidents/])
      t.equal((await world.viewer.send('GET', `/session/monitors/${gone}`)).status, 404)
      const made = await world.editor.send('POST', '/session/v2/subjects', {
        body: { name: 'Own', workspace_id: world.workspaceId },
      })
      t.equal(made.json.error, null)
      const own = (await world.store.find('subjects', { limit: 50 })).find(({ name }) => name === 'Own')!.id
      await end(own, 'Own', 'Delete', [/Its reports are refused/, /its signals and rules/])
      t.equal((await world.viewer.send('GET', `/session/monitors/${own}`)).status, 404)
      const { id: kept } = await world.addFailing('Kept')
      const viewer = await show(kept)
      await viewer.page.getByRole('heading', { name: 'Observation log' }).waitFor()
      t.equal(await viewer.page.getByRole('heading', { name: /Archive/ }).count(), 0, 'a viewer is offered neither')
      await viewer.close()
    },
  )
})
