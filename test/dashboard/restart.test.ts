// A page in a real browser while the real program is killed and restarted. The page says how old its data are, reconnects without a reload,
// and then shows the changes made meanwhile.
import t from 'tap'
import { killAllPrograms, startOutside, startProgram } from '../integration/system.ts'
import { axeFaults, open, withBrowser } from './chromium.ts'

await withBrowser(async () => {
  t.teardown(killAllPrograms)

  t.test('page stays open over a restart of the server, and never shows old data as new', { timeout: 240_000 }, async t => {
    const outside = await startOutside()
    t.teardown(() => outside.close())
    const settings = { DATA_DIR: t.testdir(), AUTH_DEV: 'true', HOST: '127.0.0.1' }
    const program = await startProgram(settings)
    const origin = /listens on (http:\S+?)[;\s]/.exec(program.output())![1]!
    const { page, close } = await open(origin, '/')
    await page.locator('input[name=url]:focus').waitFor()
    await page.keyboard.type(outside.url)
    await page.keyboard.press('Enter')
    await page.locator('.monitor-head .status', { hasText: 'Up' }).waitFor()
    const { pathname } = new URL(page.url())
    await page.locator('[data-link=live]').waitFor()

    await program.kill()
    await page.getByText(/^Reconnecting, data \d+ s old$/).waitFor({ timeout: 30_000 })
    t.same(await axeFaults(page), [], 'while nothing answers')

    const again = await startProgram({ ...settings, PORT: new URL(origin).port })
    t.teardown(() => again.stop())
    await page.locator('[data-link=live]').waitFor({ timeout: 60_000 })

    // A check may be due during these seconds, and must not find the website up: one passed check ends the problem.
    outside.setUp(false)
    const resource = await resourceOf(page.context().request, origin, pathname)
    const data = { signal: resource.signal, state: 'problem' }
    const soon = await page.context().request.patch(resource.path, { data: { meta: { confirm_after: 1 } }, headers: { origin } })
    t.equal(soon.status(), 200)
    const answer = await page.context().request.post(`${resource.path}/observations`, { data, headers: { origin } })
    t.equal(answer.status(), 202)
    await page.locator('.monitor-head .status', { hasText: 'Down' }).waitFor({ timeout: 20_000 })
    t.equal(new URL(page.url()).pathname, pathname, 'nobody had to load the page again')
    await close()
  })
})

type Requests = ReturnType<Awaited<ReturnType<typeof open>>['page']['context']>['request']

async function resourceOf(request: Requests, origin: string, pathname: string): Promise<{ path: string; signal: string }> {
  const session = (await (await request.get(`${origin}/session`)).json()) as { workspaces: { id: string }[] }
  const path = `${origin}/api/v3/workspaces/${session.workspaces[0]!.id}/resources/${pathname.split('/')[2]}`
  const found = (await (await request.get(path)).json()) as { result: { signals: { key: string }[] } }
  return { path, signal: found.result.signals[0]!.key }
}
