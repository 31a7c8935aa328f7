// Every page of the map (`pagePaths`) in a real browser, with content, with the real keeper, directory and gateway in virtual time. A page
// is accessible in both colour schemes, causes no error and no violation of its content security policy, fits the width of a phone, and is
// small.
import type { Page } from 'playwright-core'
import t from 'tap'
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import { type PageName, pagePaths } from '#shared/contracts/session/page-paths.ts'
import { startDashboardWorld } from '../support/worlds/dashboard-world.ts'
import { passwordOf } from '../support/worlds/session-world.ts'
import { axeFaults, open, overflows, withBrowser } from './chromium.ts'

/** Maximum compressed size of a page with everything that its first view loads, bytes. `bytesMost` limits the pages without an entry. */
const bytesOf: Partial<Record<PageName, number>> = { monitoring: 30_000, monitor: 36_500, incident: 37_000 }
const bytesMost = 40_000

await withBrowser(async () => {
  const world = await startDashboardWorld()
  t.teardown(() => world.stop())
  const { workspaceId } = world
  const v3 = `/api/v3/workspaces/${workspaceId}`
  const send = async (path: string, body: object) => {
    const { status, json, text } = await world.owner.send('POST', path, { body })
    if (status >= 300 || (json.error ?? null) !== null) throw new Error(`${path}: ${text}`)
    return json.result
  }

  /** Creates one object of each kind. Returns the path of each page. */
  async function fill(): Promise<Record<PageName, string>> {
    await world.ask('create-user', {
      ...{ id: 'user-ada', username: 'ada', displayName: 'Ada', password: passwordOf('ada'), admin: true },
    })
    await world.ask('add-member', { workspaceId, username: 'ada', role: 'owner' })
    await send(`${v3}/destinations`, { name: 'Ops', type: 'webhook', url: 'https://ops.example.com/in' })
    await send(`${v3}/templates`, {
      ...{ key: 'nightly', version: 1, name: 'Nightly job', signals: [{ key: 'run', kind: 'event' }] },
      rules: [
        {
          ...{ key: 'failing', action: 'Read the log.', wait: { confirm_after: 0, recover_after: 0 } },
          decision: { signal: 'run', field: 'status', operator: 'eq', operand: 'problem' },
        },
      ],
    })
    await send(`${v3}/resources`, { template: 'nightly@1', key: 'db1', name: 'Backup of db1' })
    await send(`${v3}/addresses`, { description: 'backup hosts' })
    const template = '{"text": "{{ summary }}"}'
    await world.ask('create-transformation', { id: 'pager', workspaceId, name: 'Pager', template })
    const { id: slug } = await send('/session/v2/subjects', { workspace_id: workspaceId, name: 'Mail queue' })
    await send(`/session/v2/subjects/${slug}/signals?workspace_id=${workspaceId}`, { name: 'Depth', kind: 'heartbeat' })
    const document = { inputs: [{ signal: 'depth', mode: 'status', no_data_after: '10m' }], decision: { need: 'any' } }
    await send(`/session/v2/subjects/${slug}/rules?workspace_id=${workspaceId}`, { name: 'Too deep', document })
    const { id, incident } = await world.addFailing('Checkout')
    const at = world.clock.now()
    const delivery: DeliveryLogDocument = {
      ...{ id: 'Map1', rev: 1, number: 1, workspaceId, destinationId: 'd1', destinationNumber: 1, destinationName: 'Ops' },
      ...{ destinationType: 'webhook', alertKind: 'problem', event: 'problem', status: 'delivered', reason: null },
      ...{
        shownInV2: 1,
        payload: '{"text":"down"}',
        error: '',
        incidentId: `${id}.1`,
        subjectId: id,
        at,
        expireAt: at + 1_000_000,
      },
    }
    await world.store.insert('deliveryLog', [delivery])
    const { json } = await world.owner.send('GET', `${v3}/resources/${slug}`)
    const custom = String(json.result.id)
    const parts: Partial<Record<PageName, [string, string][]>> = {
      ...{ monitor: [[':id', id]], editMonitor: [[':id', id]], incident: [[':id', incident]] },
      ...{ template: [[':key', 'nightly']], editTemplate: [[':key', 'nightly']] },
      newResource: [[':template', 'nightly']],
      signals: [[':id', custom]],
    }
    const paths = Object.entries(pagePaths).map(([page, path]) => [
      page,
      (parts[page as PageName] ?? []).reduce((path: string, [name, value]) => path.replace(name, value), path),
    ])
    return Object.fromEntries(paths)
  }

  const isDrawn = async (page: Page) => {
    await page.locator('h1').waitFor()
    await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' })
    await page.locator('[data-link=live]').waitFor()
  }

  /** Text of the page without code, which may quote paths of the API. */
  const words =
    '(m => (m.querySelectorAll("code, pre").forEach(e => e.remove()), m.textContent))(document.querySelector("main").cloneNode(true))'

  const paths = Object.entries(await fill()) as [PageName, string][]
  for (const [page, path] of [...paths, ['audit', `${pagePaths.audit}?of=installation`] as const])
    for (const [colorScheme, width] of [['light', 360] as const, ['dark', 1280] as const])
      t.test(
        `page ${page} at ${path} in ${colorScheme} colours at ${width} px is accessible, small, without errors and fits`,
        async t => {
          const seen = await open(world.address, path, { as: 'ada', colorScheme, width })
          await isDrawn(seen.page)
          t.equal(await seen.page.locator('main [role=alert]').count(), 0, 'the page shows its content, not a refusal')
          t.ok(seen.bytes() <= (bytesOf[page] ?? bytesMost), `${seen.bytes()} bytes`)
          t.comment(`${seen.bytes()} bytes`)
          const text = await seen.page.evaluate<string>(words)
          t.notMatch(text, /\b([Ss]ubjects?|Resources?)\b/, 'people read monitor, not the names of API objects')
          t.same(await axeFaults(seen.page), [], 'axe')
          t.notOk(await overflows(seen.page), 'width')
          t.same(seen.faults, [], 'faults')
          await seen.close()
        },
      )
})
