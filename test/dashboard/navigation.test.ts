// The navigation on a phone 360 px wide, with names of the largest length: each link is seen, found by keyboard and followed by touch.
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { startDashboardWorld } from '../support/worlds/dashboard-world.ts'
import { passwordOf } from '../support/worlds/session-world.ts'
import { open, overflows, withBrowser } from './chromium.ts'

/** Least size of a touch target in pixels (WCAG 2.5.8). */
const leastSize = 24

await withBrowser(async () => {
  const world = await startDashboardWorld()
  t.teardown(() => world.stop())
  await world.ask('create-user', {
    ...{ id: 'user-ada', username: 'ada', displayName: 'Ada of the night shift in the far north' },
    ...{ password: passwordOf('ada'), admin: true },
  })
  await world.ask('create-workspace', { id: 'long000000', name: 'Workspace with a name that goes on', userId: 'user-ada' })
  await world.ask('add-member', { workspaceId: world.workspaceId, username: 'ada', role: 'owner' })

  /** A page on a phone, opened as the administrator. */
  const phone = async (path: string) => {
    const seen = await open(world.address, path, { as: 'ada', width: 360, height: 640, hasTouch: true })
    await seen.page.locator('h1').waitFor()
    return seen
  }
  const linksOf = (page: Page): Locator => page.locator('.bar > a, nav a')
  const menu = (page: Page) => page.locator('.menu summary')

  /** Fault of a link or a button on a touch screen (too small, covered or outside the screen); null: no fault. */
  const faultOf = async (page: Page, at: Locator): Promise<string | null> => {
    const box = await at.boundingBox()
    if (box === null) return 'it has no place'
    if (box.x < 0 || box.x + box.width > 360) return `it lies from ${box.x} to ${box.x + box.width}`
    if (box.height < leastSize || box.width < leastSize) return `it is ${box.width} by ${box.height} px small`
    const middle = `${box.x + box.width / 2}, ${box.y + box.height / 2}`
    const onTop = `document.elementFromPoint(${middle})?.closest('a, button, summary, select')?.textContent`
    return (await page.evaluate(onTop)) === (await at.textContent()) ? null : 'something lies over it'
  }

  const pages = ['/', '/settings', '/admin/locations']

  t.test('every link of the navigation is seen within 360 px and large enough for a finger', async t => {
    for (const path of pages) {
      const { page, faults, close } = await phone(path)
      const links = await linksOf(page).all()
      t.ok(links.length >= 7, `${path}: ${links.length} links`)
      await menu(page).tap()
      for (const link of [menu(page), page.locator('.workspace'), ...(await page.locator('.menu-items > *').all())])
        t.equal(await faultOf(page, link), null, `${path}: ${(await link.textContent())?.slice(0, 30)}`)
      await menu(page).tap()
      for (const link of links) t.equal(await faultOf(page, link), null, `${path}: ${await link.textContent()}`)
      t.notOk(await overflows(page), path)
      t.same(faults, [], path)
      await close()
    }
  })

  t.test('chosen colours stay after a reload', async t => {
    const { page, faults, close } = await phone('/')
    const ground = () => page.evaluate<string>('getComputedStyle(document.documentElement).colorScheme')
    await menu(page).tap()
    await page.getByRole('button', { name: 'Colours: system' }).tap()
    await page.getByRole('button', { name: 'Colours: light' }).tap()
    t.equal(await ground(), 'dark')
    await page.reload()
    await page.locator('h1').waitFor()
    t.equal(await ground(), 'dark')
    t.same(faults, [])
    await close()
  })

  t.test('every link of the navigation is followed by touch', async t => {
    for (const start of ['/', '/settings', '/admin/locations']) {
      const { page, close } = await phone(start)
      const words = await linksOf(page).allTextContents()
      for (const [i, word] of words.entries()) {
        await page.goto(world.address + start)
        const link = linksOf(page).nth(i)
        await link.waitFor()
        const href = await link.getAttribute('href')
        await link.tap()
        await page.waitForURL(world.address + href)
        t.equal(new URL(page.url()).pathname, href, `${start}: ${word}`)
      }
      await close()
    }
  })

  t.test('every link of the navigation is reached by Tab, and the focus on it is seen', async t => {
    for (const path of ['/settings', '/admin/locations']) {
      const { page, close } = await phone(path)
      const wanted = new Set(await linksOf(page).allTextContents())
      await page.locator('body').press('Tab')
      for (let i = 0; i < 60 && wanted.size > 0; i++) {
        const focus = page.locator(':focus')
        const word = (await focus.textContent()) ?? ''
        if (wanted.delete(word)) {
          t.equal(await faultOf(page, focus), null, `${path}: ${word}`)
          const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle')
          t.not(outline, 'none', `${path}: ${word} has an outline`)
        }
        await page.keyboard.press('Tab')
      }
      t.same([...wanted], [], `${path}: links that Tab never came to`)
      await close()
    }
  })
})
