// The monitoring page with ten thousand monitors, in a real browser: its content, keyboard use and size.
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { axeFaults, open, overflows, withBrowser } from './chromium.ts'
import { startManyMonitors } from './many-monitors.ts'

await withBrowser(async () => {
  const world = await startManyMonitors(t, 10_000)
  const list = (path: string, options = {}) => open(world.origin, path, { as: 'ann', ...options })
  const rowTexts = '.monitors .row'

  t.test('list of ten thousand monitors shows failing monitors first, in at most 30 kB', async t => {
    const { page, faults, bytes, close } = await list('/')
    await page.waitForResponse(answer => answer.url().includes('/figures'))
    await page.locator(`${rowTexts} a`).first().waitFor()
    t.match(await page.locator('h1').textContent(), /30 monitors of 10,000 need a look\./)
    t.match(await page.locator('.filters').textContent(), /Down 8No data 8Pending 7Recovering 7/)
    t.match(await page.locator(rowTexts).first().textContent(), /Down.*2 of 3 locations failing.*reminder in/)
    t.equal(await page.locator('.monitors').getAttribute('aria-rowcount'), '10001')
    t.ok((await page.locator(rowTexts).count()) < 60, 'rows that are seen, and some around them')
    await page.waitForFunction("document.title === '(30) Watchkeeper'")
    t.match(await page.locator('link[rel=icon]').getAttribute('href'), encodeURIComponent('#d81e3a'))
    t.ok(bytes() <= 30_000, `${bytes()} bytes`)
    t.comment(`${bytes()} bytes`)
    t.same(faults, [])
    await close()
  })

  t.test('page address contains filter and search, and a copied address shows the same list', async t => {
    const { page, faults, close } = await list('/')
    await page.getByRole('button', { name: /^Down/ }).click()
    await page.waitForURL(url => url.search === '?status=down')
    await page.locator('.monitors[aria-rowcount="9"]').waitFor()
    await page.keyboard.press('/')
    await page.locator('#search:focus').waitFor()
    await page.keyboard.type('PROD 1360')
    await page.waitForURL(url => url.searchParams.get('q') === 'PROD 1360')
    await page.locator('.monitors[aria-rowcount="2"]').waitFor()
    t.match(await page.locator(rowTexts).textContent(), /checkout prod 1360/)
    t.same(faults, [])
    const copy = await list(new URL(page.url()).pathname + new URL(page.url()).search)
    await copy.page.locator('.monitors[aria-rowcount="2"]').waitFor()
    t.equal(await copy.page.locator('#search').inputValue(), 'PROD 1360')
    await copy.page.locator('#search').fill('no such monitor')
    await copy.page.getByText('No monitor has “no such monitor” in its name').waitFor()
    await copy.page.getByRole('button', { name: 'Show all' }).click()
    await copy.page.locator('.monitors[aria-rowcount="10001"]').waitFor()
    await Promise.all([close(), copy.close()])
  })

  t.test('monitor that fails turns red at once on an open page and moves to the top', async t => {
    const { page, faults, close } = await list('/?q=monitor-77')
    await page.locator('[data-link=live]').waitFor()
    const first = page.locator(rowTexts).first()
    t.match(await first.textContent(), /Up/)
    await world.change(7_799, { status: 'down', incident: world.incident(7_799), incidents: 1, since: world.clock.now() })
    world.clock.advance(limits.events.gatherMs)
    await page.locator(rowTexts, { hasText: 'Down' }).first().waitFor()
    await first.filter({ hasText: 'reports prod 7799' }).waitFor()
    await page.getByRole('heading', { name: /^31 monitors of 10,000/ }).waitFor()
    await page.waitForFunction("document.title === '(31) Watchkeeper'")
    t.same(faults, [])
    await close()
  })

  t.test('row keeps its place while the pointer is on the list', async t => {
    const { page, close } = await list('/?q=monitor-55')
    await page.locator('[data-link=live]').waitFor()
    const before = await page.locator(`${rowTexts} .name a`).allTextContents()
    await page.locator(rowTexts).nth(3).hover()
    await world.change(5_599, { status: 'down', incident: world.incident(5_599), incidents: 1 })
    world.clock.advance(limits.events.gatherMs)
    await page.getByText('The order has changed.').waitFor()
    await page.getByRole('heading', { name: /^32 monitors/ }).waitFor()
    t.strictSame(await page.locator(`${rowTexts} .name a`).allTextContents(), before)
    await page.mouse.move(5, 5)
    await page.locator(rowTexts).first().filter({ hasText: 'reports prod 5599' }).waitFor()
    await close()
  })

  t.test('keyboard moves far beyond the first page, opens a monitor, and returns to the same row', async t => {
    const { page, close } = await list('/')
    await page.locator(`${rowTexts} a`).first().waitFor()
    for (let pressed = 0; pressed < 130; pressed++) await page.keyboard.press('j')
    await page.locator('tr[data-index="129"] a:focus').waitFor()
    await page.keyboard.press('k')
    await page.locator('tr[data-index="128"] a:focus').waitFor()
    const name = await page.locator('tr[data-index="128"] a').textContent()
    await page.keyboard.press('Enter')
    await page.waitForURL(url => url.pathname.startsWith('/monitors/'))
    await page.goBack()
    await page.locator('tr[data-index="128"] a', { hasText: name! }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    t.match(await page.getByRole('dialog').textContent(), /Acknowledge.*Maintenance/)
    t.same(await axeFaults(page), [])
    await close()
  })

  t.test('Ctrl-K finds every action, page and monitor by keyboard only', async t => {
    const { page, faults, close } = await list('/')
    await page.locator(`${rowTexts} a`).first().waitFor()
    const openMenu = async () => {
      await page.keyboard.press('Control+k')
      await page.locator('[role=combobox]:focus').waitFor()
    }
    await openMenu()
    const menu = page.getByRole('dialog', { name: 'Commands' })
    await menu.getByRole('option', { name: 'Show these keys' }).waitFor()
    t.same(await axeFaults(page), [])
    await page.keyboard.type('no such thing')
    await menu.getByText('Nothing has these words.').waitFor()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('prod 4321')
    await menu.getByRole('option', { name: 'billing prod 4321' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(url => url.pathname === '/monitors/Mon0004321')
    await openMenu()
    await page.keyboard.type('deliv')
    await menu.getByRole('option', { name: 'Deliveries' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(url => url.pathname === '/deliveries')
    await openMenu()
    await page.keyboard.type('these keys')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    t.same(faults, [])
    await close()
  })

  t.test(
    'page with problems is accessible, without errors, and no wider than its window, also on a phone',
    { timeout: 120_000 },
    async t => {
      await world.change(339, { name: `${'שם ארוך מאוד '.repeat(7)}<script>`, status: 'down', incident: world.incident(339) })
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [1440, 800, 360]) {
          const { page, faults, close } = await list('/', { colorScheme, width })
          await page.locator(`${rowTexts} a`).first().waitFor()
          t.same(await axeFaults(page), [], `axe: ${colorScheme}, ${width} px`)
          t.notOk(await overflows(page), `width: ${width} px`)
          t.same(faults, [], `faults: ${width} px`)
          await close()
        }
      }
    },
  )
})
