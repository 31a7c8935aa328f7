// The session API over real HTTP on the real directory (SQLite): sign-in, rights, forged requests, and the end of access by a sign-out, a
// disabled account or a deleted key.
import type { FastifyRequest } from 'fastify'
import t, { type Test } from 'tap'
import { untrustedProxyIn } from '#shared/bus/gateway-sign.ts'
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { SettingError } from '#shared/settings.ts'
import { readAllSettings } from '../../infra/runtime/all-settings.ts'
import { decideRunMode } from '../../infra/runtime/run-mode.ts'
import { StartError } from '../../infra/runtime/start-error.ts'
import { createForwarding } from '../../services/gateway/http/forwarding.ts'
import { isOwnOrigin } from '../../services/gateway/session/caller/same-origin.ts'
import { demandFittingSettings, gatewaySettings } from '../../services/gateway/settings.ts'
import { bodyIsRead } from '../support/clients/body-is-read.ts'
import type { Browser } from '../support/clients/browser.ts'
import { passwordOf, type SessionWorld, startSessionWorld, type WorldOptions } from '../support/worlds/session-world.ts'

const signIn = (browser: Browser, username: string, password: string, headers: Record<string, string | undefined> = {}) =>
  browser.send('POST', '/session/sign-in', { body: { username, password }, headers })

const sessionName = 'watchkeeper-session'
const sessionLifeMs = 14 * 24 * 3_600_000
const stranger = 'nobody-knows-me'

/** A world with one person for each role of the workspace, a person without a workspace, and an administrator without a workspace. */
async function startFull(t: Test, options: WorldOptions = {}): Promise<SessionWorld> {
  const world = await startSessionWorld(t, options)
  const { workspaceId } = world
  await world.addPerson('edith', { [workspaceId]: 'editor' })
  await world.addPerson('vera', { [workspaceId]: 'viewer' })
  await world.addPerson('stan')
  await world.addPerson('ada', {}, { admin: true })
  return world
}

t.test('person signs in, reads their own session, and signs out', async t => {
  const world = await startSessionWorld(t)
  const browser = world.browser()
  const who = {
    user: { id: world.ownerId, username: 'owner', display_name: 'owner', admin: true, has_password: true },
    workspaces: [{ id: world.workspaceId, name: 'Default', role: 'owner' }],
    invitations: [],
    expires_at: new Date(world.clock.now() + sessionLifeMs).toISOString(),
    developer: false,
  }
  t.strictSame((await browser.send('GET', '/session/sign-in')).json, { password: true, oidc: null, developer: false })
  t.equal((await browser.send('GET', '/session')).status, 401)
  const shown = await signIn(browser, 'owner', passwordOf('owner'))
  t.equal(shown.status, 200)
  t.strictSame(shown.json, who)
  t.strictSame((await browser.send('GET', '/session')).json, who)
  const out = await browser.send('POST', '/session/sign-out')
  t.equal(out.status, 204)
  t.equal(out.text, '')
  t.strictSame(out.setCookies, [{ name: sessionName, value: '', maxAge: 0, path: '/', httpOnly: true, sameSite: 'lax' }])
  t.equal((await browser.send('GET', '/session')).status, 401)
  t.equal((await browser.send('POST', '/session/sign-out')).status, 204, 'signing out twice is harmless')
})

t.test('cookie has the strictest attributes that the address allows', async t => {
  for (const [home, publicUrl, name, secure] of [
    ['http://localhost:2517', null, sessionName, undefined],
    ['http://watch.example', 'http://watch.example', sessionName, undefined],
    ['https://watch.example', 'https://watch.example', `__Host-${sessionName}`, true],
  ] as const) {
    const world = await startSessionWorld(t, { home, session: { publicUrl } })
    const [cookie, known, ...more] = (await signIn(world.browser(), 'owner', passwordOf('owner'))).setCookies
    const { value, ...flags } = cookie!
    t.match(value, /^[0-9A-Za-z]{43}$/, 'an opaque token')
    const expected = { name, maxAge: sessionLifeMs / 1_000, path: '/', httpOnly: true, sameSite: 'lax' }
    t.strictSame(flags, secure ? { ...expected, secure } : expected, home)
    const { value: mark, ...knownFlags } = known!
    t.match(mark, /^\w+\.\w+\.[\w-]{43}$/, 'a signed mark, by which the next sign-in knows the browser')
    t.strictSame(knownFlags, { ...flags, name: name.replace('session', 'known'), maxAge: 365 * 86_400 })
    t.strictSame(more, [], 'nothing else is set')
    t.notMatch(await world.dump(), value!, 'the token is stored nowhere')
  }
})

t.test('refused sign-in is the same whether the account exists or not', async t => {
  const world = await startSessionWorld(t)
  await world.addPerson('dora')
  await world.ask('update-user', { userId: 'user-dora', disabled: true })
  await world.ask('create-user', { id: 'user-nopass', username: 'nopass', displayName: '', password: null, admin: false })
  const wrong = await signIn(world.browser(), 'owner', 'not the password')
  t.equal(wrong.status, 401)
  t.strictSame(wrong.json, {
    error: {
      code: 'wrong_credentials',
      message: 'Wrong username or password',
      details: 'The username or the password is wrong',
    },
  })
  t.strictSame(wrong.setCookies, [])
  for (const [username, password] of [
    [stranger, 'not the password'],
    ['nopass', 'not the password'],
    ['dora', 'not the password'],
    ['no such name!', 'x'],
  ] as const) {
    const shown = await signIn(world.browser(), username, password)
    t.equal(shown.status, wrong.status, username)
    t.equal(shown.text, wrong.text, username)
    t.strictSame(Object.keys(shown.headers), Object.keys(wrong.headers), username)
  }
  const disabled = await signIn(world.browser(), 'dora', passwordOf('dora'))
  t.equal(disabled.status, 403, 'whoever has the password is told')
  t.equal(disabled.json.error.code, 'disabled')
})

t.test('sign-in creates a new token and ends the earlier session of the browser', async t => {
  const world = await startSessionWorld(t)
  await world.addPerson('vera')
  const planted = await world.signedIn('vera')
  const victim = planted.copy()
  const before = planted.cookies().get(sessionName)
  t.equal((await signIn(victim, 'owner', passwordOf('owner'))).status, 200)
  t.not(victim.cookies().get(sessionName), before)
  t.equal((await planted.send('GET', '/session')).status, 401, 'whoever planted a cookie has nothing')
  const invented = world.browser()
  invented.cookies().set(sessionName, 'A'.repeat(43))
  await signIn(invented, 'owner', passwordOf('owner'))
  t.not(invented.cookies().get(sessionName), 'A'.repeat(43))
})

