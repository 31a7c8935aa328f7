// API keys, settings and administration in a real browser: one world for all pages.
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import type { ConditionDocument } from '#shared/contracts/incidents/condition.ts'
import type { DeliveryLogDocument } from '#shared/contracts/notifications/delivery.ts'
import { limits } from '#shared/limits/limits.ts'
import { startFakeNotifier } from '../support/worlds/fake-notifier.ts'
import { startSessionWorld } from '../support/worlds/session-world.ts'
import { axeFaults, type OpenOptions, open, tabTo, withBrowser } from './chromium.ts'

await withBrowser(async () => {
  const world = await startSessionWorld(t)
  const home = world.workspaceId
  await startFakeNotifier(world.hub.connect())
  await world.addPerson('olga', { [home]: 'owner' }, { admin: true })
  await world.addPerson('edith', { [home]: 'editor' })
  await world.addPerson('vera', { [home]: 'viewer' })
  /** Sends a change as this person directly to the API, without a page. */
  const change = async (as: string, path: string, body: object) => {
    const { status, text } = await (await world.signedIn(as)).send('POST', path, { body })
    if (status !== 201) throw new Error(`${path}: ${text}`)
  }
  const v3 = `/api/v3/workspaces/${home}`
  const addDestination = (name: string) =>
    change('edith', `${v3}/destinations`, { name, type: 'webhook', url: 'https://desk.example.com/in' })
  /** Waits for the audit row of the path. The gateway writes audit rows in batches, by a timer on the world's clock. */
  const audited = async (workspaceId: string | null, path: string) => {
    const wanted = { workspaceId, personId: null, path, since: null, until: null, limit: 1, after: null }
    world.clock.advance(limits.audit.flushMs)
    for (let i = 0; i < 10_000; i++) {
      await setImmediate()
      if ((await world.ask('list-audit', wanted)).items.length > 0) return
    }
    throw new Error(`no audit row of ${path}`)
  }
  const visit = (path: string, as: string, options: OpenOptions = {}) => open(world.addresses[0]!, path, { as, ...options })

  t.test('a person creates a scoped key by keyboard, sees its token once, and revokes the key', async t => {
    const { page, faults, close } = await visit('/keys', 'edith')
    await page.getByText('No keys yet.').waitFor()
    await tabTo(page, 'Create key')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Create an API key' }).waitFor()
    await tabTo(page, 'description')
    await page.keyboard.type('nightly script')
    await tabTo(page, 'actions')
    await page.keyboard.press('Space')
    await page.keyboard.press('Enter')
    const made = page.getByRole('region', { name: 'Key created: nightly script' })
    await made.locator('h2:focus').waitFor()
    const token = (await made.locator('code').textContent()) ?? ''
    const [key] = await world.ask('list-keys', { userId: 'user-edith' })
    t.ok(key !== undefined && token.startsWith(key.prefix))
    t.same(key?.scope, { workspaceId: home, actions: ['acknowledge'] })
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await page.reload()
    await page.getByText('Default: read, acknowledge Incidents').waitFor()
    t.notOk((await page.content()).includes(token), 'the token is not shown again')
    await tabTo(page, 'Revoke nightly script')
    await page.keyboard.press('Enter')
    await page.locator('button:focus', { hasText: 'Cancel' }).waitFor()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Key nightly script revoked.').waitFor()
    t.same(await world.ask('list-keys', { userId: 'user-edith' }), [])
    await page.locator('#main:focus').waitFor()
    t.same(faults, [])
    await close()
  })

  t.test('key without a scope is created as a full key, and a refusal is shown beside its field', async t => {
    const { page, close } = await visit('/keys', 'edith')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Access').selectOption('full')
    await page.getByLabel('Description').fill('x'.repeat(201))
    await page.keyboard.press('Enter')
    await page.locator('[data-field=description] .refusal', { hasText: 'at most 200 characters' }).waitFor()
    await page.locator('[name=description]:focus').waitFor()
    await page.getByLabel('Description').fill('deployment')
    await page.keyboard.press('Enter')
    await page.getByText('It is shown this once.').waitFor()
    await page.getByText('Full: all that you may').waitFor()
    t.equal((await world.ask('list-keys', { userId: 'user-edith' }))[0]?.scope, null)
    await close()
  })

  t.test('an editor adds a destination by keyboard, tests it, disables it and deletes it', async t => {
    const { page, faults, close } = await visit('/settings/destinations', 'edith')
    await page.getByText('No destinations yet').waitFor()
    await tabTo(page, 'Add destination')
    await page.keyboard.press('Enter')
    await tabTo(page, 'name')
    await page.keyboard.type('On call')
    await tabTo(page, 'url')
    await page.keyboard.type('no address')
    await page.keyboard.press('Enter')
    await page.locator('[data-field=url] .refusal').waitFor()
    await page.locator('input[name=url]:focus').fill('https://hooks.example.com/services/secret-part')
    await tabTo(page, 'channel')
    await page.keyboard.type('alerts')
    await page.keyboard.press('Enter')
    await page.getByText('Slack, channel alerts').waitFor()
    await page.getByText('Default', { exact: true }).nth(1).waitFor()
    await tabTo(page, 'Send a test: On call')
    await page.keyboard.press('Enter')
    await page.locator('.outcome', { hasText: 'The test message was delivered.' }).waitFor()
    t.notOk((await page.content()).includes('secret-part'), 'the URL is not shown')
    await page.getByRole('button', { name: 'Disable: On call' }).click()
    await page.getByText('nobody hears of incidents').waitFor()
    await page.getByRole('button', { name: 'Disable destination' }).click()
    await page.getByText('Disabled', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Delete: On call' }).click()
    await page.getByText('Its URL and its signing secret are lost.').waitFor()
    await page.getByRole('button', { name: 'Delete destination' }).click()
    await page.getByText('No destinations yet').waitFor()
    t.same(await world.ask('list-destinations', { workspaceId: home }), [])
    t.same(
      faults.filter(fault => !fault.includes('422')),
      [],
    )
    await close()
  })

  t.test('whoever deletes a pager is told that its open alerts stay open there', async t => {
    await change('edith', `${v3}/destinations`, { name: 'Pager', type: 'pagerduty', settings: { routing_key: 'a'.repeat(32) } })
    const { page, faults, close } = await visit('/settings/destinations', 'edith')
    await page.getByRole('button', { name: 'Delete: Pager' }).click()
    await page.getByText('Alerts that are open in PagerDuty stay open there.').waitFor()
    await page.getByRole('button', { name: 'Delete destination' }).click()
    await page.getByText('No destinations yet').waitFor()
    t.same(faults, [])
    await close()
  })

  t.test('a person changes a webhook without typing its URL again, and makes another destination default', async t => {
    const { page, close } = await visit('/settings/destinations', 'edith')
    const add = async (name: string) => {
      await page.getByRole('button', { name: 'Add destination' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill(name)
      await dialog.getByLabel('Type').selectOption('webhook')
      await dialog.getByLabel('URL').fill(`https://${name.toLowerCase()}.example.com/in`)
      await dialog.getByRole('button', { name: 'Add destination' }).click()
      await page.getByRole('heading', { name, exact: false, level: 2 }).waitFor()
    }
    await add('Pager')
    await add('Desk')
    await page.getByRole('button', { name: 'Make default: Desk' }).click()
    await page.getByText('Destination Desk is the default now.').waitFor()
    await page.getByRole('button', { name: 'Change: Pager' }).click()
    await page.getByLabel('Name').fill('desk')
    await page.keyboard.press('Enter')
    await page.locator('[data-field=name] .refusal').waitFor()
    await page.getByLabel('Name').fill('Second line')
    await page.getByLabel('Also send when an incident opens').check()
    await page.keyboard.press('Enter')
    await page.getByText('Webhook, also when an incident opens').waitFor()
    const stored = await world.ask('list-destinations', { workspaceId: home })
    t.same(
      stored.map(one => [one.name, one.default]),
      [
        ['Desk', true],
        ['Second line', false],
      ],
    )
    const kept = await world.store.find('destinations', { limit: 10 })
    t.equal(kept.find(({ name }) => name === 'Second line')?.url, 'https://pager.example.com/in')
    await close()
  })

  t.test('an owner makes the signing secret of a destination, sees it once, and removes it', async t => {
    await addDestination('Signed')
    const { page, faults, close } = await visit('/settings/destinations', 'olga')
    await page.getByRole('button', { name: 'Signing secret: Signed' }).click()
    await page.getByRole('button', { name: 'Go on' }).click()
    const made = page.getByRole('region', { name: 'Signing secret of Signed' })
    await made.locator('h2:focus').waitFor()
    const secret = (await made.locator('code').textContent()) ?? ''
    t.match(secret, /^whsec_/)
    await page.getByRole('button', { name: 'I have kept it' }).click()
    await page.getByRole('button', { name: 'Signing secret: Signed' }).click()
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('Rotate it to make another').waitFor()
    t.notOk((await page.content()).includes(secret), 'the secret is not shown again')
    await page.getByLabel('What to do').selectOption('remove')
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('Messages to Signed are not signed any more.').waitFor()
    t.same(
      faults.filter(fault => !fault.includes('409')),
      [],
    )
    await close()
  })

  t.test('an editor sees no button for the signing secret of a destination', async t => {
    await addDestination('Guarded')
    const { page, close } = await visit('/settings/destinations', 'edith')
    await page.getByRole('button', { name: 'Delete: Guarded' }).waitFor()
    t.equal(await page.getByRole('button', { name: /Signing secret/ }).count(), 0)
    await close()
  })

  t.test('a viewer reads the destinations and sees no button whose action would be refused', async t => {
    await addDestination('Shown')
    const { page, close } = await visit('/settings/destinations', 'vera')
    await page.getByRole('heading', { name: 'Shown' }).waitFor()
    t.equal(await page.locator('main button').count(), 0)
    await close()
  })

  t.test('an owner adds a member by keyboard, changes the role and removes the member', async t => {
    await world.addPerson('nora')
    const { page, faults, close } = await visit('/settings/people', 'olga')
    await tabTo(page, 'Add member')
    await page.keyboard.press('Enter')
    await tabTo(page, 'username')
    await page.keyboard.type('nobody')
    await page.keyboard.press('Enter')
    await page.locator('[data-field=username] .refusal', { hasText: 'There is no user' }).waitFor()
    await page.locator('input[name=username]:focus').fill('nora')
    await tabTo(page, 'role')
    await page.keyboard.press('ArrowDown')
    await tabTo(page, 'Add member')
    await page.keyboard.press('Enter')
    await page.getByText('nora is a member now, as editor.').waitFor()
    await page.getByRole('button', { name: 'Change role: nora' }).click()
    await page.getByRole('dialog').getByLabel('Role').selectOption('viewer')
    await page.getByRole('dialog').getByRole('button', { name: 'Change role' }).click()
    await page.getByText('nora is viewer now.').waitFor()
    const roleOf = async (userId: string) =>
      (await world.ask('list-members', { workspaceId: home })).find(member => member.userId === userId)?.role
    t.equal(await roleOf('user-nora'), 'viewer')
    await page.getByRole('button', { name: 'Remove: nora' }).click()
    await page.getByText('nora no longer sees Default').waitFor()
    await page.getByRole('button', { name: 'Remove member' }).click()
    await page.getByText('nora is no member any more.').waitFor()
    t.equal(await roleOf('user-nora'), undefined)
    t.same(
      faults.filter(fault => !fault.includes('404')),
      [],
    )
    await close()
  })

  t.test('a viewer sees the members, and no button whose action would be refused', async t => {
    const { page, close } = await visit('/settings/people', 'vera')
    await page.getByText('vera (you)').waitFor()
    t.equal(await page.locator('main button').count(), 0)
    await close()
  })

  t.test('workspace is created and renamed, and its last owner cannot leave', async t => {
    await world.addPerson('uma', { [home]: 'viewer' })
    const { page, close } = await visit('/settings', 'uma')
    t.equal(await page.getByRole('button', { name: 'Rename' }).count(), 0, 'a viewer renames nothing')
    await page.getByRole('button', { name: 'Create another workspace' }).click()
    await page.locator('input[name=name]:focus').waitFor()
    await page.keyboard.press('Enter')
    await page.locator('[data-field=name] .refusal').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Payments')
    await page.keyboard.press('Enter')
    await page.getByText('Workspace Payments created.').waitFor()
    await page
      .getByLabel('Workspace', { exact: true })
      .locator('option:checked', { hasText: /^Payments$/ })
      .waitFor({ state: 'attached' })
    await page.getByLabel('New name').fill('Payments and refunds')
    await page.keyboard.press('Enter')
    await page.locator('dd', { hasText: 'Payments and refunds' }).waitFor()
    await page.getByRole('button', { name: 'Leave Payments and refunds' }).click()
    await page.getByRole('button', { name: 'Leave workspace' }).click()
    await page.getByText('A workspace keeps an owner').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Workspace', { exact: true }).selectOption('Default')
    await page.waitForURL(url => url.pathname === '/')
    await page.goto(`${world.addresses[0]}/settings`)
    await page.getByRole('button', { name: 'Leave Default' }).click()
    await page.getByText('You no longer see its monitors').waitFor()
    await page.getByRole('button', { name: 'Leave workspace' }).click()
    await page.waitForURL(url => url.pathname === '/')
    t.notOk((await world.ask('list-members', { workspaceId: home })).some(({ userId }) => userId === 'user-uma'))
    await close()
  })

  t.test('a person without a workspace creates one', async t => {
    await world.addPerson('wanda', { [home]: 'viewer' })
    const before = async () => void (await world.ask('remove-member', { workspaceId: home, userId: 'user-wanda' }))
    const { page, faults, close } = await visit('/', 'wanda', { before })
    await page.getByRole('link', { name: 'create a workspace' }).click()
    await page.getByRole('button', { name: 'Create a workspace' }).click()
    await page.getByLabel('Name', { exact: true }).fill('First')
    await page.keyboard.press('Enter')
    await page.getByText('Workspace First created.').waitFor()
    await page.locator('dd', { hasText: 'owner' }).waitFor()
    t.same(faults, [])
    await close()
  })

  t.test('editor creates an Observation address with a second factor by keyboard, sees its URL once, and revokes it', async t => {
    const { page, faults, context, close } = await visit('/settings/addresses', 'edith', {
      before: context => context.grantPermissions(['clipboard-read', 'clipboard-write']),
    })
    const template = {
      key: 'nightly-job',
      version: 1,
      name: 'Nightly job',
      signals: [{ key: 'run', kind: 'event' }],
      rules: [
        {
          key: 'failing',
          action: 'Read the log of the job.',
          wait: { confirm_after: 0, recover_after: 0 },
          decision: { signal: 'run', field: 'status', operator: 'eq', operand: 'problem' },
        },
      ],
    }
    const at = `${world.addresses[0]}/api/v3/workspaces/${home}`
    const published = await context.request.post(`${at}/templates`, { data: template, headers: { origin: world.addresses[0]! } })
    t.equal(published.status(), 201)
    await page.getByText('No addresses yet.').waitFor()
    await tabTo(page, 'Create address')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'Nightly job (nightly-job)' }).waitFor({ state: 'attached' })
    await tabTo(page, 'description')
    await page.keyboard.type('x'.repeat(201))
    await page.keyboard.press('Enter')
    await page.locator('[data-field=description] .refusal').waitFor()
    await page.locator('input[name=description]:focus').fill('backup hosts')
    await tabTo(page, 'template')
    await page.keyboard.press('ArrowDown')
    await tabTo(page, 'second_factor')
    await page.keyboard.press('Space')
    await page.keyboard.press('Enter')
    const made = page.getByRole('region', { name: 'Address created: backup hosts' })
    await made.locator('h2:focus').waitFor()
    const url = (await made.locator('code').first().textContent()) ?? ''
    t.match(url, /^http:.*\/in\/[\w-]{43}$/)
    await made.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('Command copied.').waitFor()
    const command = await page.evaluate<string>('navigator.clipboard.readText()')
    t.ok(command.includes(`'${url}'`) && command.includes('X-Observation-Key') && command.includes('nightly-job'), command)
    const [stored] = await world.ask('list-addresses', { workspaceId: home })
    t.match(stored, { description: 'backup hosts', template: 'nightly-job', secondFactor: true })
    await page.reload()
    await page.getByText('backup hosts').waitFor()
    t.notOk((await page.content()).includes(url), 'the URL is not shown again')
    await page.getByRole('button', { name: 'Revoke backup hosts' }).click()
    await page.getByText('Its monitors stay.').waitFor()
    await page.getByRole('button', { name: 'Revoke address' }).click()
    await page.getByText('No addresses yet.').waitFor()
    t.same(await world.ask('list-addresses', { workspaceId: home }), [])
    t.same(
      faults.filter(fault => !fault.includes('422')),
      [],
    )
    await close()
  })

  t.test('page of Observation addresses says to a viewer that it is for editors, and requests no addresses', async t => {
    const { page, faults, close } = await visit('/settings/addresses', 'vera')
    await page.getByText('Not for viewers').waitFor()
    t.same(faults, [])
    await close()
  })

  t.test('an administrator adds a location by keyboard, renames it and deletes it', async t => {
    const { page, faults, close } = await visit('/admin/locations', 'olga')
    await tabTo(page, 'Add location')
    await page.keyboard.press('Enter')
    await tabTo(page, 'name')
    await page.keyboard.type('local')
    await page.keyboard.press('Enter')
    await page.locator('[data-field=name] .refusal', { hasText: 'There is a location "local" already' }).waitFor()
    await page.locator('input[name=name]:focus').fill('hamburg')
    await page.keyboard.press('Enter')
    await page.getByText('Location hamburg added.').waitFor()
    await page.getByRole('button', { name: 'Change hamburg' }).click()
    await page.getByLabel('Display name').fill('Hamburg, cellar')
    await page.keyboard.press('Enter')
    await page.getByRole('cell', { name: 'Hamburg, cellar' }).waitFor()
    await page.getByRole('button', { name: 'Delete hamburg' }).click()
    await page.getByText('Nothing is checked from hamburg any more.').waitFor()
    await page.getByRole('button', { name: 'Delete location' }).click()
    await page.getByText('Location hamburg deleted.').waitFor()
    t.same(
      (await world.ask('list-locations', {})).map(({ name }) => name),
      ['local'],
    )
    t.same(
      faults.filter(fault => !fault.includes('409')),
      [],
    )
    await close()
  })

  t.test('an administrator creates credentials of a prober, sees the file once, and revokes them', async t => {
    const { page, faults, close } = await visit('/admin/probers', 'olga')
    await page.getByText('No credentials yet').waitFor()
    await page.getByRole('button', { name: 'Create credentials' }).click()
    await page.getByLabel('Description').fill('rack 4')
    await page.keyboard.press('Enter')
    const made = page.getByRole('region', { name: 'Credentials for local' })
    await made.locator('h2:focus').waitFor()
    const secret = (await made.locator('pre code').textContent()) ?? ''
    t.match(secret, /^secret of /)
    await page.reload()
    await page.getByRole('button', { name: 'Revoke rack 4' }).click()
    t.notOk((await page.content()).includes(secret), 'the file is not shown again')
    await page.getByText('is cut off and checks nothing more').waitFor()
    await page.getByRole('button', { name: 'Revoke credentials' }).click()
    await page.getByText('Credentials rack 4 revoked.').waitFor()
    await page.getByRole('button', { name: 'Revoke rack 4' }).waitFor({ state: 'detached' })
    await world.ask('create-location', { id: 'attic00001', name: 'attic', displayName: null })
    await world.ask('create-prober-credential', { id: 'credential', locationName: 'attic', description: 'rack 5' })
    await world.ask('delete-location', { locationId: 'attic00001' })
    await page.reload()
    await page.getByRole('row', { name: /Deleted rack 5/ }).waitFor()
    t.same(faults, [])
    await close()
  })

  t.test('an administrator adds a user, sets the password, disables and enables the account', async t => {
    const { page, faults, close } = await visit('/admin/users', 'olga')
    await page.getByRole('button', { name: 'Add user' }).click()
    await page.getByLabel('Username').fill('olga')
    await page.keyboard.press('Enter')
    await page.locator('[data-field=username] .refusal', { hasText: 'choose another username' }).waitFor()
    await page.getByLabel('Username').fill('paul')
    await page.getByLabel('First password').fill('short')
    await page.keyboard.press('Enter')
    await page.locator('[data-field=password] .refusal').waitFor()
    await page.getByLabel('First password').fill('a first password of paul')
    await page.keyboard.press('Enter')
    await page.getByText('User paul added.').waitFor()
    await page.getByRole('button', { name: 'Set password of paul' }).click()
    await page.getByLabel('New password').fill('another password of paul')
    await page.keyboard.press('Enter')
    await page.getByText('Password of paul set.').waitFor()
    await page.getByRole('button', { name: 'Disable paul' }).click()
    await page.getByText('The sessions of paul end at once').waitFor()
    await page.getByRole('button', { name: 'Disable user' }).click()
    await page.getByText('User, disabled').waitFor()
    await page.getByRole('button', { name: 'Enable paul' }).click()
    await page.getByRole('button', { name: 'Disable paul' }).waitFor()
    t.equal(await page.getByRole('button', { name: 'Disable olga' }).count(), 0, 'nobody disables the own account')
    t.match(await world.ask('find-user', { username: 'paul' }), { disabled: false, admin: false })
    t.same(
      faults.filter(fault => !/409|422/.test(fault)),
      [],
    )
    await close()
  })

  t.test('an owner filters the audit, and the page address contains the filter', async t => {
    await addDestination('Audited')
    await change('edith', `${v3}/addresses`, { description: 'audited hosts' })
    await audited(home, '/addresses')
    const { page, faults, close } = await visit('/admin/audit', 'olga')
    await page
      .getByRole('cell', { name: /POST .*destinations$/ })
      .first()
      .waitFor()
    await page.getByLabel('Person').selectOption('edith')
    await page.getByLabel('Path begins with').fill('/addresses')
    await page.keyboard.press('Enter')
    await page
      .getByRole('cell', { name: /destinations$/ })
      .first()
      .waitFor({ state: 'detached' })
    await page
      .getByRole('cell', { name: /POST .*addresses$/ })
      .first()
      .waitFor()
    t.equal(new URL(page.url()).search, '?person=user-edith&path=%2Faddresses')
    const made = page
      .getByRole('cell', { name: 'Observation address audited hosts' })
      .getByRole('link', { name: 'audited hosts' })
    t.equal(await made.first().getAttribute('href'), '/settings/addresses', 'what was made is named and linked')
    await page.reload()
    await page
      .getByRole('cell', { name: /POST .*addresses$/ })
      .first()
      .waitFor()
    await page
      .getByLabel('Person')
      .locator('option:checked', { hasText: /^edith$/ })
      .waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Show all' }).click()
    await page
      .getByRole('cell', { name: /destinations$/ })
      .first()
      .waitFor()
    await page.waitForFunction("document.querySelector('input[name=path]').value === ''")
    t.same(faults, [])
    await close()
  })

  t.test('health page lists each present condition with its start', async t => {
    const empty = await visit('/admin/health', 'olga')
    await empty.page.getByText('Nothing needs the operator').waitFor()
    await empty.page.getByText('If OPERATOR_WEBHOOK_URL is set, they are also sent there.').waitFor()
    const since = world.clock.now() - 3 * 3_600_000
    const lost: ConditionDocument = {
      ...{ id: 'location_lost.x', rev: 1, writer: 'w', kind: 'location_lost', objectId: 'x', name: 'hamburg', raised: 1, since },
      ...{ changedAt: since, seenAt: since, count: 0, summary: 'No prober of hamburg lives.', unsent: [], attempts: 0 },
      ...{ claimedBy: null, dueAt: null },
    }
    await world.store.insert('conditions', [lost])
    await empty.page.getByRole('button', { name: 'Read again' }).click()
    await empty.page.getByRole('cell', { name: 'Location without a prober' }).waitFor()
    await empty.page.getByRole('cell', { name: '3 h', exact: true }).waitFor()
    t.same(empty.faults, [])
    await empty.close()
  })

  t.test('a viewer reads the deliveries with their payload, filters them, and loads older deliveries on demand', async t => {
    const row = (number: number, over: Partial<DeliveryLogDocument> = {}): DeliveryLogDocument => ({
      ...{ id: `Log${number}`, rev: 1, number, workspaceId: home, destinationId: 'dest1', destinationNumber: 1 },
      ...{ destinationName: 'Ops', destinationType: 'webhook', alertKind: 'problem', event: 'problem', status: 'delivered' },
      ...{ reason: null, shownInV2: 1, payload: `{"number":${number},"text":"<script>"}`, error: '', incidentId: 'Subject001.1' },
      ...{ at: world.clock.now() - 100_000 + number * 1_000, expireAt: world.clock.now() + 1_000_000 },
      ...over,
    })
    const failed = row(60, { status: 'failed', reason: 'http_503', error: 'answered 503' })
    const held = row(61, {
      status: 'held',
      reason: 'maintenance',
      destinationId: null,
      destinationNumber: null,
      destinationName: null,
    })
    await world.store.insert('deliveryLog', [...Array.from({ length: 59 }, (_, i) => row(i + 1)), failed, held])
    const { page, faults, close } = await visit('/deliveries', 'vera')
    await page.getByRole('cell', { name: 'Kept back: in maintenance' }).waitFor()
    await page.getByRole('cell', { name: 'Failed: the receiver answered 503' }).waitFor()
    await page.getByText('Show', { exact: true }).first().click()
    await page.getByText('{"number":61,"text":"<script>"}').waitFor()
    t.equal(await page.locator('tbody tr').count(), 50)
    await page.getByRole('button', { name: 'Show older deliveries' }).click()
    await page.getByText('11 older deliveries are shown.').waitFor()
    t.equal(await page.locator('tbody tr').count(), 61)
    await page.getByLabel('Outcome').selectOption('failed')
    await page.getByRole('cell', { name: /Kept back/ }).waitFor({ state: 'detached' })
    t.equal(new URL(page.url()).search, '?status=failed')
    await page.reload()
    await page.getByRole('cell', { name: 'Failed: the receiver answered 503' }).waitFor()
    t.equal(await page.locator('tbody tr').count(), 1)
    t.same(faults, [])
    await close()
  })

  t.test('an administrator reads the audit of the installation in a tab next to the audit of the workspace', async t => {
    await addDestination('Of the workspace')
    await change('olga', '/api/v3/locations', { name: 'audited' })
    await audited(null, '/api/v3/locations')
    const { page, faults, close } = await visit('/admin/audit', 'olga')
    await page.getByRole('tab', { name: 'Workspace' }).focus()
    await page.keyboard.press('ArrowRight')
    await page
      .getByRole('cell', { name: /POST \/api\/v3\/(users|locations)$/ })
      .first()
      .waitFor()
    t.equal(new URL(page.url()).search, '?of=installation')
    t.equal(await page.getByRole('cell', { name: /destinations$/ }).count(), 0, 'changes of a workspace stand in its own audit')
    await page.reload()
    await page.getByRole('tab', { name: 'Installation', selected: true }).waitFor()
    t.same(await axeFaults(page), [])
    t.same(faults, [])
    await close()
    const { page: other, close: closeOther } = await visit('/admin/audit?of=installation', 'edith')
    await other.getByText('For owners').waitFor()
    t.equal(await other.getByRole('tab').count(), 0, 'nobody else is offered it')
    await closeOther()
  })

  t.test('pages of administrators and owners send no request when another person opens them', async t => {
    for (const [path, words] of [
      ['/admin/users', 'For administrators'],
      ['/admin/probers', 'For administrators'],
      ['/admin/health', 'For administrators'],
      ['/admin/audit', 'For owners'],
    ] as const) {
      const { page, faults, close } = await visit(path, 'edith')
      await page.getByText(words).waitFor()
      t.same(faults, [], path)
      await close()
    }
    const { page, close } = await visit('/admin/locations', 'edith')
    await page.getByRole('cell', { name: 'local' }).waitFor()
    t.equal(await page.locator('main button').count(), 0)
    await close()
  })
})
