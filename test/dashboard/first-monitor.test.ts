// First use in a real browser with the real program: from an empty installation to the first monitor and its first check.
import t from 'tap'
import { assetFolder } from '../../services/gateway/dashboard/assets.ts'
import { killAllPrograms, startOutside, startProgram } from '../integration/system.ts'
import { axeFaults, open, overflows, seeAll, tabTo, withBrowser } from './chromium.ts'

/** Maximum time from the submission of the form until the first check is visible, ms. */
const seenMs = 3_000

await withBrowser(async () => {
  t.teardown(killAllPrograms)

  t.test(
    'first monitor is created without instructions, and its first check is visible within 3 s',
    { timeout: 240_000 },
    async t => {
      const outside = await startOutside()
      const program = await startProgram({
        DATA_DIR: t.testdir(),
        AUTH_DEV: 'true',
        HOST: '127.0.0.1',
      })
      t.teardown(async () => {
        await program.stop()
        await outside.close()
      })
      const origin = /listens on (http:\S+?)[;\s]/.exec(program.output())![1]!
      const { page, faults, bytes, close } = await open(origin, '/')
      await page.getByRole('heading', { name: 'What do you want to watch?' }).waitFor()
      t.same(await axeFaults(page), [])
      // By keyboard only: the field of the address already has the focus.
      await page.keyboard.type('nonsense here')
      await page.keyboard.press('Enter')
      await page.locator('[data-field=url] .refusal').waitFor()
      t.equal(await page.getByLabel('URL').getAttribute('aria-invalid'), 'true')
      await page.getByLabel('URL').focus()
      await page.keyboard.press('Control+A')
      await page.keyboard.type(outside.url)
      const sentAt = performance.now()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: '127.0.0.1' }).waitFor()
      await page.locator('.monitor-head .status', { hasText: 'Up' }).waitFor()
      const tookMs = performance.now() - sentAt
      t.ok(tookMs <= seenMs, `${tookMs.toFixed(0)} ms`)
      t.match(await page.locator('main').textContent(), /local.*OK/)
      // The browser reports the status 422 of the first request in its console. The page is not at fault.
      t.same(
        faults.filter(fault => !fault.includes('422')),
        [],
      )
      t.same(await axeFaults(page), [], 'the page of the monitor')
      t.comment(`${tookMs.toFixed(0)} ms to the first check, ${bytes()} bytes in all`)

      const monitor = new URL(page.url()).pathname
      const session = (await (await page.context().request.get(`${origin}/session`)).json()) as { workspaces: { id: string }[] }
      const resource = `${origin}/api/v3/workspaces/${session.workspaces[0]!.id}/resources/${monitor.split('/')[2]}`
      const found = (await (await page.context().request.get(resource)).json()) as { result: { signals: { key: string }[] } }
      const signal = found.result.signals[0]!.key
      const soon = await page.context().request.patch(resource, { data: { meta: { confirm_after: 1 } }, headers: { origin } })
      t.equal(soon.status(), 200, await soon.text())
      const report = async (state: string) => {
        const answer = await page
          .context()
          .request.post(`${resource}/observations`, { data: { signal, state }, headers: { origin } })
        t.equal(answer.status(), 202, await answer.text())
      }

      await t.test('page shows a problem when it occurs, and the problem is acknowledged by keyboard', async t => {
        // A check may be due during these seconds, and must not find the website up: one passed check ends the problem.
        outside.setUp(false)
        await report('problem')
        await page.locator('.monitor-head .status', { hasText: 'Down' }).waitFor()
        await page.getByText('reminder in').first().waitFor()
        t.same(await axeFaults(page), [], 'in trouble')
        await page.keyboard.press('a')
        await page.getByRole('dialog', { name: /^Acknowledge/ }).waitFor()
        t.same(await axeFaults(page), [], 'the dialog')
        await tabTo(page, 'Acknowledge')
        await page.keyboard.press('Enter')
        await page.getByText(/Acknowledged by/).waitFor()
        t.same(
          faults.filter(fault => !fault.includes('422')),
          [],
        )
      })

      await t.test('maintenance is started by keyboard, shown, and ended', async t => {
        await page.keyboard.press('m')
        await page.getByText('messages about them are held back').waitFor()
        await tabTo(page, 'Start maintenance for 1 h')
        await page.keyboard.press('Enter')
        await page.locator('.monitor-head .status', { hasText: 'In maintenance' }).waitFor()
        await page.keyboard.press('m')
        await tabTo(page, 'End maintenance now')
        await page.keyboard.press('Enter')
        await page.locator('.monitor-head .status', { hasText: 'In maintenance' }).waitFor({ state: 'detached' })
        t.same(
          faults.filter(fault => !fault.includes('422')),
          [],
        )
      })

      await t.test('settings are changed in the same form, and only changed fields are sent', async t => {
        await page.keyboard.press('e')
        await page.getByLabel('Name', { exact: true }).fill('shop front')
        const sent = page.waitForRequest(request => request.method() === 'PATCH')
        await page.getByRole('button', { name: 'Save' }).click()
        t.strictSame((await sent).postDataJSON(), { name: 'shop front', meta: {}, labels: {} })
        await page.getByRole('heading', { name: 'shop front' }).waitFor()
      })

      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [1280, 360]) {
          const seen = await open(origin, monitor, { colorScheme, width })
          await seen.page.getByRole('heading', { name: 'shop front' }).waitFor()
          await seeAll(seen.page)
          // Not the answers: how much they say depends on how long the monitor has been watched.
          const bytes = seen.bytes(assetFolder)
          t.ok(bytes <= 49_000, `code and styles of the whole page: ${bytes} bytes`)
          t.same(await axeFaults(seen.page), [], `axe: ${colorScheme}, ${width} px`)
          t.notOk(await overflows(seen.page), `width: ${width} px`)
          t.same(seen.faults, [], `faults: ${width} px`)
          await seen.close()
        }
      }
      await close()
    },
  )
})
