// A job in a real browser: its form shows the next runs, and its page the last runs, the newest output and the lines by which it reports.
import t from 'tap'
import { startDashboardWorld } from '../support/worlds/dashboard-world.ts'
import { axeFaults, type OpenOptions, open, overflows, withBrowser } from './chromium.ts'

await withBrowser(async () => {
  const world = await startDashboardWorld()
  t.teardown(() => world.stop())
  const v3 = `/api/v3/workspaces/${world.workspaceId}`
  const visit = (path: string, as = 'edith', options: OpenOptions = {}) => open(world.address, path, { as, ...options })
  const send = async (method: string, path: string, body: object) =>
    (await world.editor.send(method, `${v3}${path}`, { body })).json.result
  const picture = async (page: { screenshot(options: object): Promise<unknown> }, name: string) => {
    const folder = process.env['PICTURES']
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true })
  }

  t.test('a job is made with a name and one click, and its form shows the runs that it expects', async t => {
    const { page, faults, close } = await visit('/monitors/new')
    await page.getByRole('link', { name: 'A job', exact: true }).click()
    await page.locator('.answers [aria-current]', { hasText: 'A job' }).waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Nightly backup')
    await page.getByText('If it ran now, the next runs would be expected:').waitFor()
    await page.getByLabel('Cron expression').fill('30 2 * * *')
    await page.getByLabel('Time zone').fill('Europe/Berlin')
    await page.getByText('The next runs:').waitFor()
    t.match(await page.locator('form ol li').allTextContents(), Array(3).fill(/02:30 Europe\/Berlin, \d\d:30 UTC/))
    await page.getByLabel('Cron expression').fill('@daily')
    await page.getByText('The expression must be written out in five fields').waitFor()
    await page.getByLabel('Cron expression').fill('30 2 * * *')
    t.equal(await page.getByLabel('First run').isVisible(), false, 'rare fields are folded')
    t.same(await axeFaults(page), [])
    await picture(page, 'job-form')
    await page.getByRole('button', { name: 'Add monitor' }).click()
    await page.getByRole('heading', { name: 'Nightly backup', level: 1 }).waitFor()
    t.same(faults, [])
    await close()
  })

  t.test('page of a job shows its runs, the newest output, the next runs and the lines to copy', async t => {
    const made = await send('POST', '/resources', { template: 'heartbeat-check', name: 'Hourly copy', meta: { period: 3_600 } })
    const observe = (sent: object) => send('POST', `/resources/${made.id}/observations`, { signal: 'run', ...sent })
    for (const state of ['ok', 'problem', 'ok']) {
      await observe({ state: 'no_data', labels: { phase: 'start' } })
      await world.clock.advance(90_000)
      await observe({ state, ...(state === 'problem' && { reason: 'no space left' }) })
      await world.clock.advance(3_000_000)
    }
    for (const [colorScheme, width] of [['light', 360] as const, ['dark', 1280] as const]) {
      const { page, faults, close } = await visit(`/monitors/${made.id}`, 'edith', { colorScheme, width })
      await page.getByRole('heading', { name: 'Runs' }).scrollIntoViewIfNeeded()
      await page.getByText('It last ran 50 min ago, and took 1 min.').waitFor()
      await page.getByRole('slider', { name: '3 runs' }).waitFor()
      await page.getByText('The next runs:').waitFor()
      await page.getByText('How a job reports').click()
      await page
        .getByText(/curl -fsS -m 10 --retry 5/)
        .first()
        .waitFor()
      t.same(await axeFaults(page), [], `axe: ${width} px`)
      t.notOk(await overflows(page), `width: ${width} px`)
      t.same(faults, [])
      await picture(page, `job-page-${colorScheme}`)
      await close()
    }
  })
})
