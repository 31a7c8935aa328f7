// Workspaces, members and invitations of generation 3 by key: what a person may do with a session, a full key of that person may do, too
// (docs/reference/v3.md, section 14). With a session: test/gateway/session.test.ts and test/gateway/session/invitations.test.ts.
import t from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import { hashToken, makeToken } from '#shared/tokens/api-token.ts'
import { type ApiWorld, type CallOptions, startApiWorld } from '../../support/worlds/api-world.ts'
import { startDeafGateway } from '../../support/worlds/deaf-gateway.ts'

let world: ApiWorld
let owner: string
let viewer: string
t.before(async () => {
  world = await startApiWorld()
  owner = (await world.addPerson('olga', { w1: 'owner' })).token
  await world.addPerson('edda', { w1: 'editor' })
  viewer = (await world.addPerson('vera', { w1: 'viewer' })).token
})
t.teardown(() => world.stop())

const call = (method: string, path: string, options: CallOptions = {}) =>
  world.call(method, `/api/v3${path}`, { token: owner, ...options })
const resultOf = async (method: string, path: string, options: CallOptions = {}) => {
  const { status, json, text } = await call(method, path, options)
  if (status >= 300) throw new Error(`${method} ${path}: ${text}`)
  return json.result
}

t.test('every member with a full key lists the members, and may ask for those whose account is disabled (v3 2.7)', async t => {
  const members = [
    { id: 'user-edda', name: 'edda', username: 'edda', role: 'editor' },
    { id: 'user-olga', name: 'olga', username: 'olga', role: 'owner' },
    { id: 'user-vera', name: 'vera', username: 'vera', role: 'viewer' },
  ]
  t.strictSame(await resultOf('GET', '/workspaces/w1/members'), members, 'without a display name, the name is the username')
  t.strictSame(await resultOf('GET', '/workspaces/w1/members', { token: viewer }), members)
  const { token } = await world.addPerson('zoe', { w4: 'owner' }, { displayName: 'Zoe' })
  await world.addPerson('adam', { w4: 'viewer' }, { displayName: 'Adam', disabled: true })
  const adam = { id: 'user-adam', name: 'Adam', username: 'adam', role: 'viewer' }
  const zoe = { id: 'user-zoe', name: 'Zoe', username: 'zoe', role: 'owner' }
  for (const [query, listed] of [
    ['', [adam, zoe]],
    ['?disabled=true', [adam]],
    ['?disabled=false', [zoe]],
  ] as const)
    t.strictSame(await resultOf('GET', `/workspaces/w4/members${query}`, { token }), listed, `members${query}`)
  t.match(await call('GET', '/workspaces/w4/members?disabled=1', { token }), {
    status: 422,
    json: { error: { details: { field: 'disabled' } } },
  })
  const scoped = makeToken()
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  const key = { id: 'scoped', userId: 'user-olga', description: '', tokenHash: hashToken(scoped), prefix: 'wk_' }
  await ask('create-key', { ...key, scope: { workspaceId: 'w1', actions: [] } })
  t.match(await call('GET', '/workspaces/w1/members', { token: scoped }), {
    status: 403,
    json: { error: { details: { scope: 'full' } } },
  })
})

