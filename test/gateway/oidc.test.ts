// Sign-in by OIDC: the gateway with its client library, a real provider in this process, and a browser between both.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { localPath } from '../../services/gateway/session/oidc/oidc-paths.ts'
import type { Browser, Shown } from '../support/clients/browser.ts'
import { type ProviderPerson, startProvider, type TestProvider } from '../support/clients/oidc-provider.ts'
import { type SessionWorld, startSessionWorld } from '../support/worlds/session-world.ts'

const home = 'https://watch.example'
const callback = `${home}/session/oidc/callback`
const transactionName = '__Host-watchkeeper-sign-in'
const sessionName = '__Host-watchkeeper-session'
const sessionLifeMs = 14 * 24 * 3_600_000

const lena: ProviderPerson = { sub: 'l-1', name: 'Lena L.', preferred_username: 'lena', email: 'lena@mail.example' }

interface House {
  world: SessionWorld
  provider: TestProvider
}

async function start(t: Test, { gateways = 1, ...options }: { authentication?: string; gateways?: number } = {}): Promise<House> {
  const provider = await startProvider({ redirectUri: callback, ...options })
  const { issuer, clientId, clientSecret } = provider
  const oidc = { issuer, clientId, clientSecret, name: 'Our house' }
  const world = await startSessionWorld(t, { home, gateways, session: { publicUrl: home, callbackBase: home, oidc } })
  t.teardown(() => provider.stop().catch(() => undefined))
  return { world, provider }
}

/** Follows redirects until the provider sends the browser back to the gateway. */
const toCallback = (browser: Browser, startUrl = '/session/oidc/start') =>
  browser.follow(startUrl, url => url.href.startsWith(callback))

async function signIn({ world, provider }: House, person: ProviderPerson, browser = world.browser()): Promise<Shown> {
  provider.person = person
  return browser.visit((await toCallback(browser)).href)
}

function demandRefused(t: Test, shown: Shown, trouble: string): void {
  t.equal(shown.status, 303)
  t.equal(shown.headers.location, `/?sign_in_error=${trouble}`)
  t.notOk(
    shown.setCookies.some(({ name }) => name === sessionName),
    'no session was begun',
  )
}

t.test('first sign-in creates an account with a workspace, and the next sign-in finds both', async t => {
  const house = await start(t, { gateways: 2 })
  const { world } = house
  const browser = world.browser()
  const answered = await browser.send('GET', '/session/sign-in')
  t.strictSame(answered.json.oidc, { name: 'Our house', start: '/session/oidc/start' })
  const shown = await signIn(house, lena, browser)
  t.equal(shown.status, 303)
  t.equal(shown.headers.location, '/')
  t.match(shown.setCookies, [
    { name: transactionName, maxAge: 0 },
    { name: sessionName, maxAge: sessionLifeMs / 1_000, path: '/', httpOnly: true, secure: true, sameSite: 'lax' },
  ])
  const who = (await browser.send('GET', '/session')).json
  t.match(who.user, { username: 'lena', display_name: 'Lena L.', admin: false, has_password: false })
  t.match(who.workspaces, [{ name: 'Default', role: 'owner' }])
  t.not(who.workspaces[0].id, world.workspaceId, 'a workspace of her own')
  const again = world.browser(1)
  await signIn(house, { ...lena, preferred_username: 'lena.married', email: 'other@mail.example' }, again)
  t.strictSame((await again.send('GET', '/session')).json, who, 'at another gateway, with another name and e-mail')
})

t.test('account is found by issuer and subject, never by name or e-mail', async t => {
  const house = await start(t)
  const { world } = house
  const browser = world.browser()
  await signIn(house, { sub: 'x-9', preferred_username: 'owner', email: 'owner@watch.example' }, browser)
  const { user, workspaces } = (await browser.send('GET', '/session')).json
  t.not(user.id, world.ownerId)
  t.not(user.username, 'owner')
  t.equal(user.admin, false)
  t.notOk(workspaces.some(({ id }: { id: string }) => id === world.workspaceId))
})

t.test('person gets an account when the provider sends no name', async t => {
  const house = await start(t)
  for (const person of [
    { sub: 'bare' },
    { sub: 'odd', preferred_username: '\u0007 §§ ', name: 'a\u0000b' },
    { sub: 'x'.repeat(200) },
  ]) {
    const browser = house.world.browser()
    const shown = await signIn(house, person, browser)
    t.equal(shown.headers.location, '/', person.sub.slice(0, 10))
    t.match((await browser.send('GET', '/session')).json.user.username, /^user/)
  }
})

t.test('client authenticates in the body when the provider requires it', async t => {
  const house = await start(t, { authentication: 'client_secret_post' })
  t.equal((await signIn(house, lena)).headers.location, '/')
})