t.test('session ends at every gateway at once, whatever the reason of its end', async t => {
  const world = await startSessionWorld(t, { gateways: 2 })
  for (const name of ['a', 'b', 'c', 'd']) await world.addPerson(`person-${name}`)
  const elsewhere = (browser: Browser): Browser => {
    const other = world.browser(1)
    for (const [name, value] of browser.cookies()) other.cookies().set(name, value)
    return other
  }
  const admin = await world.signedIn('owner')
  const ends: [name: string, username: string, end: (browser: Browser) => Promise<unknown>][] = [
    ['signing out', 'person-a', browser => browser.send('POST', '/session/sign-out')],
    ['being disabled', 'person-b', () => admin.send('PATCH', '/api/v3/users/user-person-b', { body: { disabled: true } })],
    [
      'a new password set by an administrator',
      'person-c',
      () => admin.send('PUT', '/session/users/user-person-c/password', { body: { password: 'quite another' } }),
    ],
    ['its time', 'person-d', async () => world.clock.advance(sessionLifeMs)],
  ]
  for (const [name, username, end] of ends) {
    const browser = await world.signedIn(username)
    const there = elsewhere(browser)
    t.equal((await there.send('GET', '/session/keys')).status, 200, `before ${name}`)
    await end(browser.copy())
    t.equal((await browser.send('GET', '/session/keys')).status, 401, `here, after ${name}`)
    const gone = await there.send('GET', '/session/keys')
    t.equal(gone.status, 401, `there, after ${name}`)
    t.equal(gone.json.error.code, 'unauthenticated')
    t.equal(gone.setCookies[0]?.maxAge, 0, 'the cookie is taken back')
  }
})

t.test('request changes nothing when its session or role ends while its body arrives', async t => {
  const world = await startSessionWorld(t)
  const { ask, workspaceId } = world
  const cases: [what: string, end: (userId: string) => Promise<unknown>, status: number][] = [
    ['signed out', userId => ask('end-sessions', { userId }), 401],
    ['disabled', userId => ask('update-user', { userId, disabled: true }), 401],
    ['no administrator', userId => ask('update-user', { userId, admin: false }), 500],
    ['demoted', userId => ask('change-role', { workspaceId, userId, role: 'viewer' }), 500],
    ['put out', userId => ask('remove-member', { workspaceId, userId }), 500],
    ['left alone', async () => undefined, 200],
  ]
  for (const [i, [what, end, status]] of cases.entries()) {
    const userId = await world.addPerson(`olga-${i}`, { [workspaceId]: 'owner' }, { admin: true })
    const olga = await world.signedIn(`olga-${i}`)
    const [reading, rest] = [bodyIsRead(world.servers[0]!), Promise.withResolvers<string>()]
    const answered = olga.send('PATCH', `/api/v3/workspaces/${workspaceId}`, { rest: { first: '{"name":', last: rest.promise } })
    await reading
    await end(userId)
    rest.resolve('"Taken"}')
    t.equal((await answered).status, status, what)
    const [workspace] = await ask('list-workspaces', { userId: world.ownerId })
    t.equal(workspace!.name, status === 200 ? 'Taken' : 'Default', what)
  }
})

t.test('use of a session prolongs it and its cookie', async t => {
  const world = await startSessionWorld(t)
  const browser = await world.signedIn('owner')
  for (let i = 0; i < 3; i++) {
    world.clock.advance(sessionLifeMs - 1_000)
    const shown = await browser.send('GET', '/session')
    t.equal(shown.status, 200)
    t.equal(shown.setCookies[0]?.maxAge, sessionLifeMs / 1_000)
  }
})

t.test('new password ends the other sessions of a person', async t => {
  const world = await startSessionWorld(t)
  await world.addPerson('vera')
  const [here, there] = [await world.signedIn('vera'), await world.signedIn('vera')]
  const change = (current_password: string, password: string) =>
    here.send('PUT', '/session/password', { body: { current_password, password } })
  const wrong = await change('not it at all', 'quite another')
  t.equal(wrong.status, 401)
  t.equal(wrong.json.error.code, 'wrong_credentials')
  const short = await change(passwordOf('vera'), 'short')
  t.equal(short.status, 422)
  t.match(short.json.error.details, /8 to 1024 characters/)
  t.equal((await there.send('GET', '/session')).status, 200, 'nothing has happened yet')
  t.equal((await change(passwordOf('vera'), 'quite another')).status, 204)
  t.equal((await here.send('GET', '/session')).status, 200)
  t.equal((await there.send('GET', '/session')).status, 401)
  t.equal((await signIn(world.browser(), 'vera', passwordOf('vera'))).status, 401)
  t.equal((await signIn(world.browser(), 'vera', 'quite another')).status, 200)
})

t.test('repeated bad sign-ins are refused with a waiting time', async t => {
  const world = await startSessionWorld(t, { gateways: 2 })
  let shown = await signIn(world.browser(), 'owner', 'not the password')
  for (let i = 0; i < 20 && shown.status === 401; i++) shown = await signIn(world.browser(), 'owner', 'not the password')
  t.equal(shown.status, 429)
  t.equal(shown.json.error.code, 'rate_limited')
  const waitSeconds = Number(shown.headers['retry-after'])
  t.ok(waitSeconds >= 1 && waitSeconds <= 60)
  t.equal((await signIn(world.browser(1), 'owner', passwordOf('owner'))).status, 429, 'the right password waits too, everywhere')
  world.clock.advance(waitSeconds * 1_000)
  t.equal((await signIn(world.browser(), 'owner', passwordOf('owner'))).status, 200)
})

t.test('bad sign-ins with many names make their network wait, and only a proxy can name another network', async t => {
  const guess = async (world: SessionWorld, tries: number, forwarded = true) => {
    const statuses = []
    for (let i = 0; i < tries; i++) {
      const headers = forwarded ? { 'x-forwarded-for': `203.0.113.${i}` } : {}
      statuses.push((await signIn(world.browser(), `guess-${i}`, 'not the password', headers)).status)
    }
    return statuses
  }
  const tries = limits.signIn.triesPerClient + 1
  t.equal((await guess(await startSessionWorld(t), tries, false)).at(-1), 429)
  const behind = await startSessionWorld(t, { trustProxy: ['127.0.0.1'] })
  t.ok(
    (await guess(behind, tries)).every(status => status === 401),
    'behind a proxy each address counts for itself',
  )
})

