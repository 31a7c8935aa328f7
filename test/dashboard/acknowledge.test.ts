// The page behind an acknowledge link on a telephone, in a real browser: readable, operable with a thumb, in light and dark colours (v3 10.22).
import t from 'tap'
import { startAcknowledgeWorld } from '../support/worlds/acknowledge-world.ts'
import { axeFaults, open, overflows, withBrowser } from './chromium.ts'

/** Files of this name get the pictures; empty: none are taken. */
const pictures = process.env['PICTURES'] ?? ''

await withBrowser(async () => {
  t.test('somebody who was woken reads what is wrong and takes it, at 360 px, without a script (v3 10.22)', async t => {
    const long = 'status 503, expected 200: upstream connect error or disconnect/reset before headers. reset reason: overflow'
    const cause = { input: null, isLocation: false, reason: long, at: null, isSilence: false }
    for (const colorScheme of ['light', 'dark'] as const) {
      const world = await startAcknowledgeWorld(t, { cause })
      const shot = async (name: string) => {
        if (pictures !== '') await page.screenshot({ path: `${pictures}-${colorScheme}-${name}.png`, fullPage: true })
      }
      const { page, faults, bytes, close } = await open(world.address, `/a/${world.token}`, {
        ...{ colorScheme, width: 360, height: 740, hasTouch: true },
      })
      await page.getByRole('heading', { level: 1, name: '<b>Shop</b>' }).waitFor()
      t.equal(await overflows(page), false)
      t.same(await axeFaults(page), [])
      t.ok(bytes() <= 12_000, `${bytes()} bytes`)
      await shot('open')
      const button = page.getByRole('button', { name: 'Acknowledge' })
      const box = await button.boundingBox()
      t.ok(
        (box?.height ?? 0) >= 48 && (box?.y ?? 0) + (box?.height ?? 0) <= 740,
        'the button is large and seen without scrolling',
      )
      await page.getByLabel('Your name').fill('   ')
      await button.click()
      await page.getByText('Please say who takes it.').waitFor()
      t.same(await axeFaults(page), [])
      await shot('refused')
      await page.getByLabel('Your name').fill('Ada')
      await button.click()
      await page.getByText('Ada (link of On call)').waitFor()
      t.equal(await button.count(), 0)
      t.equal(await world.taken(), 'Ada (link of On call)')
      t.same(await axeFaults(page), [])
      await shot('taken')
      // The browser reports the status 422 of the refused form in its console.
      t.same(
        faults.filter(fault => !fault.includes('422')),
        [],
      )
      await close()
    }
  })

  t.test('link that does not work says so, and offers the way to the pages (v3 10.22)', async t => {
    const world = await startAcknowledgeWorld(t)
    const { page, close } = await open(world.address, `/a/${'A'.repeat(100)}`, { width: 360, height: 740 })
    await page.getByRole('heading', { level: 1, name: 'This link does not work' }).waitFor()
    t.same(await axeFaults(page), [])
    await close()
  })
})