t.test('request to the provider is bound to the browser that begins the sign-in, and contains no other data', async t => {
  const { world } = await start(t)
  const [first, second] = [world.browser(), world.browser()]
  const shown = await first.visit(`${home}/session/oidc/start`)
  t.equal(shown.status, 303)
  const { searchParams } = new URL(shown.headers.location!)
  t.equal(searchParams.get('redirect_uri'), callback)
  t.equal(searchParams.get('response_type'), 'code')
  t.equal(searchParams.get('code_challenge_method'), 'S256')
  for (const name of ['state', 'nonce', 'code_challenge']) t.match(searchParams.get(name), /^[\w-]{43}$/, name)
  const [{ value: sealed, ...flags }] = shown.setCookies as [Shown['setCookies'][number]]
  const maxAge = limits.sessionApi.oidcTransactionMs / 1_000
  t.strictSame(flags, { name: transactionName, maxAge, path: '/', httpOnly: true, secure: true, sameSite: 'lax' })
  const other = new URL((await second.visit(`${home}/session/oidc/start`)).headers.location!)
  t.not(other.searchParams.get('state'), searchParams.get('state'))
  t.notOk(sealed!.includes('secret'))
})

t.test('sign-in that another browser began is refused without a request to the provider', async t => {
  const house = await start(t, { gateways: 2 })
  const { world, provider } = house
  provider.person = lena
  const mine = world.browser()
  const url = await toCallback(mine)
  const wrongState = new URL(url)
  wrongState.searchParams.set('state', 'x'.repeat(43))
  const noState = new URL(url)
  noState.searchParams.delete('state')
  const attacker = world.browser()
  const stolen = await toCallback(attacker)
  const forgedCookie = (change: (value: string) => string): Browser => {
    const browser = mine.copy()
    browser.cookies().set(transactionName, change(browser.cookies().get(transactionName)!))
    return browser
  }
  const otherGateway = world.browser(1)
  for (const [name, value] of mine.cookies()) otherGateway.cookies().set(name, value)
  const asked = provider.asked.length
  const rows: [name: string, browser: Browser, url: URL, trouble: string][] = [
    ['wrong state', mine.copy(), wrongState, 'refused'],
    ['no state', mine.copy(), noState, 'refused'],
    ['the code of another browser', mine.copy(), stolen, 'refused'],
    ['no cookie', world.browser(), url, 'expired'],
    ['a changed cookie', forgedCookie(value => `x${value}`), url, 'expired'],
    ['a cookie without signature', forgedCookie(value => value.split('.')[0]!), url, 'expired'],
    ['a cookie with another signature', forgedCookie(value => `${value.slice(0, -2)}AA`), url, 'expired'],
    ['rubbish for a cookie', forgedCookie(() => '..%00'), url, 'expired'],
  ]
  for (const [name, browser, at, trouble] of rows) {
    t.comment(name)
    demandRefused(t, await browser.visit(at.href), trouble)
    t.notOk(browser.cookies().has(transactionName), 'the transaction is used up')
  }
  t.equal(provider.asked.length, asked)
  t.equal((await otherGateway.visit(url.href)).headers.location, '/', 'the right one still works, at any gateway')
})

t.test('sign-in is refused when it took too long', async t => {
  const { world, provider } = await start(t)
  provider.person = lena
  const browser = world.browser()
  const url = await toCallback(browser)
  world.clock.advance(limits.sessionApi.oidcTransactionMs)
  demandRefused(t, await browser.visit(url.href), 'expired')
})

t.test('code is refused when it was used before', async t => {
  const { world, provider } = await start(t)
  provider.person = lena
  const browser = world.browser()
  const url = await toCallback(browser)
  const copy = browser.copy()
  t.equal((await browser.visit(url.href)).headers.location, '/')
  demandRefused(t, await copy.visit(url.href), 'refused')
  demandRefused(t, await browser.visit(url.href), 'expired')
})

t.test('person who refuses at the provider returns to the sign-in page', async t => {
  const { world, provider } = await start(t)
  provider.person = null
  const browser = world.browser()
  demandRefused(t, await browser.visit((await toCallback(browser)).href), 'cancelled')
})

t.test('disabled account is refused whatever the provider responds', async t => {
  const house = await start(t)
  const browser = house.world.browser()
  await signIn(house, lena, browser)
  const { user } = (await browser.send('GET', '/session')).json
  await house.world.ask('update-user', { userId: user.id, disabled: true })
  t.equal((await browser.send('GET', '/session')).status, 401)
  demandRefused(t, await signIn(house, lena), 'disabled')
  await house.world.ask('update-user', { userId: user.id, disabled: false })
  t.equal((await signIn(house, lena)).headers.location, '/')
})