t.test(
  'address that X-Forwarded-For states counts if a proxy of an own network states it, never if a client on the internet does',
  t => {
    const { clientOf, noteVisitor, untrusted } = createForwarding(['10.0.0.0/24'])
    const from = (remoteAddress: string, forwarded?: string) =>
      ({
        ip: remoteAddress,
        headers: { 'x-forwarded-for': forwarded },
        raw: { socket: { remoteAddress } },
      }) as unknown as FastifyRequest
    for (const [peer, forwarded, client] of [
      ['203.0.113.1', '198.51.100.1', '203.0.113.1'],
      ['10.0.0.7', '198.51.100.1', '10.0.0.7'],
      ['10.0.1.7', undefined, '10.0.1.7'],
    ] as const) {
      t.equal(clientOf(from(peer, forwarded)), client, `${peer} ${forwarded}`)
    }
    t.equal(untrusted(), null, 'what a stranger sends notifies nobody')
    for (const peer of ['10.0.1.7', '127.0.0.1', '::ffff:172.20.0.2', '192.168.7.1', '100.64.0.1', '::1', 'fd00::1']) {
      t.equal(clientOf(from(peer, '9.9.9.9, 198.51.100.1')), '198.51.100.1', peer)
      t.equal(clientOf(from(peer, 'unknown')), peer, peer)
    }
    t.equal(untrusted(), '10.0.1.7')
    const another = createForwarding([])
    another.noteVisitor(from('203.0.113.1', '198.51.100.1'))
    t.equal(another.untrusted(), '203.0.113.1', 'a person came through it')
    noteVisitor(from('10.0.0.7', '198.51.100.1'))
    t.equal(untrusted(), '10.0.1.7', 'the first one stays')
    t.end()
  },
)

/** Every request of people that changes data, with a valid body: of the session API, and of generation 3, which a session may use, too. */
const changes: [method: string, path: string, body?: object][] = [
  ['POST', '/session/sign-in', { username: 'owner', password: passwordOf('owner') }],
  ['POST', '/session/sign-out', {}],
  ['PUT', '/session/password', { current_password: passwordOf('owner'), password: 'quite another' }],
  ['POST', '/api/v3/workspaces', { name: 'Second' }],
  ['PATCH', '/api/v3/workspaces/{ws}', { name: 'Renamed' }],
  ['POST', '/api/v3/workspaces/{ws}/members', { username: 'stan', role: 'viewer' }],
  ['PATCH', '/api/v3/workspaces/{ws}/members/user-vera', { role: 'editor' }],
  ['DELETE', '/api/v3/workspaces/{ws}/members/user-vera'],
  ['POST', '/api/v3/workspaces/{ws}/invitations', { username: 'stan', role: 'owner' }],
  ['DELETE', '/api/v3/workspaces/{ws}/invitations/{ws}.sent'],
  ['POST', '/api/v3/invitations/first00000.received/accept', {}],
  ['DELETE', '/api/v3/invitations/second0000.received'],
  ['POST', '/api/v3/workspaces/{ws}/deletion', { name: 'Renamed' }],
  ['POST', '/session/keys', { description: 'forged' }],
  ['DELETE', '/session/keys/{key}'],
  ['PUT', '/session/users/user-stan/password', { password: 'quite another' }],
  ['POST', '/api/v3/users', { username: 'forged', password: 'a first password' }],
  ['PATCH', '/api/v3/users/user-stan', { admin: true }],
  ['DELETE', '/api/v3/users/user-stan'],
  ['POST', '/api/v3/locations', { name: 'forged' }],
  ['PATCH', '/api/v3/locations/{location}', { name: 'forged too' }],
  ['DELETE', '/api/v3/locations/{location}'],
  ['POST', '/api/v3/prober-credentials', { location: 'local' }],
  ['DELETE', '/api/v3/prober-credentials/{credential}'],
]

/** Creates the objects that the paths name, as the owner. Returns a function that puts their ids into a path. */
async function fill(world: SessionWorld): Promise<(path: string) => string> {
  const owner = await world.signedIn('owner')
  const made = async (path: string, body: object) => {
    const { json } = await owner.send('POST', path, { body })
    return (json.result ?? json).id as string
  }
  const key = await made('/session/keys', { description: 'first' })
  const location = await made('/api/v3/locations', { name: 'placed' })
  const credential = await made('/api/v3/prober-credentials', { location: 'placed' })
  await owner.send('POST', '/session/sign-out')
  const { ask, ownerId, workspaceId: ws } = world
  await ask('invite', { id: `${ws}.sent`, workspaceId: ws, inviterId: ownerId, username: 'someone', role: 'viewer' })
  for (const workspaceId of ['first00000', 'second0000']) {
    await ask('create-workspace', { id: workspaceId, name: 'Of Vera', userId: 'user-vera' })
    const id = `${workspaceId}.received`
    await ask('invite', { id, workspaceId, inviterId: 'user-vera', username: 'owner', role: 'viewer' })
  }
  const values: Record<string, string> = { ws: world.workspaceId, key, location, credential }
  return path => path.replace(/\{(\w+)\}/g, (_, name) => values[name] as string)
}

