// Accounts, locations, prober credentials, health and the audit of the installation, by key (docs/reference/v3.md, section 16). With a
// session: test/gateway/session.test.ts. Every role and key at every route: test/conformance/v3.test.ts.

import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import { keys } from '#shared/bus/subjects.ts'
import type { ConditionDocument } from '#shared/contracts/incidents/condition.ts'
import { limits } from '#shared/limits/limits.ts'
import { hashToken, makeToken } from '#shared/tokens/api-token.ts'
import { type CallOptions, startApiWorld } from '../../support/worlds/api-world.ts'
import { startDeafGateway } from '../../support/worlds/deaf-gateway.ts'

/** A world with two administrators, who are members of no workspace, and an owner. */
async function start(t: Test) {
  const world = await startApiWorld()
  t.teardown(() => world.stop())
  const { token: root } = await world.addPerson('root', {}, { admin: true })
  const { token: ann } = await world.addPerson('ann', {}, { admin: true })
  const { token: owner } = await world.addPerson('olga', { w1: 'owner' })
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  const call = (method: string, path: string, options: CallOptions = {}) =>
    world.call(method, `/api/v3${path}`, { token: root, ...options })
  const resultOf = async (method: string, path: string, body?: object) => {
    const { status, json, text } = await call(method, path, body === undefined ? {} : { body })
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`)
    return json.result
  }
  const scopedKey = async (username: string) => {
    const token = makeToken()
    const key = {
      id: `scoped-${username}`,
      userId: `user-${username}`,
      description: '',
      tokenHash: hashToken(token),
      prefix: 'wk_',
    }
    await ask('create-key', { ...key, scope: { workspaceId: 'w1', actions: ['resources'] } })
    return token
  }
  return { ...world, ask, root, ann, owner, call, resultOf, scopedKey }
}

t.test('only a full key of an administrator is served, whoever owns a workspace (v3 16.1 to 16.5)', async t => {
  const { call, ask, owner, ann, scopedKey, resultOf, dump } = await start(t)
  await ask('add-member', { workspaceId: 'w1', username: 'ann', role: 'viewer' })
  const location = await resultOf('POST', '/locations', { name: 'fr' })
  const credential = await resultOf('POST', '/prober-credentials', { location: 'fr' })
  const scoped = await scopedKey('ann')
  const routes: [method: string, path: string, body?: object][] = [
    ['GET', '/users'],
    ['POST', '/users', { username: 'eve', admin: true }],
    ['PATCH', '/users/user-olga', { admin: true }],
    ['DELETE', '/users/user-olga?force=true'],
    ['POST', '/locations', { name: 'de' }],
    ['PATCH', `/locations/${location.id}`, { name: 'us' }],
    ['DELETE', `/locations/${location.id}`],
    ['GET', '/prober-credentials'],
    ['POST', '/prober-credentials', { location: 'fr' }],
    ['DELETE', `/prober-credentials/${credential.id}`],
    ['GET', '/health'],
    ['GET', '/audit'],
  ]
  const callers: [who: string, token: string | null, status: number, details: object][] = [
    ['nobody', null, 401, {}],
    ['an owner', owner, 403, { role: 'admin' }],
    ['an administrator by a scoped key', scoped, 403, { scope: 'full' }],
  ]
  const before = await dump()
  for (const [method, path, body] of routes) {
    for (const [who, token, status, details] of callers) {
      const refused = await call(method, path, { token, ...(body && { body }) })
      t.equal(refused.status, status, `${method} ${path} by ${who}`)
      t.strictSame(refused.json.error.details, details, `${method} ${path} by ${who}`)
    }
  }
  t.equal(await dump(), before, 'nothing is stored')
  for (const token of [owner, scoped, ann]) t.equal((await call('GET', '/locations', { token })).status, 200, 'everybody')
  for (const [method, path] of routes.filter(([method]) => method === 'GET'))
    t.equal((await call(method, path, { token: ann })).status, 200, `${method} ${path}`)
})

t.test('accounts are created, listed in pages, changed and deleted (v3 16.1)', async t => {
  const { call, resultOf, store, clock } = await start(t)
  const at = new Date(clock.now()).toISOString()
  const body = { username: ' Nina ', display_name: 'Nina N.', password: 'a fine password' }
  const made = await call('POST', '/users', { body })
  t.equal(made.status, 201)
  const nina = { username: 'nina', display_name: 'Nina N.', admin: false, disabled: false, has_password: true }
  const { id } = made.json.result
  t.strictSame(made.json.result, { id, ...nina, created_at: at, signed_in_at: null })
  t.notMatch(made.text + JSON.stringify(await store.get('users', [id])), 'a fine password')
  t.strictSame((await resultOf('POST', '/users', { username: 'plain' })).has_password, false)

  const first = await call('GET', '/users?limit=3')
  const second = await call('GET', `/users?limit=3&cursor=${first.json.meta.next_cursor}`)
  const names = [first, second].map(({ json }) => json.result.map(({ username }: { username: string }) => username))
  t.strictSame(
    names.map(({ length }) => length),
    [3, 2],
  )
  t.strictSame(names.flat().sort(), ['ann', 'nina', 'olga', 'plain', 'root'], 'each once')
  t.equal(second.json.meta.next_cursor, null)

  t.match(await resultOf('PATCH', `/users/${id}`, { display_name: '', disabled: true }), { display_name: '', disabled: true })
  t.match(await resultOf('PATCH', `/users/${id}`, { admin: true, disabled: false }), { admin: true, disabled: false })
  t.match(await resultOf('PATCH', `/users/${id}`, { disabled: null }), { admin: true, disabled: false }, 'null is absent')
  t.strictSame(await resultOf('DELETE', `/users/${id}`), { id, deleted: true })
  t.equal((await call('DELETE', `/users/${id}`)).status, 404)
})

t.test('nobody disables, demotes or deletes the own account, but changes its name (v3 16.1)', async t => {
  const { call, resultOf, store } = await start(t)
  const rows: [method: string, path: string, body: object | undefined, verb: string, details: object][] = [
    ['PATCH', '/users/user-root', { disabled: true }, 'disable', { field: 'disabled' }],
    ['PATCH', '/users/user-root', { display_name: 'R', admin: false }, 'demote', { field: 'admin' }],
    ['DELETE', '/users/user-root', undefined, 'delete', {}],
    ['DELETE', '/users/user-root?force=true', undefined, 'delete', {}],
  ]
  const before = await store.get('users', ['user-root'])
  for (const [method, path, body, verb, details] of rows) {
    const refused = await call(method, path, body && { body })
    t.equal(refused.status, 409, verb)
    const message = `An administrator cannot ${verb} the own account; another administrator can`
    t.match(refused.json.error, { message, details }, verb)
  }
  t.strictSame(await store.get('users', ['user-root']), before)
  t.match(await resultOf('PATCH', '/users/user-root', { display_name: 'Root', admin: true, disabled: false }), {
    display_name: 'Root',
    admin: true,
  })
})

t.test('account that is used is deleted only by force, and never the only owner of a workspace (v3 16.1)', async t => {
  const { call, resultOf, addPerson, ask, dump } = await start(t)
  await addPerson('zoe', { w1: 'viewer' })
  const before = await dump()
  const used = { status: 409, json: { error: { message: /^It has 1 membership and 1 key, .* or delete it with force$/ } } }
  t.match(await call('DELETE', '/users/user-zoe'), used)
  t.match(await call('DELETE', '/users/user-zoe?force=false'), used)
  t.match(await call('DELETE', '/users/user-zoe?force=1'), { status: 422, json: { error: { details: { field: 'force' } } } })
  const alone = { status: 409, json: { error: { message: /^Nobody else owns "Name of w1" \(w1\): make another member owner/ } } }
  t.match(await call('DELETE', '/users/user-olga?force=true'), alone)
  t.equal(await dump(), before, 'nothing is stored')
  t.strictSame(await resultOf('DELETE', '/users/user-zoe?force=true'), { id: 'user-zoe', deleted: true })
  t.strictSame(
    (await ask('list-members', { workspaceId: 'w1' })).map(({ userId }) => userId),
    ['user-olga'],
  )
})

t.test('two administrators who take each other out leave one of them (v3 16.1)', async t => {
  const turns: [what: string, out: (world: Awaited<ReturnType<typeof start>>, token: string, id: string) => Promise<unknown>][] =
    [
      ['deleted', ({ call }, token, id) => call('DELETE', `/users/${id}?force=true`, { token })],
      ['demoted', ({ call }, token, id) => call('PATCH', `/users/${id}`, { token, body: { admin: false } })],
      ['disabled', ({ call }, token, id) => call('PATCH', `/users/${id}`, { token, body: { disabled: true } })],
    ]
  for (const [what, out] of turns) {
    const world = await start(t)
    await Promise.all([out(world, world.root, 'user-ann'), out(world, world.ann, 'user-root')])
    const users = await world.store.find('users', { limit: 10 })
    t.ok(
      users.some(({ admin, disabled }) => admin && !disabled),
      what,
    )
  }
})

t.test('key of an account that is disabled or deleted is refused by the same gateway at once (v3 16.1)', async t => {
  const world = await start(t)
  const send = await startDeafGateway(t, world, world.root)
  const ends: [what: string, end: (id: string) => Promise<{ status: number }>][] = [
    ['disabled', id => send('PATCH', `/users/${id}`, { disabled: true })],
    ['deleted', id => send('DELETE', `/users/${id}?force=true`)],
    ['demoted', id => send('PATCH', `/users/${id}`, { admin: false })],
  ]
  for (const [what, end] of ends) {
    const { token, userId } = await world.addPerson(`to-be-${what}`, {}, { admin: true })
    t.equal((await send('GET', '/users', undefined, token)).status, 200, what)
    t.equal((await end(userId)).status, 200, what)
    t.equal((await send('GET', '/users', undefined, token)).status, what === 'demoted' ? 403 : 401, what)
  }
})

t.test('locations are created, changed, listed with their probers, and deleted while nothing uses them (v3 16.2)', async t => {
  const { call, resultOf, owner, hub, clock, addSubject, dump } = await start(t)
  const made = await call('POST', '/locations', { body: { name: ' de ', display_name: 'Germany' } })
  t.equal(made.status, 201)
  const { id } = made.json.result
  const de = { id, name: 'de', display_name: 'Germany', active_workers_count: 0, last_seen_at: null }
  t.strictSame(made.json.result, de)
  const path = `/locations/${id}`
  t.strictSame(await resultOf('PATCH', path, { display_name: null }), de, 'null is absent')
  t.strictSame(await resultOf('PATCH', path, { display_name: '' }), { ...de, display_name: null })
  t.strictSame(await resultOf('PATCH', path, { name: 'dee' }), { ...de, name: 'dee', display_name: null })

  await hub.connect().bucket('presence').put(keys.proberPresence(id, 'p1'), {})
  await setImmediate()
  const last_seen_at = new Date(clock.now()).toISOString()
  const live = { ...de, name: 'dee', display_name: null, active_workers_count: 1, last_seen_at }
  t.strictSame((await call('GET', '/locations', { token: owner })).json.result, [live])
  const before = await dump()
  t.match(await call('DELETE', path), { status: 409, json: { error: { message: /^A prober runs there; stop it first$/ } } })
  await hub.connect().bucket('presence').delete(keys.proberPresence(id, 'p1'))
  await setImmediate()
  t.equal(await dump(), before)
  const subject = await addSubject({ id: 'shop000000', workspaceId: 'w1', checkLocations: [id] })
  t.match(await call('DELETE', path), { status: 409, json: { error: { message: /^A monitor is checked from there; change/ } } })
  await addSubject({ ...subject, checkLocations: [] })
  t.strictSame(await resultOf('DELETE', path), { id, deleted: true })
  t.strictSame(await resultOf('GET', '/locations'), [])
  t.equal((await call('PATCH', path, { body: { name: 'x' } })).status, 404)
})

t.test('prober credentials are shown once, listed without their secret, and revoked for good (v3 16.3)', async t => {
  const { call, resultOf, clock } = await start(t)
  const { id: location_id } = await resultOf('POST', '/locations', { name: 'de' })
  const made = await call('POST', '/prober-credentials', { body: { location: 'de', description: ' rack 3 ' } })
  t.equal(made.status, 201)
  const { credentials, ...shown } = made.json.result
  t.equal(credentials, `secret of ${shown.id} in ${location_id}`)
  const [created_at, public_key] = [new Date(clock.now()).toISOString(), `U${shown.id}`]
  const credential = {
    id: shown.id,
    location_id,
    location: 'de',
    description: 'rack 3',
    public_key,
    created_at,
    revoked_at: null,
  }
  t.strictSame(shown, credential)
  const listed = await call('GET', '/prober-credentials')
  t.strictSame(listed.json.result, [credential])
  t.notMatch(listed.text, credentials)
  clock.advance(1_000)
  const revoked = { ...credential, revoked_at: new Date(clock.now()).toISOString() }
  t.strictSame(await resultOf('DELETE', `/prober-credentials/${shown.id}`), revoked)
  t.strictSame(await resultOf('DELETE', `/prober-credentials/${shown.id}`), revoked, 'again')
  await resultOf('DELETE', `/locations/${location_id}`)
  t.strictSame(await resultOf('GET', '/prober-credentials'), [{ ...revoked, location: null }], 'the list keeps them')
})

t.test('prober credentials are for a location named by id, or by any spelling of the name (v3 16.3)', async t => {
  const { call, resultOf } = await start(t)
  const { id } = await resultOf('POST', '/locations', { name: ' Ko\u0308ln ' })
  for (const location of ['K\u00f6ln', 'Ko\u0308ln', ' K\u00f6ln', id])
    t.match(await resultOf('POST', '/prober-credentials', { location }), { location_id: id, location: 'K\u00f6ln' }, location)
  const unknown = await call('POST', '/prober-credentials', { body: { location: 'nowhere' } })
  t.match(unknown, { status: 404, json: { error: { details: { field: 'location' } } } })
})

t.test('health has the present conditions, the oldest first (v3 16.4)', async t => {
  const { resultOf, store, clock } = await start(t)
  const at = new Date(clock.now()).toISOString()
  t.strictSame(await resultOf('GET', '/health'), { at, version: '2.0.0', conditions: [] })
  const condition = (id: string, since: number, raised: 0 | 1): ConditionDocument => ({
    ...{ id, rev: 1, writer: 'w', kind: 'location_lost', objectId: id, name: id, raised, since, changedAt: since, seenAt: since },
    ...{ count: 0, summary: `${id} is lost.`, unsent: [], attempts: 0, claimedBy: null, dueAt: null },
  })
  await store.insert('conditions', [condition('late', 2_000, 1), condition('early', 1_000, 1), condition('over', 0, 0)])
  const shown = (name: string, since: number) => {
    return { kind: 'location_lost', name, since: new Date(since).toISOString(), summary: `${name} is lost.` }
  }
  t.strictSame((await resultOf('GET', '/health')).conditions, [shown('early', 1_000), shown('late', 2_000)])
})

t.test(
  'audit of the installation has each change and each refusal of this section, and names what was made (v3 16.5)',
  async t => {
    const { call, resultOf, clock, owner } = await start(t)
    const user = await resultOf('POST', '/users', { username: 'nina', password: 'a fine password' })
    await resultOf('PATCH', `/users/${user.id}`, { display_name: 'Nina' })
    const place = await resultOf('POST', '/locations', { name: 'mars' })
    await resultOf('PATCH', `/locations/${place.id}`, { display_name: 'Mars' })
    const made = await resultOf('POST', '/prober-credentials', { location: 'mars', description: 'rack 1' })
    await resultOf('DELETE', `/prober-credentials/${made.id}`)
    await resultOf('DELETE', `/locations/${place.id}`)
    await resultOf('DELETE', `/users/${user.id}`)
    await call('POST', '/locations', { body: {} })
    await call('POST', '/users', { token: owner, body: { username: 'x' } })
    await call('POST', '/workspaces/w1/destinations', { token: owner, body: {} })
    for (const path of ['/users', '/locations', '/prober-credentials', '/health', '/audit']) await call('GET', path)
    const expected: [line: string, kind?: string, name?: string][] = [
      ['POST /api/v3/users 201 root', 'user', 'nina'],
      [`PATCH /api/v3/users/${user.id} 200 root`],
      ['POST /api/v3/locations 201 root', 'location', 'mars'],
      [`PATCH /api/v3/locations/${place.id} 200 root`],
      ['POST /api/v3/prober-credentials 201 root', 'prober_credential', 'rack 1'],
      [`DELETE /api/v3/prober-credentials/${made.id} 200 root`],
      [`DELETE /api/v3/locations/${place.id} 200 root`],
      [`DELETE /api/v3/users/${user.id} 200 root`],
      ['POST /api/v3/locations 422 root'],
      ['POST /api/v3/users 403 olga'],
    ]
    interface Row {
      [member: string]: unknown
      method: string
      path: string
      status: number
      person: { name: string }
      made: { kind: string; name: string } | null
    }
    let rows: Row[] = []
    for (let tries = 0; tries < 1_000 && rows.length < expected.length; tries++) {
      clock.advance(limits.audit.flushMs)
      await setImmediate()
      rows = await resultOf('GET', '/audit')
    }
    const brief = ({ method, path, status, person, made }: Row) => [
      `${method} ${path} ${status} ${person.name}`,
      ...(made === null ? [] : [made.kind, made.name]),
    ]
    t.strictSame(rows.toReversed().map(brief), expected, 'and no row of a workspace')
    const members = [
      'at',
      'person',
      'key',
      'address',
      'destination',
      'workspace',
      'method',
      'path',
      'status',
      'user_agent',
      'made',
    ]
    for (const row of rows) t.strictSame([Object.keys(row), row['workspace']], [members, null])
    t.notMatch(JSON.stringify(rows), /a fine password|secret of/)

    t.equal((await resultOf('GET', '/audit?person=user-olga')).length, 1)
    t.equal((await resultOf('GET', '/audit?path=%2Fapi%2Fv3%2Flocations')).length, 4, 'the path is compared from its beginning')
    t.equal((await resultOf('GET', `/audit?until=${encodeURIComponent(String(rows.at(-1)?.['at']))}`)).length, 0)
    const page = await call('GET', '/audit?limit=9')
    const last = await call('GET', `/audit?limit=9&cursor=${page.json.meta.next_cursor}`)
    t.strictSame([...page.json.result, ...last.json.result], rows)
    t.equal((await call('GET', `/workspaces/w1/audit?cursor=${page.json.meta.next_cursor}`, { token: owner })).status, 422)
  },
)

t.test('every fault of a body or a parameter is refused with its field, and nothing is stored (v3 16)', async t => {
  const { call, resultOf, dump, logged } = await start(t)
  const { id } = await resultOf('POST', '/locations', { name: 'fr' })
  await resultOf('POST', '/locations', { name: 'us' })
  const most = limits.sessionApi.textCharacters
  const short = 'secret7'
  const rows: [method: string, path: string, body: object | undefined, status: number, field: string, sentence: RegExp][] = [
    ['POST', '/users', {}, 422, 'username', /required/],
    ['POST', '/users', { username: '' }, 422, 'username', /must not be blank/],
    ['POST', '/users', { username: 'has blanks' }, 422, 'username', /^A username has 1 to 64 letters/],
    ['POST', '/users', { username: 'x'.repeat(65) }, 422, 'username', /^A username has 1 to 64 letters/],
    ['POST', '/users', { username: 'x'.repeat(most + 1) }, 422, 'username', /4096 characters/],
    ['POST', '/users', { username: 'OLGA' }, 409, 'username', /^There is a user "olga" already; choose another username$/],
    ['POST', '/users', { username: 7 }, 400, 'username', /must be a text/],
    ['POST', '/users', { username: 'new', display_name: 'x'.repeat(101) }, 422, 'display_name', /at most 100 characters/],
    ['POST', '/users', { username: 'new', display_name: 'a\u202eb' }, 422, 'display_name', /invisible characters/],
    ['POST', '/users', { username: 'new', password: short }, 422, 'password', /^A password has 8 to 1024 characters$/],
    ['POST', '/users', { username: 'new', password: short.repeat(147) }, 422, 'password', /8 to 1024/],
    ['POST', '/users', { username: 'new', password: short.repeat(most) }, 422, 'password', /4096 characters/],
    ['POST', '/users', { username: 'new', password: [short] }, 400, 'password', /must be a text/],
    ['POST', '/users', { username: 'new', password: `\ud800${short}` }, 400, 'password', /unpaired surrogate/],
    ['POST', '/users', { username: 'new', admin: 'yes' }, 400, 'admin', /must be true or false/],
    ['POST', '/users', { username: 'new', disabled: true }, 400, 'disabled', /Unknown field/],
    ['PATCH', '/users/user-olga', { display_name: 'x'.repeat(101) }, 422, 'display_name', /at most 100 characters/],
    ['PATCH', '/users/user-olga', { disabled: 1 }, 400, 'disabled', /must be true or false/],
    ['PATCH', '/users/user-olga', { password: `${short}${short}` }, 400, 'password', /Unknown field/],
    ['PATCH', '/users/user-olga', { username: 'other' }, 400, 'username', /Unknown field/],
    ['GET', '/users?limit=0', undefined, 422, 'limit', /1 to 200/],
    ['GET', '/users?limit=201', undefined, 422, 'limit', /1 to 200/],
    ['GET', '/users?cursor=x', undefined, 422, 'cursor', /not of this list/],
    ['DELETE', '/users/user-olga?force=yes', undefined, 422, 'force', /./],
    ['POST', '/locations', {}, 422, 'name', /required/],
    ['POST', '/locations', { name: ' ' }, 422, 'name', /is not blank/],
    ['POST', '/locations', { name: 'x'.repeat(101) }, 422, 'name', /100 characters/],
    ['POST', '/locations', { name: 'a\u0000b' }, 422, 'name', /control or invisible/],
    ['POST', '/locations', { name: 'fr' }, 409, 'name', /^There is a location "fr" already$/],
    ['POST', '/locations', { name: 'de', display_name: 'x'.repeat(101) }, 422, 'display_name', /100 characters/],
    ['PATCH', `/locations/${id}`, { name: 'us' }, 409, 'name', /already/],
    ['PATCH', `/locations/${id}`, { name: '' }, 422, 'name', /must not be blank/],
    ['PATCH', `/locations/${id}`, { display_name: 5 }, 400, 'display_name', /must be a text/],
    ['PATCH', `/locations/${id}`, { id: 'aaaa' }, 400, 'id', /Unknown field/],
    ['POST', '/prober-credentials', {}, 422, 'location', /required/],
    ['POST', '/prober-credentials', { location: 'x'.repeat(101) }, 422, 'location', /1 to 100 characters/],
    ['POST', '/prober-credentials', { location: 'nowhere' }, 404, 'location', /^There is no location "nowhere"$/],
    ['POST', '/prober-credentials', { location: 'fr', description: 'x'.repeat(201) }, 422, 'description', /200 characters/],
    ['POST', '/prober-credentials', { location: 'fr', description: 'a\u001b[2J' }, 422, 'description', /control or invisible/],
    ['GET', '/audit?since=yesterday', undefined, 422, 'since', /RFC 3339/],
    ['GET', '/audit?until=1', undefined, 422, 'until', /RFC 3339/],
    ['GET', '/audit?person=a%2Fb', undefined, 422, 'person', /./],
    ['GET', '/audit?path=', undefined, 422, 'path', /./],
    ['GET', '/audit?limit=201', undefined, 422, 'limit', /1 to 200/],
    ['GET', '/audit?cursor=x', undefined, 422, 'cursor', /not of this list/],
    ['GET', '/health?kind=storage_full', undefined, 422, 'kind', /no parameter/],
  ]
  const before = await dump()
  for (const [method, path, body, status, field, sentence] of rows) {
    const about = `${method} ${path} ${JSON.stringify(body)?.slice(0, 60)}`
    const refused = await call(method, path, body && { body })
    t.equal(refused.status, status, about)
    t.equal(refused.json.error.details.field, field, about)
    t.match(refused.json.error.message, sentence, about)
    t.notMatch(refused.text, short, `${about} quotes no password`)
  }
  for (const [method, path] of [
    ['PATCH', '/users/unknown000'],
    ['DELETE', '/users/unknown000'],
    ['PATCH', '/locations/none'],
    ['DELETE', '/locations/none'],
    ['DELETE', '/prober-credentials/unknown000'],
    ['DELETE', '/users/a%2Fb'],
  ] as const)
    t.equal((await call(method, path, { body: {} })).status, 404, `${method} ${path}`)
  t.equal(await dump(), before, 'nothing is stored')
  t.notMatch(logged.join('\n'), short)
})

t.test('installation that is full refuses one more account and location with the field (v3 16.1, 16.2)', async t => {
  const { call, store } = await start(t)
  const { users } = limits.people
  const { perInstallation } = limits.location
  const user = (i: number) => ({
    id: `u${i}`,
    rev: 1,
    username: `u${i}`,
    displayName: '',
    admin: false,
    disabled: false,
    createdAt: 0,
  })
  await store.insert(
    'users',
    Array.from({ length: users - 4 }, (_, i) => user(i)),
  )
  const place = (i: number) => ({ id: `l${i}`, rev: 1, name: `l${i}`, displayName: null, createdAt: 0 })
  await store.insert(
    'locations',
    Array.from({ length: perInstallation - 1 }, (_, i) => place(i)),
  )
  for (const [path, body, next, field, sentence] of [
    ['/users', { username: 'last' }, { username: 'one-more' }, 'username', /at most 10000 users/],
    ['/locations', { name: 'last' }, { name: 'one more' }, 'name', /at most 500 locations/],
  ] as const) {
    t.equal((await call('POST', path, { body })).status, 201, `${path} at the bound`)
    const refused = await call('POST', path, { body: next })
    t.match(refused, { status: 422, json: { error: { message: sentence, details: { field } } } }, path)
  }
})
