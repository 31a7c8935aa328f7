// Sign-in, sign-out, the account, and a session that ends on an open page, in a real browser.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { startProvider } from '../support/clients/oidc-provider.ts'
import { passwordOf, startSessionWorld } from '../support/worlds/session-world.ts'
import { axeFaults, open, overflows, withBrowser } from './chromium.ts'

await withBrowser(async () => {
  t.test('person signs in by keyboard only and returns to the requested page', async t => {
    const world = await startSessionWorld(t)
    await world.addPerson('ann', { [world.workspaceId]: 'editor' })
    const { page, faults, close } = await open(world.addresses[0]!, '/account?from=mail')
    t.equal(new URL(page.url()).pathname, '/sign-in')
    await page.locator('[name=username]:focus').waitFor()
    await page.keyboard.type('ann')
    await page.keyboard.press('Tab')
    await page.keyboard.type('not the password')
    await page.keyboard.press('Enter')
    await page.getByText('The username or the password is wrong.').waitFor()
    await page.locator('[name=password]:focus').waitFor()
    t.equal(await page.getByLabel('Password').getAttribute('aria-invalid'), 'true')
    await page.keyboard.press('Control+A')
    await page.keyboard.type(passwordOf('ann'))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor()
    t.equal(new URL(page.url()).search, '?from=mail')
    // The browser reports the status 401 of a response in its console. The page is not at fault.
    t.same(
      faults.filter(fault => !fault.includes('401')),
      [],
    )
    await close()
  })

  t.test('the sign-in page loads its own small bundle and says why a provider sent the person back', async t => {
    const world = await startSessionWorld(t)
    const { page, faults, bytes, close } = await open(world.addresses[0]!, '/?sign_in_error=expired')
    await page.getByText('The sign-in took longer than ten minutes').waitFor()
    t.ok(bytes() <= 20_000, `${bytes()} bytes`)
    t.same(faults, [])
    await close()
  })

  t.test('page says that its session was ended elsewhere, and the sign-in returns to the same view', async t => {
    const world = await startSessionWorld(t)
    await world.addPerson('ann', { [world.workspaceId]: 'editor' })
    const { page, context, close } = await open(world.addresses[0]!, '/account', { as: 'ann' })
    await page.getByLabel('Current password').waitFor()
    await page.getByLabel('New password again').fill('half a pass')
    const elsewhere = await context.request.post(`${world.addresses[0]}/session/sign-out`, {
      data: {},
      headers: { origin: world.addresses[0]! },
    })
    t.equal(elsewhere.status(), 204)
    const dialog = page.getByRole('dialog', { name: 'You are signed out' })
    await dialog.waitFor()
    t.equal(await page.locator('input[name=again]').inputValue(), 'half a pass', 'what was typed stays behind the dialog')
    t.same(await axeFaults(page), [])
    await dialog.getByRole('link', { name: 'Sign in and come back' }).click()
    await page.getByLabel('Username').fill('ann')
    await page.getByLabel('Password').fill(passwordOf('ann'))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor()
    await close()
  })

  t.test('new password is valid from the next sign-in, and refusals are shown beside their fields', async t => {
    const world = await startSessionWorld(t)
    await world.addPerson('ann', { [world.workspaceId]: 'viewer' })
    const { page, close } = await open(world.addresses[0]!, '/account', { as: 'ann' })
    const fill = async (current: string, next: string, again: string) => {
      await page.getByLabel('Current password').fill(current)
      await page.getByLabel('New password', { exact: true }).fill(next)
      await page.getByLabel('New password again').fill(again)
      await page.getByRole('button', { name: 'Change password' }).click()
    }
    await fill(passwordOf('ann'), 'correct horse battery', 'correct horse')
    await page.locator('[data-field=again] .refusal', { hasText: 'differ' }).waitFor()
    await fill('wrong', 'correct horse battery', 'correct horse battery')
    await page.locator('[data-field=current_password] .refusal').waitFor()
    await page.locator('[name=current_password]:focus').waitFor()
    await fill(passwordOf('ann'), 'correct horse battery', 'correct horse battery')
    await page.getByText('Password changed.').waitFor()
    await page.locator('.menu summary').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Username').fill('ann')
    await page.getByLabel('Password').fill('correct horse battery')
    await page.keyboard.press('Enter')
    await page.waitForURL(url => url.pathname === '/')
    await close()
  })

  t.test('person signs in at the provider by a button and returns, and a refusal of the provider is shown', async t => {
    const redirect = createServer()
    const port = await new Promise<number>(resolve =>
      redirect.listen(0, '127.0.0.1', () => resolve((redirect.address() as AddressInfo).port)),
    )
    const home = `http://127.0.0.1:${port}`
    const provider = await startProvider({ redirectUri: `${home}/session/oidc/callback` })
    t.teardown(() => provider.stop())
    const { issuer, clientId, clientSecret } = provider
    const oidc = { issuer, clientId, clientSecret, name: 'Our house' }
    const world = await startSessionWorld(t, { session: { callbackBase: home, oidc } })
    // The provider redirects to an address that must be known before the gateway listens.
    redirect.on('request', (request, response) => {
      response.writeHead(303, { location: world.addresses[0]! + (request.url ?? '') }).end()
    })
    t.teardown(() => new Promise<void>(resolve => redirect.close(() => resolve())))
    provider.person = { sub: 'l-1', name: 'Lena L.', preferred_username: 'lena', email: 'lena@mail.example' }
    const { page, faults, close } = await open(world.addresses[0]!, '/account')
    await page.getByRole('link', { name: 'Sign in with Our house' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Account', exact: true }).waitFor()
    await page.locator('.menu summary', { hasText: 'Lena L.' }).waitFor()
    t.same(faults, [])
    await close()
    provider.person = null
    const refused = await open(world.addresses[0]!, '/account')
    await refused.page.getByRole('link', { name: 'Sign in with Our house' }).click()
    await refused.page.getByRole('alert').waitFor()
    t.equal(new URL(refused.page.url()).pathname, '/sign-in')
    t.same(refused.faults, [])
    await refused.close()
  })

  t.test('pages outside `pagePaths` are accessible, without errors and fit their window', { timeout: 120_000 }, async t => {
    const world = await startSessionWorld(t)
    await world.addPerson('ann', { [world.workspaceId]: 'owner' }, { admin: true })
    for (const path of ['/sign-in', '/no-such-page']) {
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [1280, 360]) {
          const signedIn = path === '/sign-in' ? {} : { as: 'ann' }
          const { page, faults, close } = await open(world.addresses[0]!, path, { colorScheme, width, ...signedIn })
          await page.locator('h1').waitFor()
          t.same(await axeFaults(page), [], `axe: ${path}, ${colorScheme}, ${width} px`)
          t.notOk(await overflows(page), `width: ${path}, ${width} px`)
          const isExpected = (fault: string) => path === '/no-such-page' && fault.includes('404')
          t.same(
            faults.filter(fault => !isExpected(fault)),
            [],
            `faults: ${path}`,
          )
          await close()
        }
      }
    }
  })
})
