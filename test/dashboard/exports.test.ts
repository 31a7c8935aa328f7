// Export and import in a real browser, with the real keeper, directory and gateway in virtual time. A workspace is exported, one value is
// changed in the file, the plan shows the change, and the import applies it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { startDashboardWorld } from '../support/worlds/dashboard-world.ts'
import { axeFaults, type OpenOptions, open, overflows, tabTo, withBrowser } from './chromium.ts'

await withBrowser(async () => {
  const world = await startDashboardWorld()
  t.teardown(() => world.stop())
  const folder = t.testdir()
  const visit = async (as: string, options: OpenOptions = {}) => {
    const seen = await open(world.address, '/settings/export', { as, ...options })
    // Listens from the beginning: without a listener the browser opens its own file chooser.
    seen.page.on('filechooser', () => {})
    await seen.page.locator('h1').waitFor()
    return seen
  }
  const api = `/api/v3/workspaces/${world.workspaceId}`
  const read = async (path: string) => (await world.viewer.send('GET', api + path)).json.result
  let files = 0
  const fileOf = (text: string | Buffer) => {
    const path = join(folder, `fleet-${++files}.yaml`)
    writeFileSync(path, text)
    return path
  }
  /** Opens the file chooser by keyboard. */
  const choose = async (page: Page, path: string) => {
    await tabTo(page, 'file')
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('Enter')])
    await chooser.setFiles(path)
  }
  const picture = async (page: Page, name: string) => {
    if (process.env['PICTURES'] !== undefined) {
      await page.screenshot({ path: `${process.env['PICTURES']}/exports-${name}.png`, fullPage: true })
    }
  }

  const fleet = `kind: Destination
name: On call
type: webhook
default: true
---
kind: Template
key: nightly
name: Nightly job
fields:
  - {key: hold, type: duration, default: 600}
signals:
  - {key: run, kind: heartbeat, every_seconds: 86400}
rules:
  - key: missing
    action: Look at the host's log.
    wait: {confirm_after: {meta: hold}, recover_after: 0}
    decision: {not: {signal: run, field: known}}
    destination: {name: On call}
---
kind: Resource
key: backup-db1
name: Backup of db1
template: nightly
meta: {hold: 1200}
---
kind: Monitor
key: front-page
name: Front page
meta: {url: 'https://example.com/', locations: [de], interval_value: 5}
---
kind: Subject
key: mail-queue
name: Mail queue
signals:
  - {key: depth, name: Depth, kind: heartbeat}
rules:
  - key: too-deep
    name: Too deep
    document:
      inputs: [{signal: depth, mode: latest_value, compare: '>', threshold: 100}]
      decision: {need: any}
---
kind: DeliveryTable
subject: mail-queue
rows:
  - {destination: On call, on: [problem, recovery]}
`

  t.test('import creates a whole workspace after the person enters the URL of its destination and sees its plan', async t => {
    const { page, faults, bytes, close } = await visit('edith')
    await page.getByRole('heading', { name: 'Export and import' }).waitFor()
    t.ok(bytes() <= 40_000, `${bytes()} bytes`)
    const before = bytes()
    await choose(page, fileOf(fleet))
    await page.getByText('1 value is needed that no file holds').waitFor()
    t.ok(bytes() <= 40_000, `${bytes()} bytes with all that the plan read`)
    t.comment(`${before} bytes, then ${bytes() - before}`)
    await tabTo(page, 'WATCHKEEPER_DESTINATION_ON_CALL_URL')
    await page.keyboard.type('nonsense')
    await page.keyboard.press('Enter')
    await page.getByText('Destination On call: name:').waitFor()
    await page.getByLabel('URL of On call').fill('https://hooks.example.com/secret-part')
    await page.keyboard.press('Enter')
    await page.getByText('6 made, 0 changed, 0 left as they are').waitFor()
    t.same(await read('/templates/nightly'), null, 'nothing is written yet')
    await picture(page, 'plan')
    await tabTo(page, 'Import 6 changes')
    await page.keyboard.press('Enter')
    await page.getByText('Imported: 6 made').waitFor()
    t.match(await read('/resources/backup-db1'), { template: 'nightly@1', meta: { hold: 1200 } })
    t.match(await read('/resources/mail-queue'), { template: null })
    t.notOk((await page.content()).includes('secret-part'))
    t.same(
      faults.filter(fault => !/ (404|422) /.test(fault)),
      [],
    )
    await close()
  })

  t.test('person exports, changes one value, and imports a plan of one change by keyboard', async t => {
    const { page, faults, close } = await visit('edith')
    await tabTo(page, 'Download configuration')
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
    t.match(download.suggestedFilename(), /^Home \d{4}-\d\d-\d\d\.yaml$/)
    await page.getByText('6 objects exported').waitFor()
    const text = readFileSync(await download.path(), 'utf8')
    t.match(text, /^# Written by \.\/watchkeeper export\.\nkind: Destination\n/)
    t.notMatch(text, 'secret-part')
    await choose(page, fileOf(text))
    await page.getByText('0 made, 0 changed, 6 left as they are').waitFor()
    t.equal(await page.getByRole('button', { name: /^Import/ }).count(), 0, 'there is nothing to import')
    await choose(page, fileOf(text.replace('hold: 1200', 'hold: 900')))
    await page.getByText('0 made, 1 changed, 5 left as they are').waitFor()
    await page.getByRole('row', { name: /changed Resource backup-db1 meta\.hold/ }).waitFor()
    await tabTo(page, 'Import 1 change')
    await page.keyboard.press('Enter')
    await page.getByText('Imported: 0 made, 1 changed, 5 left').waitFor()
    t.match(await read('/resources/backup-db1'), { meta: { hold: 900 } })
    t.same(faults, [])
    await close()
  })

  t.test('plan names a Resource that moves to another revision, and the incidents that the move closes', async t => {
    const { page, close } = await visit('edith')
    const next = fleet.replace("Look at the host's log.", 'Look at the log.').replace('default: true\n', '')
    await choose(page, fileOf(next))
    await page.getByText('1 monitor moves to another revision: open incidents of it close').waitFor()
    await page.getByRole('button', { name: 'Leave it' }).click()
    t.same(await read('/templates/nightly@2'), null)
    await close()
  })

  t.test('refusal names file, line, object and field, and nothing is written', async t => {
    const { page, faults, close } = await visit('edith')
    const refused = async (text: string | Buffer, words: string | RegExp) => {
      await choose(page, fileOf(text))
      await page.getByRole('alert').filter({ hasText: words }).waitFor()
      await page.getByText('Nothing was written.').waitFor()
    }
    await refused(fleet.replace('field: known', 'field: gone'), /fleet-\d+\.yaml, line 17, Template nightly: rules\.0\.decision/)
    await picture(page, 'refusal')
    await refused('kind: [', /fleet-\d+\.yaml, line \d+: .*\.$/)
    await refused(Buffer.from([0xff, 0xfe, 0x80]), 'it is not UTF-8')
    await refused('# nothing\n', 'it holds no configuration')
    await refused(`# ${'x'.repeat(16 * 1024 * 1024)}`, 'has more than 16777216 bytes')
    await refused('kind: Resource\nkey: a\nname: A\ntemplate: none', /Resource a: template: there is no Template none/)
    t.same(
      faults.filter(fault => !fault.includes(' 422 ')),
      [],
    )
    await close()
  })

  /** Returns a list of Templates of 8 MiB in total. The list is one document, which a parser can only read as a whole. */
  const large = () => {
    const text = 'x'.repeat(200)
    const rule = (n: number) => `
    - key: missing-${n}
      action: ${text}
      wait: {confirm_after: 60, recover_after: 0}
      decision: {not: {signal: run, field: known}}`
    const template = (n: number) => `- kind: Template
  key: large-${n}
  name: Large ${n}
  signals: [{key: run, kind: heartbeat, every_seconds: 86400}]
  rules:${Array.from({ length: 10 }, (_, i) => rule(i)).join('')}
`
    return Array.from({ length: 2_600 }, (_, n) => template(n)).join('')
  }

  t.test('page stays responsive and can cancel while the service reads 8 MiB', { timeout: 400_000 }, async t => {
    const { page, faults, close } = await visit('edith')
    page.setDefaultTimeout(120_000)
    const text = large()
    t.ok(text.length >= 8 * 1024 ** 2 && text.length < 9 * 1024 ** 2, `${text.length} bytes`)
    await page.evaluate(`{
      window.longest = 0
      new PerformanceObserver(list => {
        for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration)
      }).observe({ type: 'longtask', buffered: false })
    }`)
    await page.locator('input[type=file]').setInputFiles(fileOf(text))
    await page.getByText(/^Comparing fleet-/).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('progress').waitFor({ state: 'detached' })
    await page.locator('input[type=file]').setInputFiles(fileOf(text))
    const beganAt = performance.now()
    const plan = page.getByText('2600 made, 0 changed')
    await plan.or(page.getByRole('alert')).waitFor()
    t.equal(await page.getByRole('alert').count(), 0, (await page.getByRole('alert').allTextContents()).join())
    const longest = await page.evaluate<number>('window.longest')
    const tookMs = performance.now() - beganAt
    // If the page read the file itself, one task of the page would last nearly as long as the reading. A busy machine makes both longer, so
    // the test compares their durations.
    t.comment(`longest task of the page: ${longest} ms, the reading: ${Math.round(tookMs)} ms`)
    t.ok(longest <= tookMs / 10, `a task of ${longest} ms of ${Math.round(tookMs)}`)
    // The event stream of a page that was too busy to read is cut, and the page connects again.
    t.same(
      faults.filter(fault => !/INCOMPLETE_CHUNKED_ENCODING\s.*\/events$/.test(fault)),
      [],
    )
    await close()
  })

  t.test('stopped import says which steps are done, and sends no further request', async t => {
    const { page, context, faults, close } = await visit('edith')
    const more = Array.from(
      { length: 60 },
      (_, n) => `kind: Monitor
key: stopped-${n}
name: Stopped ${n}
meta: {url: 'https://example.com/', locations: [de], interval_value: 5}
`,
    )
    // The service would do all 60 within one request, so the first response is made up.
    const steps = Array.from({ length: 20 }, (_, n) => ({ result: 'made', kind: 'Monitor', name: `stopped-${n}`, what: '' }))
    const counts = { made: 20, changed: 0, left: 0, deleted: 0, archived: 0 }
    const unfinished = { result: { state: 'unfinished', steps, counts, remaining: 40, failed: null }, error: null, meta: null }
    let sent = 0
    const held = Promise.withResolvers<void>()
    await context.route('**/configuration', async route => {
      if (route.request().postDataJSON().dry_run) return route.continue()
      sent++
      await held.promise
      await route.fulfill({ json: unfinished })
    })
    await choose(page, fileOf(more.join('---\n')))
    await page.getByRole('button', { name: 'Import 60 changes' }).click()
    await page.getByRole('button', { name: 'Stop' }).click()
    held.resolve()
    await page.getByRole('alert').filter({ hasText: 'The import was stopped.' }).waitFor()
    await page.getByText('Done before that, and it stays:').waitFor()
    t.equal(sent, 1)
    t.same(faults, [])
    await close()
  })

  t.test('import whose response is lost says so, and is done in the next plan (v3 15.6)', async t => {
    const { page, context, close } = await visit('edith')
    const more = [1, 2].map(n => `---\nkind: Resource\nkey: more-${n}\nname: More ${n}\ntemplate: nightly@1\n`).join('')
    const path = fileOf(fleet.replace('name: Nightly job', 'name: Night job') + more)
    await context.route('**/configuration', async route => {
      if (route.request().postDataJSON().dry_run) return route.continue()
      await route.fetch()
      await route.abort()
    })
    await choose(page, path)
    await page.getByText('3 made, 1 changed, 4 left').waitFor()
    await page.getByRole('button', { name: 'Import 4 changes' }).click()
    await page.getByRole('alert').filter({ hasText: 'No connection' }).waitFor()
    t.match(await read('/templates/nightly'), { version: 2 })
    t.match(await read('/resources/more-1'), { template: 'nightly@1' })
    await choose(page, path)
    await page.getByText('0 made, 0 changed, 8 left').waitFor()
    await close()
  })

  t.test('viewer reads that the page is for editors, and the page sends no request', async t => {
    const { page, faults, close } = await visit('vera')
    await page.getByText('Not for viewers').waitFor()
    t.same(faults, [])
    await close()
  })

  t.test('page with or without a plan is accessible, without errors and fits its window', { timeout: 120_000 }, async t => {
    for (const [colorScheme, width] of [['light', 360] as const, ['dark', 1280] as const]) {
      const { page, faults, close } = await visit('edith', { colorScheme, width })
      await page.getByRole('heading', { name: 'Export and import' }).waitFor()
      t.same(await axeFaults(page), [], `axe: ${colorScheme}`)
      await page.locator('input[type=file]').setInputFiles(fileOf(fleet.replace('hold: 1200', 'hold: 5')))
      await page.getByText(/\d made, \d changed/).waitFor()
      await page.locator('summary', { hasText: 'left' }).click()
      await picture(page, colorScheme)
      t.same(await axeFaults(page), [], `axe of a plan: ${colorScheme}`)
      t.notOk(await overflows(page), `${width} px`)
      t.same(faults, [])
      await close()
    }
  })
})