t.test('forged request is refused before any effect', async t => {
  const world = await startFull(t)
  const filled = await fill(world)
  const owner = await world.signedIn('owner')
  const home = world.addresses[0]!
  const forgeries: [name: string, headers: Record<string, string | undefined>, status: number, code: string][] = [
    ['of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, 403, 'cross_origin'],
    ['of a sibling host', { 'sec-fetch-site': 'same-site', origin: 'https://evil.watch.example' }, 403, 'cross_origin'],
    ['typed into the address bar', { 'sec-fetch-site': 'none', origin: undefined }, 403, 'cross_origin'],
    ['of an old browser, another origin', { 'sec-fetch-site': undefined, origin: 'https://evil.example' }, 403, 'cross_origin'],
    ['of an old browser, another port', { 'sec-fetch-site': undefined, origin: 'http://127.0.0.1:1' }, 403, 'cross_origin'],
    ['of a sandboxed page', { 'sec-fetch-site': undefined, origin: 'null' }, 403, 'cross_origin'],
    ['without any evidence', { 'sec-fetch-site': undefined, origin: undefined }, 403, 'cross_origin'],
    ['whose evidence disagrees', { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }, 403, 'cross_origin'],
    ['of a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'unsupported_media_type'],
    ['of a form in plain text', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['without a content type', { 'content-type': undefined }, 415, 'unsupported_media_type'],
  ]
  const before = await world.dump()
  for (const [method, path, body] of changes) {
    for (const [name, headers, status, code] of forgeries) {
      if (method === 'DELETE' && status === 415) continue
      const shown = await owner.copy().send(method, filled(path), { body, headers })
      const refusal = path.startsWith('/api/v3/') ? [403, 1403] : [status, code]
      t.strictSame([shown.status, shown.json?.error.code], refusal, `${method} ${path} ${name}`)
      t.strictSame(shown.setCookies, [])
    }
  }
  t.equal(await world.dump(), before, 'nothing was stored')
  const old = { 'sec-fetch-site': undefined, origin: home }
  t.equal((await owner.send('POST', '/session/keys', { body: {}, headers: old })).status, 201, 'an old browser at home works')
  const charset = { 'content-type': 'application/json; charset=utf-8' }
  t.equal((await owner.send('POST', '/session/keys', { body: {}, headers: charset })).status, 201)
})

t.test('foreign host name is refused when PUBLIC_URL is set', async t => {
  const publicUrl = 'https://watch.example'
  const body = { username: 'owner', password: passwordOf('owner') }
  for (const [home, status] of [
    ['http://evil.example:2517', 403],
    ['http://watch.example', 403],
    [publicUrl, 200],
  ] as const) {
    const world = await startSessionWorld(t, { home, session: { publicUrl } })
    const shown = await world.browser().send('POST', '/session/sign-in', { body })
    t.equal(shown.status, status, home)
    if (status === 403) t.match(shown.json.error, { code: 'cross_origin', details: /PUBLIC_URL/ })
  }
})

t.test("origin is compared with the gateway's own origin", t => {
  const rows: [origin: string, host: string, publicUrl: string | null, own: boolean][] = [
    ['http://localhost:2517', 'localhost:2517', null, true],
    ['http://localhost:2517', 'localhost:2518', null, false],
    ['https://watch.example', 'watch.example', null, true],
    ['https://watch.example', 'watch.example:443', null, true],
    ['http://watch.example', 'watch.example:80', null, true],
    ['http://watch.example', 'watch.example:443', null, false],
    ['https://watch.example', 'inner:2517', 'https://watch.example', true],
    ['https://watch.example', 'watch.example', 'https://watch.example/monitor', true],
    ['http://watch.example', 'watch.example', 'https://watch.example', false],
    ['https://watch.example:443', 'watch.example', 'https://watch.example', false],
    ['https://watch.example', 'watch.example', 'https://WATCH.example:443', true],
    ['http://localhost:2517', 'localhost:2517', 'https://watch.example', false],
    ['http://evil.example:2517', 'evil.example:2517', 'https://watch.example', false],
    ['http://evil.example:2517', 'evil.example:2517', 'http://localhost:2517', false],
    ['https://watch.example.evil.example', 'watch.example', 'https://watch.example', false],
    ['https://evil.example', 'watch.example', 'https://watch.example', false],
    ['https://user@watch.example', 'watch.example', null, false],
    ['https://watch.example/path', 'watch.example', null, false],
    ['null', 'watch.example', null, false],
    ['', 'watch.example', null, false],
    ['file://', '', null, false],
  ]
  for (const [origin, host, publicUrl, own] of rows) t.equal(isOwnOrigin(origin, host, publicUrl), own, `${origin} at ${host}`)
  t.end()
})

const everybody = ['nobody', 'stan', 'vera', 'edith', 'owner', 'ada'] as const

/** Statuses by caller: no session, stranger, viewer, editor, owner (also an administrator), and an administrator without membership. */
const rights: [method: string, path: string, body: object | undefined, statuses: number[]][] = [
  ['GET', '/session', undefined, [401, 200, 200, 200, 200, 200]],
  ['GET', '/api/v3/workspaces', undefined, [401, 200, 200, 200, 200, 200]],
  ['POST', '/api/v3/workspaces', { name: 'Own' }, [401, 201, 201, 201, 201, 201]],
  ['PATCH', '/api/v3/workspaces/{ws}', { name: 'Default' }, [401, 404, 403, 403, 200, 404]],
  ['PATCH', '/api/v3/workspaces/unknown000', { name: 'Default' }, [401, 404, 404, 404, 404, 404]],
  ['GET', '/api/v3/workspaces/{ws}/members', undefined, [401, 404, 200, 200, 200, 404]],
  ['POST', '/api/v3/workspaces/{ws}/members', { username: 'vera', role: 'viewer' }, [401, 404, 403, 403, 201, 404]],
  ['PATCH', '/api/v3/workspaces/{ws}/members/user-vera', { role: 'viewer' }, [401, 404, 403, 403, 200, 404]],
  ['DELETE', '/api/v3/workspaces/{ws}/members/user-ada', undefined, [401, 404, 403, 403, 404, 404]],
  ['GET', '/api/v3/workspaces/{ws}/invitations', undefined, [401, 404, 403, 403, 200, 404]],
  ['POST', '/api/v3/workspaces/{ws}/invitations', { username: 'ada', role: 'viewer' }, [401, 404, 403, 403, 201, 404]],
  ['DELETE', '/api/v3/workspaces/{ws}/invitations/unknown000', undefined, [401, 404, 403, 403, 404, 404]],
  ['GET', '/api/v3/invitations', undefined, [401, 200, 200, 200, 200, 200]],
  ['POST', '/api/v3/invitations/unknown000/accept', {}, [401, 404, 404, 404, 404, 404]],
  ['DELETE', '/api/v3/invitations/unknown000', undefined, [401, 404, 404, 404, 404, 404]],
  ['POST', '/api/v3/workspaces/{ws}/deletion', { name: 'Another' }, [401, 404, 403, 403, 422, 404]],
  ['GET', '/session/keys', undefined, [401, 200, 200, 200, 200, 200]],
  ['POST', '/session/keys', { description: 'mine' }, [401, 201, 201, 201, 201, 201]],
  ['DELETE', '/session/keys/unknown000', undefined, [401, 404, 404, 404, 404, 404]],
  ['PUT', '/session/users/unknown000/password', { password: 'long enough' }, [401, 403, 403, 403, 404, 404]],
  ['GET', '/api/v3/workspaces/{ws}/audit', undefined, [401, 404, 403, 403, 200, 404]],
  ['GET', '/api/v3/audit', undefined, [401, 403, 403, 403, 200, 200]],
  ['GET', '/api/v3/health', undefined, [401, 403, 403, 403, 200, 200]],
  ['GET', '/api/v3/users', undefined, [401, 403, 403, 403, 200, 200]],
  ['POST', '/api/v3/users', {}, [401, 403, 403, 403, 422, 422]],
  ['PATCH', '/api/v3/users/user-stan', { display_name: 'Stan' }, [401, 403, 403, 403, 200, 200]],
  ['PATCH', '/api/v3/users/unknown000', { display_name: 'X' }, [401, 403, 403, 403, 404, 404]],
  ['DELETE', '/api/v3/users/unknown000', undefined, [401, 403, 403, 403, 404, 404]],
  ['GET', '/api/v3/locations', undefined, [401, 200, 200, 200, 200, 200]],
  ['POST', '/api/v3/locations', { name: 'local' }, [401, 403, 403, 403, 409, 409]],
  ['PATCH', '/api/v3/locations/{location}', { display_name: 'Here' }, [401, 403, 403, 403, 200, 200]],
  ['DELETE', '/api/v3/locations/unknown000', undefined, [401, 403, 403, 403, 404, 404]],
  ['GET', '/api/v3/prober-credentials', undefined, [401, 403, 403, 403, 200, 200]],
  ['POST', '/api/v3/prober-credentials', { location: 'placed' }, [401, 403, 403, 403, 201, 201]],
  ['DELETE', '/api/v3/prober-credentials/unknown000', undefined, [401, 403, 403, 403, 404, 404]],
]

t.test('each role gets the status of the table on every route', async t => {
  const world = await startFull(t)
  const filled = await fill(world)
  const browsers: Record<string, Browser> = { nobody: world.browser() }
  for (const name of everybody.slice(1)) browsers[name] = await world.signedIn(name)
  for (const [method, path, body, statuses] of rights) {
    const met: number[] = []
    for (const name of everybody) met.push((await browsers[name]!.send(method, filled(path), { body })).status)
    t.strictSame(met, statuses, `${method} ${path}`)
  }
  const renaming = await browsers['vera']!.send('PATCH', filled('/api/v3/workspaces/{ws}'), { body: { name: 'X' } })
  t.match(renaming.json.error, { message: 'Needs the role owner; yours is viewer.', details: { role: 'owner' } })
  const hidden = await browsers['stan']!.send('PATCH', filled('/api/v3/workspaces/{ws}'), { body: { name: 'X' } })
  const unknown = await browsers['stan']!.send('PATCH', '/api/v3/workspaces/unknown000', { body: { name: 'X' } })
  t.equal(hidden.text, unknown.text, 'a workspace of others cannot be told from none')
})

t.test('owner changes members, a removed member loses all rights, and the last owner stays', async t => {
  const world = await startFull(t)
  const members = `/api/v3/workspaces/${world.workspaceId}/members`
  const owner = await world.signedIn('owner')
  const vera = await world.signedIn('vera')
  const list = (await owner.send('GET', members)).json.result
  t.strictSame(
    list.map(({ username, role }: { username: string; role: string }) => `${username} ${role}`),
    ['edith editor', 'owner owner', 'vera viewer'],
  )
  t.strictSame(Object.keys(list[0]), ['id', 'name', 'username', 'role'])
  const last = await owner.send('PATCH', `${members}/${world.ownerId}`, { body: { role: 'viewer' } })
  t.equal(last.status, 409)
  t.strictSame(last.json.error, {
    code: 1409,
    error_type: 'conflict',
    message: 'A workspace keeps an owner: make another member owner first, or delete the workspace',
    details: { field: 'role' },
  })
  t.equal((await owner.send('DELETE', `${members}/${world.ownerId}`)).status, 409)
  t.equal((await owner.send('PATCH', `${members}/user-vera`, { body: { role: 'owner' } })).json.result.role, 'owner')
  t.equal((await vera.send('PATCH', `${members}/user-edith`, { body: { role: 'viewer' } })).status, 200, 'at once')
  t.equal((await owner.send('DELETE', `${members}/${world.ownerId}`)).status, 200, 'now the first owner may leave')
  t.equal((await owner.send('GET', members)).status, 404)
  t.strictSame((await owner.send('GET', '/session')).json.workspaces, [])
  const ada = await world.signedIn('ada')
  const path = `/api/v3/workspaces/${world.workspaceId}/invitations`
  const { id } = (await vera.send('POST', path, { body: { username: 'Ada', role: 'owner' } })).json.result
  t.equal((await ada.send('POST', `/api/v3/invitations/${id}/accept`, { body: {} })).json.result.role, 'owner')
  const added = await ada.send('POST', members, { body: { username: 'Stan', role: 'editor' } })
  t.strictSame(added.json.result, { id: 'user-stan', name: 'stan', username: 'stan', role: 'editor' })
  const edith = await world.signedIn('edith')
  t.strictSame(
    (await edith.send('DELETE', `${members}/user-edith`)).json.result,
    { id: 'user-edith', deleted: true },
    'a viewer may leave',
  )
  t.equal((await edith.send('GET', members)).status, 404)
})

t.test('API key is shown once, works at every gateway, and is refused everywhere after its deletion', async t => {
  const world = await startFull(t, { gateways: 2 })
  const vera = await world.signedIn('vera')
  const version = (gateway: number, token: string) =>
    world.browser(gateway).send('GET', '/api/version', { headers: { authorization: `Bearer ${token}` } })
  const made = await vera.send('POST', '/session/keys', { body: { description: 'for my script' } })
  t.equal(made.status, 201)
  const { token, ...key } = made.json
  const now = world.clock.now()
  t.strictSame(key, {
    id: key.id,
    prefix: token.slice(0, 7),
    description: 'for my script',
    created_at: new Date(now).toISOString(),
    expires_at: new Date(now + limits.key.lifeMs).toISOString(),
    last_used_at: null,
    access: ['full'],
    workspace_id: null,
  })
  t.equal(limits.key.lifeMs, 180 * 24 * 3_600_000)
  for (const gateway of [0, 1]) t.equal((await version(gateway, token)).json.result, '2.0.0')
  const listed = await vera.send('GET', '/session/keys')
  t.strictSame(listed.json, { keys: [key] })
  t.notMatch(listed.text, token)
  t.notMatch(await world.dump(), token)
  const stan = await world.signedIn('stan')
  t.equal((await stan.send('DELETE', `/session/keys/${key.id}`)).status, 404, 'nobody deletes the key of another')
  t.strictSame((await stan.send('GET', '/session/keys')).json, { keys: [] })
  t.equal((await version(0, token)).json.result, '2.0.0')
  t.equal((await vera.send('DELETE', `/session/keys/${key.id}`)).status, 204)
  for (const gateway of [0, 1]) t.equal((await version(gateway, token)).json.error.code, 1003, `gateway ${gateway}`)
  t.equal((await vera.send('DELETE', `/session/keys/${key.id}`)).status, 404)
})

t.test('scoped key is created only for a workspace of its person (v3 2.6)', async t => {
  const world = await startFull(t)
  const vera = await world.signedIn('vera')
  const [workspace] = (await vera.send('GET', '/api/v3/workspaces')).json.result
  const scope = { workspace_id: workspace.id, actions: ['observe', 'acknowledge'] }
  const made = (await vera.send('POST', '/session/keys', { body: { scope } })).json
  t.match(made, { access: ['read', 'acknowledge', 'observe'], workspace_id: workspace.id })
  const stan = await world.signedIn('stan')
  const before = (await stan.send('GET', '/session/keys')).text
  const refused: [unknown, number][] = [
    [scope, 404],
    [{ ...scope, actions: ['fly'] }, 422],
    [{ actions: [] }, 422],
    [{ ...scope, more: 1 }, 422],
  ]
  for (const [sent, status] of refused) {
    t.equal((await stan.send('POST', '/session/keys', { body: { scope: sent } })).status, status, JSON.stringify(sent))
  }
  t.equal((await stan.send('GET', '/session/keys')).text, before, 'nothing refused is stored')
})

t.test('token of a session is refused as a key, and a key as a session', async t => {
  const world = await startSessionWorld(t)
  const browser = await world.signedIn('owner')
  const { token } = (await browser.send('POST', '/session/keys', { body: {} })).json
  const cookie = browser.cookies().get(sessionName)
  const headers = { authorization: `Bearer ${token}` }
  t.equal((await world.browser().send('GET', '/session', { headers })).status, 401)
  t.equal((await browser.send('GET', '/api/version')).json.error.code, 1001, 'the API does not look at cookies')
  const asKey = { authorization: `Bearer ${cookie}` }
  t.equal((await world.browser().send('GET', '/api/version', { headers: asKey })).json.error.code, 1003)
})

t.test('administrator cannot disable or demote themselves', async t => {
  const world = await startFull(t)
  const ada = await world.signedIn('ada')
  const body = { username: 'Nina', display_name: 'Nina N.', password: 'a fine password' }
  const made = await ada.send('POST', '/api/v3/users', { body })
  t.equal(made.status, 201)
  t.match(made.json.result, {
    username: 'nina',
    display_name: 'Nina N.',
    admin: false,
    disabled: false,
    has_password: true,
    signed_in_at: null,
  })
  const nina = world.browser()
  t.equal((await signIn(nina, 'nina', 'a fine password')).status, 200)
  t.match(
    (await nina.send('GET', '/session')).json.workspaces,
    [{ name: 'Default', role: 'owner' }],
    'the first sign-in gets a workspace',
  )
  const path = `/api/v3/users/${made.json.result.id}`
  t.equal((await ada.send('PATCH', path, { body: { disabled: true } })).json.result.disabled, true)
  t.equal((await signIn(nina, 'nina', 'a fine password')).json.error.code, 'disabled')
  t.equal((await ada.send('PATCH', path, { body: { disabled: false } })).json.result.disabled, false)
  t.equal(
    (await ada.send('PUT', `/session/users/${made.json.result.id}/password`, { body: { password: 'another fine one' } })).status,
    204,
  )
  t.equal((await signIn(nina, 'nina', 'another fine one')).status, 200)
  for (const change of [{ admin: false }, { disabled: true }]) {
    const refused = await ada.send('PATCH', '/api/v3/users/user-ada', { body: change })
    t.equal(refused.status, 409, JSON.stringify(change))
  }
  t.equal((await ada.send('PATCH', '/api/v3/users/user-ada', { body: { display_name: 'Ada' } })).json.result.display_name, 'Ada')
  t.equal((await ada.send('PUT', '/session/users/user-ada/password', { body: { password: 'my own new one' } })).status, 204)
  t.equal((await ada.send('GET', '/session')).status, 200, 'the own session stays')
  const users = (await ada.send('GET', '/api/v3/users')).json.result
  t.strictSame(users.map((user: { username: string }) => user.username).sort(), ['ada', 'edith', 'nina', 'owner', 'stan', 'vera'])
  t.equal((await ada.send('PATCH', '/api/v3/users/user-stan', { body: { admin: true } })).json.result.admin, true)
  t.equal((await (await world.signedIn('stan')).send('GET', '/api/v3/users')).status, 200)
})

t.test('person without a password cannot set one through their own session', async t => {
  const world = await startSessionWorld(t)
  await world.ask('create-user', { id: 'user-sso', username: 'sso', displayName: '', password: 'for a moment', admin: false })
  const browser = world.browser()
  await signIn(browser, 'sso', 'for a moment')
  const [user] = await world.store.get('users', ['user-sso'])
  const { password: _, ...without } = user!
  await world.store.upsert('users', [{ ...without, rev: user!.rev + 1 }])
  const body = { current_password: 'for a moment', password: 'quite another' }
  const refused = await browser.send('PUT', '/session/password', { body })
  t.equal(refused.status, 409)
  t.match(refused.json.error, { code: 'conflict', message: 'No password to change' })
})

t.test('invalid input is refused with a readable message and not stored', async t => {
  const world = await startFull(t)
  const filled = await fill(world)
  const owner = await world.signedIn('owner')
  const long = 'x'.repeat(4_097)
  const rows: [method: string, path: string, body: unknown, status: number, details: RegExp][] = [
    ['POST', '/session/sign-in', {}, 422, /^Field 'username' is required\.$/],
    ['POST', '/session/sign-in', { username: 'owner' }, 422, /^Field 'password' is required\.$/],
    ['POST', '/session/sign-in', { username: 1, password: 'x' }, 422, /^Field 'username' has the wrong type\.$/],
    ['POST', '/session/sign-in', { username: 'owner', password: long }, 422, /^Field 'password' has at most 4096 characters\.$/],
    ['POST', '/session/sign-in', { username: 'owner', password: '' }, 422, /^Field 'password' must not be empty\.$/],
    ['POST', '/session/sign-in', { username: 'owner', password: '\ud800xxxxxxx' }, 422, /'password' holds an unpaired surrogate/],
    ['POST', '/session/keys', { description: 'x', owner: 'me' }, 422, /^Field 'owner' is unknown\.$/],
    ['POST', '/session/keys', [], 400, /JSON object/],
    ['POST', '/session/keys', '{"description": ', 400, /not valid JSON/],
    ['POST', '/session/keys', `{"description":"${'x'.repeat(limits.http.bodyBytes)}"}`, 413, /at most 1048576 bytes/],
    ['POST', '/api/v3/workspaces', { name: 'x', owner: 'me' }, 400, /^Unknown field 'owner'$/],
    ['POST', '/api/v3/workspaces', { name: ' ' }, 422, /blank/],
    ['POST', '/api/v3/workspaces', { name: 'x'.repeat(61) }, 422, /60 characters/],
    ['POST', '/api/v3/workspaces', { name: 'a\u0000b' }, 422, /control/],
    ['PATCH', '/api/v3/workspaces/{ws}', { name: null }, 422, /^Field 'name' is required$/],
    ['POST', '/api/v3/workspaces/{ws}/members', { username: 'stan', role: 'king' }, 422, /must be one of viewer, editor, owner/],
    ['POST', '/api/v3/workspaces/{ws}/members', { username: stranger, role: 'viewer' }, 404, /There is no user/],
    ['POST', '/api/v3/workspaces/{ws}/members', { username: 'vera', role: 'editor' }, 409, /./],
    ['PATCH', '/api/v3/workspaces/{ws}/members/user-stan', { role: 'viewer' }, 404, /./],
    ['PATCH', '/api/v3/workspaces/{ws}/members/a%2Fb', { role: 'viewer' }, 404, /./],
    ['POST', '/session/keys', { description: 'x'.repeat(201) }, 422, /200 characters/],
    ['POST', '/session/keys', { description: 5 }, 422, /'description' has the wrong type/],
    ['POST', '/session/nothing', {}, 404, /no such route/],
    ['PUT', '/session', {}, 404, /no such route/],
  ]
  const tries = async () => JSON.stringify(await world.store.find('signInTries', { limit: 100 }))
  const before = (await world.dump()).replace(await tries(), '')
  for (const [method, path, body, status, details] of rows) {
    const shown = await owner.send(method, filled(path), typeof body === 'string' ? { raw: body } : { body })
    t.equal(shown.status, status, `${method} ${path} ${JSON.stringify(body).slice(0, 60)}: ${shown.text}`)
    const isV3 = path.startsWith('/api/v3/')
    t.strictSame(Object.keys(shown.json), isV3 ? ['result', 'error', 'meta'] : ['error'])
    if (!isV3) t.strictSame(Object.keys(shown.json.error).slice(0, 3), ['code', 'message', 'details'])
    t.match(isV3 ? shown.json.error.message : shown.json.error.details, details, `${method} ${path}`)
  }
  t.equal((await world.dump()).replace(await tries(), ''), before, 'nothing was stored')
})

t.test('malformed Content-Type without a body is ignored', async t => {
  const world = await startFull(t)
  const filled = await fill(world)
  const owner = await world.signedIn('owner')
  const visitor = owner.copy()
  await visitor.send('POST', '/session/sign-out')
  for (const type of ['', 'foo', 'application//json', 'a/b/c']) {
    const headers = { 'content-type': type }
    t.equal((await visitor.send('DELETE', '/session/keys/x', { headers })).status, 401, `'${type}' of a visitor`)
  }
  const again = await world.signedIn('owner')
  t.equal((await again.send('DELETE', filled('/session/keys/{key}'), { headers: { 'content-type': '' } })).status, 204)
  t.equal((await again.send('POST', '/session/keys', { body: {}, headers: { 'content-type': 'foo' } })).status, 415)
})

t.test('twenty wrong tries through a proxy that is not trusted lock nobody else out, and are noticed', async t => {
  const world = await startSessionWorld(t)
  await world.addPerson('vera')
  const through = (address: string) => ({ headers: { 'x-forwarded-for': `1.2.3.4, ${address}` } })
  const tried = (username: string, password: string, address: string) =>
    world.browser().send('POST', '/session/sign-in', { body: { username, password }, ...through(address) })
  for (let i = 0; i < limits.signIn.triesPerClient; i++) t.equal((await tried(`name${i}`, 'wrong', '203.0.113.9')).status, 401)
  t.equal((await tried('vera', passwordOf('vera'), '203.0.113.9')).status, 429, 'who tried has to wait')
  t.equal((await tried('vera', passwordOf('vera'), '198.51.100.7')).status, 200, 'others come in')
  const presence = world.hub.connect().bucket('presence')
  world.clock.advance(limits.presence.beatMs)
  let sign: unknown = {}
  while (untrustedProxyIn(sign) === null) {
    await new Promise(resolve => setImmediate(resolve))
    sign = (await presence.list(keys.allGateways))[0]?.value
  }
  t.match(untrustedProxyIn(sign), /^(::ffff:)?127\.0\.0\.1$/)
})

t.test('browser that signed in before signs in while many others guess its password', async t => {
  const world = await startSessionWorld(t)
  await world.addPerson('vera')
  const known = await world.signedIn('vera')
  await known.send('POST', '/session/sign-out')
  const guess = (address: string) =>
    world.browser().send('POST', '/session/sign-in', {
      body: { username: 'vera', password: 'wrong' },
      headers: { 'x-forwarded-for': address },
    })
  for (let i = 0; i < limits.signIn.triesPerNameInAll; i++) await guess(`203.0.113.${i}`)
  t.equal((await signIn(world.browser(), 'vera', passwordOf('vera'))).status, 429, 'a new browser has to wait')
  t.equal((await signIn(known, 'vera', passwordOf('vera'))).status, 200)
})

t.test('every response carries the security headers', async t => {
  const world = await startSessionWorld(t)
  const browser = await world.signedIn('owner')
  const answers = [
    await browser.send('GET', '/session'),
    await browser.send('GET', '/session/nothing'),
    await browser.send('POST', '/session/keys', { body: {}, headers: { origin: 'https://evil.example' } }),
    await world.browser().send('GET', '/session'),
    await world.browser().send('GET', '/session/oidc/start'),
  ]
  t.strictSame(
    answers.map(({ status }) => status),
    [200, 404, 403, 401, 404],
  )
  for (const { headers } of answers) {
    t.match(headers, {
      'cache-control': 'no-store',
      'content-security-policy': /default-src 'none'; frame-ancestors 'none'/,
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    t.notOk('access-control-allow-origin' in headers)
  }
})

t.test('request without a directory is refused as temporary, without internal details', async t => {
  const world = await startSessionWorld(t)
  const browser = await world.signedIn('owner')
  await world.stopDirectory()
  const asked = browser.send('GET', '/session')
  await waitUntilAsked(world)
  const shown = await asked
  t.equal(shown.status, 503)
  t.equal(shown.headers['retry-after'], '1')
  t.strictSame(shown.json.error, {
    code: 'unavailable',
    message: 'Temporarily unavailable',
    details: 'The request could not be completed in time; try again in a moment.',
  })
  t.strictSame(shown.setCookies, [], 'the cookie stays')
})

t.test('log has no password, token or credential', async t => {
  const world = await startFull(t)
  const filled = await fill(world)
  const owner = await world.signedIn('owner')
  const secrets = [passwordOf('owner'), 'quite another', 'a first password', owner.cookies().get(sessionName)!]
  for (const [method, path, body] of changes.slice(2)) {
    const shown = await owner.send(method, filled(path), { body })
    t.ok(shown.status < 300, `${method} ${path}: ${shown.text}`)
    if (shown.json?.token) secrets.push(shown.json.token)
    if (shown.json?.result?.credentials) secrets.push(shown.json.result.credentials)
  }
  t.equal(secrets.length, 6, 'the key and the credentials, too')
  await signIn(world.browser(), 'owner', 'not the password')
  const told = `${world.logged.join('\n')}${await world.dump()}`
  for (const secret of secrets) t.notOk(told.includes(secret), `${secret.slice(0, 4)}…`)
})

t.test('AUTH_DEV makes visitors from this machine the owner, and refuses other visitors', async t => {
  const world = await startSessionWorld(t, { session: { developer: true } })
  const browser = world.browser()
  const shown = await browser.send('GET', '/session')
  t.equal(shown.status, 200)
  t.match(shown.json, { user: { username: 'owner', admin: true, has_password: false }, expires_at: null, developer: true })
  t.strictSame(shown.setCookies, [], 'no session is made')
  t.strictSame((await browser.send('GET', '/session/sign-in')).json, { password: true, oidc: null, developer: true })
  t.equal((await browser.send('POST', '/api/v3/users', { body: { username: 'made' } })).status, 201)
  const port = new URL(world.addresses[0]!).port
  for (const [name, headers, status] of [
    ['by name', { host: `localhost:${port}` }, 200],
    ['by IPv6', { host: `[::1]:${port}` }, 200],
    ['a name that was made to resolve here', { host: `evil.example:${port}` }, 403],
    ['a name that begins like loopback', { host: `127.0.0.1.evil.example:${port}` }, 403],
    ['a name that ends like loopback', { host: `evil-localhost:${port}` }, 403],
    ['an address of the network', { host: `192.168.1.7:${port}` }, 403],
    ['through a proxy', { 'x-forwarded-for': '203.0.113.9' }, 403],
    ['through another proxy', { forwarded: 'for=203.0.113.9' }, 403],
  ] as const) {
    const answered = await browser.send('GET', '/session', { headers })
    t.equal(answered.status, status, name)
    if (status === 403) t.equal(answered.json.error.code, 'not_local', name)
    const byV3 = await browser.send('GET', '/api/v3/workspaces', { headers })
    t.equal(byV3.status, status, `${name}, generation 3`)
    if (status === 403) t.match(byV3.json, { result: null, error: { code: 1403, message: /^AUTH_DEV/ } }, name)
  }
  const forged = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
  for (const path of ['/session/keys', '/api/v3/workspaces'])
    t.equal((await browser.send('POST', path, { body: { name: 'Forged' }, headers: forged })).status, 403, path)
})

t.test('start fails with a readable error when settings contradict each other', t => {
  const fine = {
    HOST: '127.0.0.1',
    PORT: 2517,
    SQIDS_SALT: '',
    TRUST_PROXY: null,
    AUTH_DEV: 'false' as const,
    API_LEGACY: 'serve' as const,
    CHECK_INTERVAL_MIN: 10,
    WORKSPACE_CHECKS_PER_MINUTE: 0,
    PING_HOST: null,
    PING_BODY_LIMIT: 10_000,
    KUMA_PUSH: 'off' as const,
    OIDC_ISSUER: '',
    OIDC_CLIENT_ID: '',
    OIDC_CLIENT_SECRET: '',
    OIDC_CLIENT_SECRET_FILE: '',
    OIDC_NAME: 'Single sign-on',
    PUBLIC_URL: '',
  }
  const dev = { AUTH_DEV: 'true' as const }
  const oidc = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'watchkeeper', OIDC_CLIENT_SECRET: 's' }
  for (const change of [
    {},
    dev,
    { ...dev, HOST: 'localhost' },
    { ...dev, HOST: '::1' },
    oidc,
    { ...dev, PUBLIC_URL: 'http://localhost:1' },
  ]) {
    t.doesNotThrow(() => demandFittingSettings({ ...fine, ...change }), JSON.stringify(change))
  }
  const rows: [change: object, sentence: RegExp][] = [
    [{ ...dev, HOST: '0.0.0.0' }, /AUTH_DEV=true .* HOST must be loopback; it is "0\.0\.0\.0"/],
    [{ ...dev, HOST: '::' }, /HOST must be loopback/],
    [{ ...dev, HOST: '192.168.1.7' }, /HOST must be loopback/],
    [{ ...dev, HOST: 'watch.example' }, /HOST must be loopback/],
    [{ ...dev, PUBLIC_URL: 'https://watch.example' }, /PUBLIC_URL names another host/],
    [{ ...dev, TRUST_PROXY: ['10.0.0.1'] }, /no proxy: unset TRUST_PROXY/],
    [{ ...oidc, OIDC_CLIENT_ID: '' }, /^OIDC_CLIENT_ID must be set/],
    [{ ...oidc, OIDC_CLIENT_SECRET: '' }, /^One of OIDC_CLIENT_SECRET/],
    [{ ...oidc, OIDC_CLIENT_SECRET_FILE: 'secret' }, /^One of OIDC_CLIENT_SECRET/],
  ]
  for (const [change, message] of rows) {
    t.throws(() => demandFittingSettings({ ...fine, ...change }), { constructor: SettingError, message }, JSON.stringify(change))
  }
  const start = (environment: Record<string, string>) => decideRunMode(readAllSettings(environment))
  const refused = { constructor: StartError, exitCode: 2 }
  t.throws(() => start({ AUTH_DEV: 'true', HOST: '0.0.0.0' }), { ...refused, message: /HOST must be loopback/ })
  t.throws(() => start({ AUTH_DEV: 'yes' }), { ...refused, message: /^AUTH_DEV must be one of true, false/ })
  t.throws(() => start({ OIDC_ISSUER: 'https://id.example' }), { ...refused, message: /^OIDC_CLIENT_ID must be set/ })
  t.doesNotThrow(() => start({ AUTH_DEV: 'true' }))
  t.doesNotThrow(() => start({ AUTH_DEV: 'true', HOST: '0.0.0.0', SERVICES: 'directory,keeper,notifier' }), 'no gateway here')
  const parsed: [name: keyof typeof gatewaySettings, value: string, result: unknown][] = [
    ['TRUST_PROXY', '', null],
    ['TRUST_PROXY', '10.0.0.1, 10.1.0.0/16,::1', ['10.0.0.1', '10.1.0.0/16', '::1']],
    ['TRUST_PROXY', 'true', Error],
    ['TRUST_PROXY', '1', Error],
    ['TRUST_PROXY', '0.0.0.0/0', Error],
    ['TRUST_PROXY', '10.0.0.1/33', Error],
    ['TRUST_PROXY', 'proxy.example', Error],
    ['PING_HOST', '', null],
    ['PING_HOST', 'Ping.Example.com', 'ping.example.com'],
    ['PING_HOST', 'https://ping.example.com', Error],
    ['PING_BODY_LIMIT', '0', 0],
    ['PING_BODY_LIMIT', '100000', 100_000],
    ['PING_BODY_LIMIT', '100001', Error],
    ['PING_BODY_LIMIT', '-1', Error],
    ['KUMA_PUSH', 'on', 'on'],
    ['KUMA_PUSH', 'true', Error],
    ['OIDC_ISSUER', '', ''],
    ['OIDC_ISSUER', 'https://id.example/realms/a', 'https://id.example/realms/a'],
    ['OIDC_ISSUER', 'http://localhost:9000', 'http://localhost:9000'],
    ['OIDC_ISSUER', 'http://id.example', Error],
    ['OIDC_ISSUER', 'https://user:pass@id.example', Error],
    ['OIDC_ISSUER', 'https://id.example?x=1', Error],
    ['OIDC_ISSUER', 'id.example', Error],
  ]
  for (const [name, value, result] of parsed) {
    if (result === Error) t.throws(() => gatewaySettings[name].parse(value), { message: /^must / }, `${name}=${value}`)
    else t.strictSame(gatewaySettings[name].parse(value), result, `${name}=${value}`)
  }
  t.end()
})

/** Advances the clock until the gateway has stopped its retries. */
async function waitUntilAsked({ clock, logged }: SessionWorld): Promise<void> {
  const before = logged.length
  while (logged.length === before) {
    await new Promise(resolve => setImmediate(resolve))
    clock.advance(limits.request.retryMs)
  }
}