t.test('owner invites by key, and the invited person accepts or declines by key (v3 14.2, 14.3)', async t => {
  const { token: grace } = await world.addPerson('grace', {})
  const invite = (role: string) => resultOf('POST', '/workspaces/w1/invitations', { body: { username: ' Grace ', role } })
  const sent = await invite('viewer')
  t.strictSame(Object.keys(sent), ['id', 'username', 'role', 'invited_by', 'created_at', 'expires_at'])
  t.match(sent, { username: 'grace', role: 'viewer', invited_by: 'olga' })
  t.strictSame(await resultOf('GET', '/workspaces/w1/invitations'), [sent])
  const [own] = await resultOf('GET', '/invitations', { token: grace })
  t.strictSame(Object.keys(own), ['id', 'workspace', 'role', 'invited_by', 'created_at', 'expires_at'])
  t.match(own, { id: sent.id, workspace: 'Name of w1', invited_by: { username: 'olga', display_name: '' } })
  t.strictSame(await resultOf('DELETE', `/invitations/${own.id}`, { token: grace }), { id: own.id, deleted: true })
  t.strictSame(await resultOf('GET', '/invitations', { token: grace }), [])
  t.strictSame(await resultOf('GET', '/workspaces/w1/invitations'), [sent], 'nobody sees that it was declined')

  const again = await invite('editor')
  t.equal((await call('GET', '/workspaces/w1', { token: viewer })).status, 404, 'there is no such route')
  const accepted = await resultOf('POST', `/invitations/${again.id}/accept`, { token: grace })
  t.strictSame(accepted, { id: 'w1', name: 'Name of w1', role: 'editor' })
  t.strictSame(await resultOf('GET', '/workspaces', { token: grace }), [accepted], 'at once')
  t.strictSame(await resultOf('DELETE', '/workspaces/w1/members/user-grace', { token: grace }), {
    id: 'user-grace',
    deleted: true,
  })
  t.equal((await call('GET', '/workspaces/w1/members', { token: grace })).status, 404, 'who left is a stranger')

  const third = await invite('viewer')
  t.strictSame(await resultOf('DELETE', `/workspaces/w1/invitations/${third.id}`), { id: third.id, deleted: true })
  for (const id of [third.id, 'unknown000', 'a%2Fb']) {
    t.equal((await call('DELETE', `/workspaces/w1/invitations/${id}`)).status, 404, id)
    t.equal((await call('POST', `/invitations/${id}/accept`, { token: grace })).status, 404, id)
    t.equal((await call('DELETE', `/invitations/${id}`, { token: grace })).status, 404, id)
  }
})

t.test('only an owner who administers the installation adds people and makes owners without asking them (v3 14.1)', async t => {
  const { token: root } = await world.addPerson('root', { w1: 'owner' }, { admin: true })
  await world.addPerson('paul', {})
  const path = '/workspaces/w1/members'
  const body = { username: 'paul', role: 'viewer' }
  const refused = await call('POST', path, { body })
  t.match(refused, {
    status: 403,
    json: { error: { message: /invite the person instead$/, details: { role: 'admin' } } },
  })
  t.equal((await call('POST', path, { body: { username: 'nobody', role: 'viewer' } })).text, refused.text)
  t.equal((await call('POST', path, { raw: '{' })).text, refused.text, 'before the body is read (v3 1.3)')
  t.match(await resultOf('POST', path, { token: root, body }), { id: 'user-paul', name: 'paul', role: 'viewer' })
  const promoted = await call('PATCH', `${path}/user-paul`, { body: { role: 'owner' } })
  t.match(promoted, { status: 409, json: { error: { details: { field: 'role' } } } })
  t.match(await resultOf('PATCH', `${path}/user-paul`, { token: root, body: { role: 'owner' } }), { role: 'owner' })
  t.match(await resultOf('DELETE', `${path}/user-paul`), { deleted: true })
})

t.test('workspace is renamed, and deleted by its typed name, and the key of its owner knows it at once (v3 14.4)', async t => {
  const send = await startDeafGateway(t, world, owner)
  const { id } = (await send('POST', '/workspaces', { name: 'Doomed' })).result
  t.match(await send('PATCH', `/workspaces/${id}`, { name: ' Payments ' }), {
    status: 200,
    result: { id, name: 'Payments', role: 'owner' },
  })
  for (const name of ['', ' ', 'x'.repeat(61), 'a\u200bb'])
    t.match(await send('PATCH', `/workspaces/${id}`, { name }), { status: 422, error: { details: { field: 'name' } } }, name)
  t.match(await send('POST', `/workspaces/${id}/deletion`, { name: 'payments' }), {
    status: 422,
    error: { message: 'Type the name of the workspace to delete it: Payments', details: { field: 'name' } },
  })
  t.strictSame((await send('POST', `/workspaces/${id}/deletion`, { name: 'Payments' })).result, {
    ...{ id, name: 'Payments', subjects: 0, destinations: 0, transformations: 0, templates: 0, members: 1 },
  })
  t.equal((await send('GET', `/workspaces/${id}/members`)).status, 404)
})