t.test('failure of a provider stops only sign-ins by this provider, until it responds again', async t => {
  const provider = await startProvider({ redirectUri: callback })
  t.teardown(() => provider.stop().catch(() => undefined))
  await provider.stop()
  const { issuer, clientId, clientSecret } = provider
  const oidc = { issuer, clientId, clientSecret, name: 'Our house' }
  const world = await startSessionWorld(t, { home, session: { publicUrl: home, callbackBase: home, oidc } })
  t.equal((await (await world.signedIn('owner')).send('GET', '/session')).status, 200, 'passwords go on')
  const browser = world.browser()
  demandRefused(t, await browser.visit(`${home}/session/oidc/start`), 'provider_unavailable')
  await provider.start()
  provider.person = lena
  const url = await toCallback(browser)
  await provider.stop()
  demandRefused(t, await browser.copy().visit(url.href), 'provider_unavailable')
  await provider.start()
  t.equal((await browser.visit(url.href)).headers.location, '/', 'the same code, as soon as it is back')
  await provider.stop()
  world.clock.advance(limits.sessionApi.oidcDiscoveryMs)
  t.match((await browser.visit(`${home}/session/oidc/start`)).headers.location, issuer, 'what was found before is used on')
  const lines = world.logged.filter(line => line.includes('OIDC provider'))
  t.equal(lines.length, 2)
  t.notOk(
    lines.some(line => line.includes(url.searchParams.get('code')!) || line.includes(clientSecret)),
    'no code, no secret',
  )
})

t.test('oversized response of a provider is not read to its end', async t => {
  let padding = 0
  const wordy = createServer((request, response) => {
    const issuer = `http://${request.headers.host}`
    const endpoints = {
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
    }
    response.setHeader('content-type', 'application/json')
    response.setHeader('connection', 'close')
    response.end(`${JSON.stringify({ issuer, ...endpoints })}${' '.repeat(padding)}`)
  })
  await new Promise<void>(resolve => wordy.listen(0, '127.0.0.1', resolve))
  t.teardown(() => wordy.close())
  const issuer = `http://127.0.0.1:${(wordy.address() as AddressInfo).port}`
  const oidc = { issuer, clientId: 'watchkeeper', clientSecret: 'secret', name: 'Wordy' }
  const world = await startSessionWorld(t, { home, session: { publicUrl: home, callbackBase: home, oidc } })
  const begin = () => world.browser().visit(`${home}/session/oidc/start`)
  padding = limits.sessionApi.oidcAnswerBytes
  demandRefused(t, await begin(), 'provider_unavailable')
  padding = limits.sessionApi.oidcAnswerBytes / 2
  t.match((await begin()).headers.location, `${issuer}/authorize?`)
})

t.test('concurrent requests share one discovery, and the number of waiting requests is bounded', async t => {
  const { world, provider } = await start(t)
  const starts = await Promise.all(Array.from({ length: 20 }, () => world.browser().visit(`${home}/session/oidc/start`)))
  t.ok(starts.every(({ headers }) => headers.location?.startsWith(provider.issuer)))
  t.equal(provider.asked.filter(path => path.includes('.well-known')).length, 1)
})

t.test('sign-in returns to the requested page, and never to another site', async t => {
  const house = await start(t)
  house.provider.person = lena
  const browser = house.world.browser()
  const wanted = '/subjects/abc?tab=log#now'
  const url = await toCallback(browser, `/session/oidc/start?return_to=${encodeURIComponent(wanted)}`)
  t.equal((await browser.visit(url.href)).headers.location, wanted)
  for (const [given, path] of [
    [null, '/'],
    ['/', '/'],
    ['/a/b?c=d&e=f#g', '/a/b?c=d&e=f#g'],
    ['/a b', '/a%20b'],
    ['', '/'],
    ['a', '/'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['\\\\evil.example', '/'],
    ['/a\\..\\..\\evil.example', '/'],
    ['/\t/evil.example', '/'],
    ['/\n/evil.example', '/'],
    ['/.//evil.example', '/'],
    ['/a/..//evil.example', '/'],
    ['/%2e%2e//evil.example', '/'],
    ['https://evil.example/', '/'],
    ['https:evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['/@evil.example', '/@evil.example'],
    [`/${'x'.repeat(limits.sessionApi.returnToCharacters)}`, '/'],
    [`/${'日'.repeat(limits.sessionApi.returnToCharacters / 2)}`, '/'],
  ] as const) {
    t.equal(localPath(given), path, JSON.stringify(given)?.slice(0, 40))
  }
})

t.test('longest path to return to fits into a cookie of the browser', async t => {
  const house = await start(t)
  house.provider.person = lena
  for (const wanted of [`/${'x'.repeat(limits.sessionApi.returnToCharacters - 1)}`, `/${'日'.repeat(222)}`]) {
    const browser = house.world.browser()
    const begun = await browser.send('GET', `/session/oidc/start?return_to=${encodeURIComponent(wanted)}`)
    const [cookie] = begun.setCookies
    t.ok(cookie && cookie.name.length + (cookie.value ?? '').length <= 4_096, `${cookie?.value?.length} characters`)
    const back = await toCallback(browser, begun.headers.location)
    t.equal((await browser.visit(back.href)).headers.location, encodeURI(wanted))
  }
})

t.test('routes of the sign-in by OIDC are absent when no provider is configured', async t => {
  const world = await startSessionWorld(t)
  for (const path of ['start', 'callback']) {
    const shown = await world.browser().send('GET', `/session/oidc/${path}`)
    t.equal(shown.status, 404)
    t.equal(shown.json.error.code, 'not_found')
  }
})
