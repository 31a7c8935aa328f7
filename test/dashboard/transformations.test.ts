// Transformations in a real browser: written beside their samples, set on a destination, edited and deleted.
import t from 'tap'
import { startSessionWorld } from '../support/worlds/session-world.ts'
import { axeFaults, type OpenOptions, open, overflows, tabTo, withBrowser } from './chromium.ts'

const path = '/settings/transformations'

await withBrowser(async () => {
  const world = await startSessionWorld(t)
  const home = world.workspaceId
  await world.addPerson('edith', { [home]: 'editor' })
  await world.addPerson('vera', { [home]: 'viewer' })
  const visit = (as: string, options: OpenOptions = {}) => open(world.addresses[0]!, path, { as, ...options })
  const stored = async () => (await world.ask('list-transformations', { workspaceId: home, after: null })).items
  const destinations = () => world.ask('list-destinations', { workspaceId: home })
  const ops = { id: 'ops', workspaceId: home, type: 'webhook', url: 'https://ops.example.com/in', channel: '' } as const
  await world.ask('create-destination', { ...ops, name: 'Ops', default: true, transformationId: null })

  t.test(
    'an editor writes a transformation by keyboard, sees its samples while typing, and sets it on a destination',
    async t => {
      const { page, faults, close } = await visit('edith')
      await page.getByText('All destinations get the usual message.').waitFor()
      await tabTo(page, 'New transformation')
      await page.keyboard.press('Enter')
      await page.locator('input[name=name]:focus').waitFor()
      await page.keyboard.type('Pager')
      await page.getByText('"link": "https://status.example.com/').first().waitFor()
      await tabTo(page, 'template')
      await page.keyboard.press('Control+A')
      await page.keyboard.type('Wake up:\n{{ sumary }}')
      await page.locator('[data-field=template] .fault', { hasText: 'Unknown field "sumary" at line 2, column 1' }).waitFor()
      for (let i = 0; i < 7; i++) await page.keyboard.press('Backspace')
      await page.keyboard.type('mmary }}')
      await page.locator('.samples pre', { hasText: 'is back up after 14m' }).waitFor()
      t.match(await page.locator('.samples pre').first().textContent(), /^Wake up:\nShop "checkout" is down/)
      await tabTo(page, 'Create transformation')
      await page.keyboard.press('Enter')
      await page.getByText('No destination uses it.').waitFor()
      await page.locator('h1:focus').waitFor()
      t.equal((await stored())[0]?.template, 'Wake up:\n{{ summary }}')
      await tabTo(page, 'Give to a destination: Pager')
      await page.keyboard.press('Enter')
      await page.getByText('Its next message is written by Pager.').waitFor()
      await tabTo(page, 'Give it')
      await page.keyboard.press('Enter')
      await page.getByText('Used by Ops.').waitFor()
      const [given] = await destinations()
      t.match(given, { transformationId: (await stored())[0]?.number, url: ops.url, default: true, enabled: true })
      t.same(faults, [])
      await close()
    },
  )

  t.test('chosen field is inserted at the cursor, and a refused save shows the error at the faulty form field', async t => {
    const { page, close } = await visit('edith')
    await page.getByRole('button', { name: 'New transformation' }).click()
    await page.getByLabel('Template', { exact: true }).fill('Look: ')
    await page.getByText('Fields', { exact: true }).click()
    await page.getByRole('button', { name: 'Insert action' }).click()
    await page.locator('.samples pre', { hasText: 'Look: Look at "checkout" first' }).first().waitFor()
    await page.locator('textarea:focus').waitFor()
    await page.getByLabel('Name').fill('pager')
    await page.getByRole('button', { name: 'Create transformation' }).click()
    await page.locator('[data-field=name] .refusal', { hasText: 'has a transformation of this name' }).waitFor()
    await page.locator('input[name=name]:focus').waitFor()
    await page.getByLabel('Name').fill('Desk')
    await page.getByLabel('Template', { exact: true }).fill('{"text": {{ summary }}}')
    await page.locator('[data-field=template] .fault', { hasText: 'not valid JSON' }).waitFor()
    await page.getByRole('button', { name: 'Create transformation' }).click()
    await page.locator('[data-field=template] .refusal', { hasText: 'not valid JSON' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('h1:focus').waitFor()
    t.equal((await stored()).length, 1)
    await close()
  })

  t.test('a transformation is edited, removed from the destination that uses it, and deleted', async t => {
    const { page, faults, close } = await visit('edith')
    await page.getByRole('button', { name: 'Edit: Pager' }).click()
    t.equal(await page.getByLabel('Template', { exact: true }).inputValue(), 'Wake up:\n{{ summary }}')
    await page.getByText('it writes the next message of each destination').waitFor()
    await page.getByLabel('Name').fill('Pager 2')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Pager 2' }).waitFor()
    await page.getByRole('button', { name: 'Delete: Pager 2' }).click()
    await page.getByText('From then on Ops gets the usual message.').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Give Ops the usual message' }).click()
    await page.getByText('No destination uses it.').waitFor()
    t.equal((await destinations())[0]?.transformationId, null)
    await page.getByRole('button', { name: 'Delete: Pager 2' }).click()
    await page.getByRole('button', { name: 'Delete transformation' }).click()
    await page.getByText('No transformations yet').waitFor()
    t.same(await stored(), [])
    t.same(faults, [])
    await close()
  })

  t.test('viewer reads whom to ask for access, and finds no link to the page', async t => {
    const { page, faults, close } = await visit('vera')
    await page.getByText('An editor or owner of the workspace').waitFor()
    t.equal(await page.getByRole('navigation', { name: 'Settings' }).getByText('Transformations').count(), 0)
    t.equal(await page.locator('main button').count(), 0)
    t.same(faults, [])
    await close()
  })

  t.test('page with a list or the editor is accessible, small, without errors and no wider than its window', async t => {
    const template = `{"text": "${'{{ summary }} '.repeat(30)}", "x": "${'y'.repeat(300)}"}`
    await world.ask('create-transformation', { id: 'long', workspaceId: home, name: 'A long name '.repeat(6), template })
    const [long] = await stored()
    await world.ask('update-destination', { ...ops, name: 'Ops', transformationId: long!.number, default: false })
    for (const [colorScheme, width] of [['light', 360] as const, ['dark', 1280] as const]) {
      const { page, faults, bytes, close } = await visit('edith', { colorScheme, width })
      await page.getByText('Used by Ops.').waitFor()
      t.same(await axeFaults(page), [], `axe: ${colorScheme}, ${width} px`)
      t.notOk(await overflows(page))
      await page.getByRole('button', { name: /^Edit/ }).click()
      await page.locator('.samples pre').nth(2).waitFor()
      await page.getByText('Fields', { exact: true }).click()
      await page.getByRole('button', { name: 'Insert action' }).waitFor()
      t.same(await axeFaults(page), [], `axe of the editor: ${colorScheme}, ${width} px`)
      t.notOk(await overflows(page), 'the editor fits')
      t.comment(`${bytes()} bytes`)
      t.ok(bytes() <= 40_000, `${bytes()} bytes`)
      t.same(faults, [])
      await close()
    }
  })
})
