// Invitations in generation 3, by sessions: an owner cannot find out who has an account, nobody becomes a member without accepting, and the last owner
// deletes the workspace.
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { limits } from '#shared/limits/limits.ts'
import type { Browser } from '../../support/clients/browser.ts'
import { type SessionWorld, startSessionWorld } from '../../support/worlds/session-world.ts'

/** A world with an owner of the workspace who is no administrator. */
async function startOwned(t: Test, gateways = 1): Promise<{ world: SessionWorld; olga: Browser; at: string }> {
  const world = await startSessionWorld(t, { gateways })
  await world.addPerson('olga', { [world.workspaceId]: 'owner' })
  return { world, olga: await world.signedIn('olga'), at: `/api/v3/workspaces/${world.workspaceId}` }
}

const invitationsOf = async (browser: Browser) => (await browser.send('GET', '/session')).json.invitations

t.test('answers about members and invitations are the same for a name with an account and for one without', async t => {
  const { world, olga, at } = await startOwned(t)
  for (const name of ['known', 'barred', 'busy']) await world.addPerson(name)
  await world.ask('update-user', { userId: 'user-barred', disabled: true })
  for (let i = 0; i < limits.people.workspacesPerUser; i++)
    await world.ask('create-workspace', { id: `full${i}`, name: 'Full', userId: 'user-busy' })
  const names = ['known', 'barred', 'busy', 'nobody']
  /** Returns the response without what the name alone decides. */
  const shown = async (method: string, path: (name: string) => string, body: (name: string) => object | undefined) =>
    Promise.all(
      names.map(async name => {
        const { status, text, headers } = await olga.send(method, `${at}${path(name)}`, { body: body(name) })
        const same = text.replaceAll(name, '<name>').replace(/[.][0-9A-Za-z]{10}"/, '"')
        return JSON.stringify([status, same, Object.keys(headers).filter(header => header !== 'content-length')])
      }),
    )
  const cases = [
    [
      'add',
      await shown(
        'POST',
        () => '/members',
        username => ({ username, role: 'viewer' }),
      ),
    ],
    [
      'change',
      await shown(
        'PATCH',
        name => `/members/user-${name}`,
        () => ({ role: 'viewer' }),
      ),
    ],
    [
      'remove',
      await shown(
        'DELETE',
        name => `/members/user-${name}`,
        () => undefined,
      ),
    ],
    [
      'invite',
      await shown(
        'POST',
        () => '/invitations',
        username => ({ username, role: 'viewer' }),
      ),
    ],
    [
      'invite again',
      await shown(
        'POST',
        () => '/invitations',
        username => ({ username, role: 'editor' }),
      ),
    ],
  ] as const
  for (const [what, answers] of cases) t.equal(new Set(answers).size, 1, `${what}: ${answers.join('\n')}`)
  t.match(cases[0][1][0], /^\[403,.*invite the person instead/)
  t.match(cases[3][1][0], /^\[201,/)

  const known = await world.signedIn('known')
  const before = (await olga.send('GET', `${at}/invitations`)).text
  const [invitation] = await invitationsOf(known)
  t.equal((await known.send('DELETE', `/api/v3/invitations/${invitation.id}`)).status, 200)
  t.strictSame(await invitationsOf(known), [])
  t.equal((await olga.send('GET', `${at}/invitations`)).text, before, 'nobody sees that it was declined')
  const listed = JSON.parse(before).result
  t.strictSame(listed.map(({ username }: { username: string }) => username).toSorted(), names.toSorted())
  t.strictSame(Object.keys(listed[0]), ['id', 'username', 'role', 'invited_by', 'created_at', 'expires_at'])
})

t.test(
  'invited person sees the invitation at the next sign-in and is a member only after accepting, at every gateway',
  async t => {
    const { world, olga, at } = await startOwned(t, 2)
    await world.addPerson('stan')
    await world.addPerson('eve')
    const made = await olga.send('POST', `${at}/invitations`, { body: { username: ' Stan ', role: 'editor' } })
    t.equal(made.status, 201)
    const stan = await world.signedIn('stan')
    const [own] = await invitationsOf(stan)
    t.match(own, { id: made.json.result.id, workspace: 'Default', role: 'editor', invited_by: { username: 'olga' } })
    t.strictSame((await stan.send('GET', '/api/v3/invitations')).json.result, [own])
    t.equal((await stan.send('GET', `${at}/members`)).status, 404, 'an invitation gives no right')
    const elsewhere = await world.signedIn('stan', 1)
    const eve = await world.signedIn('eve')
    const path = `/api/v3/invitations/${own.id}`
    const stolen = await eve.send('POST', `${path}/accept`, { body: {} })
    t.equal(stolen.status, 404)
    t.equal(stolen.text, (await eve.send('POST', '/api/v3/invitations/none.none/accept', { body: {} })).text)
    t.equal((await eve.send('DELETE', path)).status, 404)

    const accepted = await stan.send('POST', `${path}/accept`, { body: {} })
    t.strictSame(accepted.json.result, { id: world.workspaceId, name: 'Default', role: 'editor' })
    for (const browser of [stan, elsewhere]) t.equal((await browser.send('GET', `${at}/members`)).status, 200)
    t.strictSame((await stan.send('POST', `${path}/accept`, { body: {} })).json, accepted.json, 'accepting twice is harmless')
    t.strictSame(await invitationsOf(stan), [])
    t.strictSame((await olga.send('GET', `${at}/invitations`)).json.result, [])
  },
)

t.test('withdrawn invitation cannot be accepted', async t => {
  const { world, olga, at } = await startOwned(t)
  await world.addPerson('stan')
  const { id } = (await olga.send('POST', `${at}/invitations`, { body: { username: 'stan', role: 'viewer' } })).json.result
  t.equal((await olga.send('DELETE', `${at}/invitations/${id}`)).status, 200)
  t.equal((await olga.send('DELETE', `${at}/invitations/${id}`)).status, 404)
  const stan = await world.signedIn('stan')
  t.strictSame(await invitationsOf(stan), [])
  t.equal((await stan.send('POST', `/api/v3/invitations/${id}/accept`, { body: {} })).status, 404)
})

t.test('nobody is made an owner without accepting, and the last owner deletes the workspace by its typed name', async t => {
  const { world, olga, at } = await startOwned(t)
  await world.addPerson('vera', { [world.workspaceId]: 'viewer' })
  await world.addPerson('ada', {}, { admin: true })
  const vera = await world.signedIn('vera')
  const forced = await olga.send('PATCH', `${at}/members/user-vera`, { body: { role: 'owner' } })
  t.equal(forced.status, 409)
  t.match(forced.json.error, { message: /^Nobody is made an owner without being asked/, details: { field: 'role' } })
  t.equal((await olga.send('POST', `${at}/invitations`, { body: { username: 'vera', role: 'editor' } })).status, 409)
  const { id } = (await olga.send('POST', `${at}/invitations`, { body: { username: 'vera', role: 'owner' } })).json.result
  t.equal((await vera.send('GET', '/session')).json.workspaces[0].role, 'viewer')
  t.equal((await vera.send('POST', `/api/v3/invitations/${id}/accept`, { body: {} })).json.result.role, 'owner')
  t.equal((await olga.send('DELETE', `${at}/members/user-olga`)).status, 200)
  await world.ask('remove-member', { workspaceId: world.workspaceId, userId: world.ownerId })
  t.equal((await vera.send('DELETE', `${at}/members/user-vera`)).status, 409, 'the last owner cannot leave')

  const wrong = await vera.send('POST', `${at}/deletion`, { body: { name: 'default' } })
  t.equal(wrong.status, 422)
  t.match(wrong.json.error, { message: /^Type the name of the workspace/, details: { field: 'name' } })
  const gone = await vera.send('POST', `${at}/deletion`, { body: { name: ' Default ' } })
  t.equal(gone.status, 200)
  t.strictSame(gone.json.result, {
    ...{ id: world.workspaceId, name: 'Default', subjects: 0, destinations: 0, transformations: 0, templates: 0, members: 1 },
  })
  t.strictSame((await vera.send('GET', '/session')).json.workspaces, [])
  t.equal((await vera.send('POST', `${at}/deletion`, { body: { name: 'Default' } })).status, 404)

  world.clock.advance(limits.audit.flushMs)
  const ada = await world.signedIn('ada')
  let rows: { path: string; status: number; person: { name: string } }[] = []
  for (let i = 0; i < 1_000 && !rows.some(({ status, path }) => status === 200 && path.endsWith('/deletion')); i++) {
    await setImmediate()
    rows = (await ada.send('GET', '/api/v3/audit')).json.result
  }
  t.match(
    rows.filter(({ status }) => status === 200),
    [{ person: { name: 'vera' }, method: 'POST', path: `${at}/deletion` }],
    'administrators see who deleted it',
  )
})
