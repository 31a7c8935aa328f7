// Invitations and the deletion of a workspace in a real browser.
import t from 'tap'
import { startSessionWorld } from '../support/worlds/session-world.ts'
import { axeFaults, type OpenOptions, open, overflows, tabTo, withBrowser } from './chromium.ts'

await withBrowser(async () => {
  const world = await startSessionWorld(t)
  const home = world.workspaceId
  await world.addPerson('olga', { [home]: 'owner' })
  const visit = (path: string, as: string, options: OpenOptions = {}) => open(world.addresses[0]!, path, { as, ...options })
  const roleOf = async (username: string) =>
    (await world.ask('list-members', { workspaceId: home })).find(member => member.username === username)?.role
  const invite = (username: string) =>
    world.ask('invite', { id: `${home}.${username}`, workspaceId: home, inviterId: 'user-olga', username, role: 'editor' })
  /** Adds a person who is a member of no workspace and has signed in before, so that the next sign-in makes no workspace. */
  const addGuest = async (username: string) => {
    await world.addPerson(username, { [home]: 'viewer' })
    await world.signedIn(username)
    await world.ask('remove-member', { workspaceId: home, userId: `user-${username}` })
  }

  t.test('an owner invites a name by keyboard, which may be nobody, and withdraws the invitation', async t => {
    const { page, faults, close } = await visit('/settings/people', 'olga')
    await page.getByText('No invitation is pending.').waitFor()
    t.equal(await page.getByRole('button', { name: 'Add member' }).count(), 0, 'only an administrator adds people directly')
    await tabTo(page, 'Invite')
    await page.keyboard.press('Enter')
    await tabTo(page, 'username')
    await page.keyboard.type('no name!')
    await page.keyboard.press('Enter')
    await page.locator('[data-field=username] .refusal').waitFor()
    await page.locator('input[name=username]:focus').fill('whoever')
    await page.keyboard.press('Enter')
    await page.getByText('whoever is invited, as viewer.').waitFor()
    await page.getByRole('cell', { name: 'whoever', exact: true }).waitFor()
    t.same(await axeFaults(page), [])
    await page.getByRole('button', { name: 'Withdraw: whoever' }).click()
    await page.getByRole('button', { name: 'Withdraw', exact: true }).click()
    await page.getByText('The invitation of whoever is withdrawn.').waitFor()
    await page.getByText('No invitation is pending.').waitFor()
    t.same(
      faults.filter(fault => !fault.includes('422')),
      [],
    )
    await close()
  })

  t.test('a person without a workspace sees the invitation on the start page and accepts it', async t => {
    await addGuest('gina')
    await invite('gina')
    for (const [colorScheme, width] of [['light', 360] as const, ['dark', 1280] as const]) {
      const { page, faults, close } = await visit('/', 'gina', { colorScheme, width })
      await page.getByText('olga invites you to the workspace Default, as editor.').waitFor()
      await page.getByRole('heading', { name: 'No workspace', exact: true }).waitFor()
      t.same(await axeFaults(page), [], `axe: ${colorScheme}, ${width} px`)
      t.notOk(await overflows(page), `width: ${width} px`)
      t.same(faults, [])
      await close()
    }
    const { page, faults, close } = await visit('/', 'gina')
    await tabTo(page, page.getByRole('button', { name: 'Accept: Default' }))
    await page.keyboard.press('Enter')
    await page.getByText('You are a member of Default now, as editor.').waitFor()
    await page.getByRole('region', { name: 'Invitations' }).waitFor({ state: 'detached' })
    await page.locator('[data-link=live]').waitFor()
    t.equal(await roleOf('gina'), 'editor')
    t.same(faults, [])
    await close()
  })

  t.test('a member of another workspace declines an invitation on the page of the account', async t => {
    await world.addPerson('hugo')
    await world.signedIn('hugo')
    await invite('hugo')
    const { page, faults, close } = await visit('/account', 'hugo')
    await page.getByText('olga invites you to the workspace Default, as editor.').waitFor()
    t.same(await axeFaults(page), [])
    await page.getByRole('button', { name: 'Decline: Default' }).click()
    await page.getByText('Invitation to Default declined.').waitFor()
    await page.getByRole('region', { name: 'Invitations' }).waitFor({ state: 'detached' })
    t.equal(await roleOf('hugo'), undefined)
    await page.goto(`${world.addresses[0]}/`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    t.equal(await page.getByRole('button', { name: 'Accept: Default' }).count(), 0)
    t.same(faults, [])
    await close()
  })

  t.test('an invitation that was withdrawn meanwhile is refused with a sentence, and disappears', async () => {
    await addGuest('ida')
    await invite('ida')
    const { page, close } = await visit('/', 'ida')
    await page.getByRole('button', { name: 'Accept: Default' }).waitFor()
    await world.ask('withdraw-invitation', { workspaceId: home, invitationId: `${home}.ida` })
    await page.getByRole('button', { name: 'Accept: Default' }).click()
    await page.getByText('There is no such invitation').waitFor()
    await page.getByRole('region', { name: 'Invitations' }).waitFor({ state: 'detached' })
    await close()
  })

  t.test('a member who should be an owner is invited, not made one', async t => {
    await world.addPerson('nils', { [home]: 'viewer' })
    const { page, faults, close } = await visit('/settings/people', 'olga')
    await page.getByRole('button', { name: 'Change role: nils' }).click()
    await page.getByText('Nobody becomes an owner without accepting').waitFor()
    await page.getByRole('dialog').getByLabel('Role').selectOption('owner')
    await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click()
    await page.getByText('nils is invited to be owner.').waitFor()
    t.equal(await roleOf('nils'), 'viewer')
    t.same(faults, [])
    await close()
  })

  t.test('an owner deletes a workspace only after typing its name', async t => {
    await world.addPerson('paula')
    await world.ask('create-workspace', { id: 'old0000000', name: 'Old shop', userId: 'user-paula' })
    await world.ask('create-workspace', { id: 'new0000000', name: 'New shop', userId: 'user-paula' })
    const { page, faults, close } = await visit('/settings?workspace=old0000000', 'paula')
    await page.getByRole('button', { name: 'Delete Old shop' }).click()
    await page.locator('button:focus', { hasText: 'Cancel' }).waitFor()
    t.same(await axeFaults(page), [])
    await page.getByLabel('Type Old shop to delete it').fill('old shop')
    await page.keyboard.press('Enter')
    await page.locator('[data-field=name] .refusal', { hasText: 'Type the name of the workspace' }).waitFor()
    t.equal((await world.ask('list-workspaces', { userId: 'user-paula' })).length, 2)
    await page.getByLabel('Type Old shop to delete it').fill('Old shop')
    await page.getByRole('button', { name: 'Delete workspace' }).click()
    await page.getByText('Workspace Old shop deleted.').waitFor()
    await page.waitForURL(url => url.pathname === '/')
    t.match(await world.ask('list-workspaces', { userId: 'user-paula' }), [{ name: 'New shop' }])
    t.same(
      faults.filter(fault => !fault.includes('422')),
      [],
    )
    await close()
  })

  t.test('a member who is no owner sees no button to delete the workspace', async t => {
    await world.addPerson('vera', { [home]: 'viewer' })
    const { page, close } = await visit('/settings', 'vera')
    await page.getByRole('button', { name: 'Leave Default' }).waitFor()
    t.equal(await page.getByRole('button', { name: /^Delete/ }).count(), 0)
    await close()
  })
})
