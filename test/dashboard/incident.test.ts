// The incident page in a real browser, with the real keeper, directory and gateway in virtual time: state machine, history,
// acknowledgement, inspector, and the requirements of every page.
import t from 'tap'
import { startDashboardWorld } from '../support/worlds/dashboard-world.ts'
import { closeMs } from '../support/worlds/whole-world.ts'
import { axeFaults, open, overflows, tabTo, withBrowser } from './chromium.ts'

await withBrowser(async () => {
  const world = await startDashboardWorld()
  t.teardown(() => world.stop())

  const show = (incident: string, options = {}) => open(world.address, `/incidents/${incident}`, { as: 'vera', ...options })
  const active = (page: Awaited<ReturnType<typeof open>>['page']) => page.locator('.stage .is-active').getAttribute('data-state')

  t.test('page highlights the state of the incident, its path and its deadline, and says what happens next', async t => {
    const { incident } = await world.addFailing('Shop')
    const { page, faults, bytes, close } = await show(incident)
    await page.getByRole('heading', { name: 'Shop' }).waitFor()
    t.equal(await active(page), 'problem')
    t.equal(await page.locator('.stage .is-taken > .line').count(), 1)
    t.match(await page.locator('.stage .due text').textContent(), /^reminder in (4:00:00|3:59:\d\d)$/)
    t.match(
      await page.locator('section[aria-labelledby=next]').textContent(),
      /a reminder is due, but no destination is meant for it\..*If the rule is ok again: Recovering/,
    )
    t.match(await page.locator('section[aria-labelledby=evidence]').textContent(), /1 of 1 location failing.*Location.*deProblem/)
    t.ok(bytes() <= 37_000, `${bytes()} bytes`)
    t.comment(`${bytes()} bytes`)
    t.same(faults, [])
    await close()
  })

  t.test('page shows what the server answered to a failed check, and a viewer its status alone', async t => {
    const meta = { url: 'https://shop.example/', locations: ['aaaa'] }
    const v3 = `/api/v3/workspaces/${world.workspaceId}/resources`
    const made = await world.editor.send('POST', v3, { body: { template: 'http-check', name: 'Answering', meta } })
    const { id } = made.json.result
    await world.report(id, 'aaaa', true)
    await world.clock.advance(1_000)
    const headers = ['content-type: text/html', 'set-cookie: [redacted]']
    const response = { statusLine: 'HTTP/1.1 503 Unavailable', headers, body: '<h1>Sorry</h1>', binary: false, truncated: true }
    await world.report(id, 'aaaa', false, { response })
    await world.clock.advance(1_000)
    const { open_incident: incident } = (await world.editor.send('GET', `${v3}/${id}`)).json.result
    for (const [as, colorScheme, width] of [['edith', 'light', 1280] as const, ['vera', 'dark', 360] as const]) {
      const { page, faults, close } = await show(incident.id, { as, colorScheme, width })
      const answers = page.getByRole('region', { name: 'What the server answered' })
      await answers.getByText('HTTP/1.1 503 Unavailable').waitFor()
      const text = (await answers.textContent()) ?? ''
      t.match(text, /de, .*: status 503, expected 200/)
      t.equal(text.includes('<h1>Sorry</h1>') && text.includes('set-cookie: [redacted]'), as === 'edith')
      t.equal(text.includes('for editors and owners'), as === 'vera')
      t.same(await axeFaults(page), [], `${width} px`)
      t.notOk(await overflows(page), `${width} px`)
      t.same(faults, [])
      await close()
    }
  })

  t.test('the page names who will be notified', async t => {
    const path = `/api/v3/workspaces/${world.workspaceId}/destinations`
    const body = { name: 'Ops', type: 'webhook', url: 'https://hooks.example/ops' }
    const made = await world.editor.send('POST', path, { body })
    t.equal(made.status, 201, made.text)
    const { incident } = await world.addFailing('Named')
    const { page, faults, close } = await show(incident)
    await page.getByText('a reminder is sent to Ops.').waitFor()
    t.same(faults, [])
    await close()
  })

  t.test('slider and replay work by keyboard alone, and show each moment in drawing, evidence and page address', async t => {
    const { id, incident } = await world.addFailing('Mail')
    await world.report(id, 'aaaa', true)
    await world.clock.advance(closeMs)
    const { page, faults, close } = await show(incident)
    await tabTo(page, page.getByRole('slider'))
    t.equal(await active(page), 'closed')
    await page.keyboard.press('Home')
    await page.waitForURL(url => url.search === '?at=1')
    t.equal(await active(page), 'pending')
    t.match(await page.getByRole('slider').getAttribute('aria-valuetext'), /^1 of 4: .*problem, Pending$/)
    t.match(await page.locator('section[aria-labelledby=next]').textContent(), /What happened next.*became Problem: it lasted/)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    t.equal(await active(page), 'recovering')
    t.equal(await page.locator('.timeline [aria-current=step]').count(), 1)
    await page.keyboard.press('l')
    await page.waitForURL(url => url.search === '')
    t.equal(await active(page), 'closed')
    // From here on only `runFor` advances the page's clock. A step of the replay takes 900 ms.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
    await page.keyboard.press('r')
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    t.equal(new URL(page.url()).search, '?at=1')
    await page.clock.runFor(899)
    t.equal(new URL(page.url()).search, '?at=1')
    await page.clock.runFor(1)
    t.equal(new URL(page.url()).search, '?at=2')
    await page.keyboard.press('r')
    await page.getByRole('button', { name: 'Replay' }).waitFor()
    await page.clock.runFor(1_800)
    t.equal(await active(page), 'problem')
    await page.keyboard.press('l')
    const copied = await show(`${incident}?at=2`)
    t.equal(await copied.page.locator('.stage .is-active').getAttribute('data-state'), 'problem')
    t.same([...faults, ...copied.faults], [])
    await Promise.all([close(), copied.close()])
  })

  t.test('open page follows the changes of its incident', async t => {
    const { id, incident } = await world.addFailing('Live')
    const { page, close } = await show(incident)
    await page.locator('[data-link=live]').waitFor()
    await world.report(id, 'aaaa', true)
    // The stream collects changes for a moment before it sends them.
    await world.clock.advance(1_000)
    await page.locator('.stage [data-state=recovering].is-active').waitFor()
    await page.locator('.stage .arrow.is-next').first().waitFor({ state: 'attached' })
    t.match(await page.locator('h1').textContent(), /Recovering/)
    await close()
  })

  t.test('person acknowledges by keyboard in a dialog that says what an acknowledgement does', async t => {
    const { incident } = await world.addFailing('Taken')
    const { page, faults, close } = await show(incident, { as: 'edith' })
    await page.getByRole('button', { name: 'Acknowledge a', exact: true }).waitFor()
    await page.keyboard.press('a')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('reminders stop').waitFor()
    await tabTo(page, 'Acknowledge')
    await page.keyboard.press('Enter')
    await page.getByText('Acknowledged by edith').waitFor()
    await page.getByRole('button', { name: 'Acknowledge a', exact: true }).waitFor({ state: 'detached' })
    t.same(faults, [])
    await close()
  })

  t.test('inspector gets the records only after the person consents, and only at the site that the consent names', async t => {
    const { incident } = await world.addFailing('Inspected')
    const receiver = `<script>
      const seen = []
      addEventListener('message', ({ data }) => { seen.push(data.type); document.title = seen.join(' ') })
      opener.postMessage({ type: '@statelyai.connected' }, '*')
    </script>`
    const { page, context, close } = await show(incident, {
      before: async (context: Awaited<ReturnType<typeof open>>['context']) =>
        context.route('https://stately.ai/**', route => route.fulfill({ contentType: 'text/html', body: receiver })),
    })
    await page.getByText('Details', { exact: true }).click()
    await page.getByRole('button', { name: 'Stately inspector' }).click()
    await page.getByText('leave for https://stately.ai').waitFor()
    const opened = context.waitForEvent('page')
    await page.getByRole('button', { name: 'Send and open' }).click()
    const popup = await opened
    await page.getByText('5 messages sent.').waitFor()
    t.equal(await popup.title(), '@xstate.actor @xstate.event @xstate.snapshot @xstate.event @xstate.snapshot')
    await close()
  })

  t.test('page is accessible, without errors, and no wider than its window', { timeout: 60_000 }, async t => {
    const { incident } = await world.addFailing('Looks')
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1280, 360]) {
        const { page, faults, close } = await show(incident, { colorScheme, width })
        await page.locator('.is-active').first().waitFor({ state: 'attached' })
        t.same(await axeFaults(page), [], `axe: ${colorScheme}, ${width} px`)
        t.notOk(await overflows(page), `width: ${width} px`)
        t.same(faults, [])
        await close()
      }
  })

  t.test('page says that an incident is unknown, and links the monitoring page', async () => {
    const { page, close } = await show('unknown000')
    await page.getByRole('heading', { name: 'There is no such incident' }).waitFor()
    await page.getByRole('link', { name: 'To the monitoring page' }).click()
    await page.waitForURL(url => url.pathname === '/')
    await close()
  })
})
