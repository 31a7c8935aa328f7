// Pages of the dashboard over HTTP, without a browser: their rights, headers, data, and the assets that they link.
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { brotliDecompressSync } from 'node:zlib'
import t from 'tap'
import { pagePaths } from '#shared/contracts/session/page-paths.ts'
import { limits } from '#shared/limits/limits.ts'
import { type Assets, bundleOnce, dashboardAssets, type Priority } from '../../services/gateway/dashboard/assets.ts'
import { jsonInHtml } from '../../services/gateway/dashboard/page.ts'
import { startManyMonitors } from '../dashboard/many-monitors.ts'
import { type SessionWorld, startSessionWorld } from '../support/worlds/session-world.ts'

/** Requests a path; also decodes a compressed body. */
async function fetchFrom(world: SessionWorld, path: string, headers: Record<string, string> = {}) {
  return fetch(world.addresses[0] + path, { redirect: 'manual', headers: { accept: 'text/html', ...headers } })
}

const examplePath = (path: string) => path.replaceAll(/:\w+/g, 'x1')

t.test('every page opens for a signed-in person, and redirects other visitors to the sign-in', async t => {
  const world = await startSessionWorld(t)
  await world.addPerson('ann', { [world.workspaceId]: 'viewer' })
  const ann = await world.signedIn('ann')
  for (const path of Object.values(pagePaths).map(examplePath)) {
    const shown = await ann.send('GET', `${path}?q=a`)
    t.equal(shown.status, 200, path)
    t.match(shown.headers['content-type'], 'text/html', path)
    const stranger = await world.browser().send('GET', `${path}?q=a`)
    t.equal(stranger.status, 303, path)
    t.equal(stranger.headers.location, `/sign-in?return_to=${encodeURIComponent(`${path}?q=a`)}`, path)
  }
  t.match((await world.browser().send('GET', '/')).headers, { location: '/sign-in' })
  const failed = await world.browser().send('GET', '/?sign_in_error=expired')
  t.equal(failed.headers.location, '/sign-in?sign_in_error=expired')
  t.equal((await ann.send('GET', '/sign-in?return_to=/keys')).headers.location, '/keys')
  t.equal((await ann.send('GET', '/sign-in?return_to=https://elsewhere.example')).headers.location, '/')
})

t.test('link in a message opens the page of the subject and shows the incident', async t => {
  const world = await startSessionWorld(t)
  const shown = await world.browser().send('GET', '/subjects/a%2Fb?incident=7')
  t.match(shown, { status: 303, headers: { location: '/monitors/a%2Fb?incident=7' } })
})

t.test('unknown path returns a page to a browser, and a line of text to other clients', async t => {
  const world = await startSessionWorld(t)
  const page = await fetchFrom(world, '/no/such/page')
  t.equal(page.status, 404)
  t.match(await page.text(), /There is no such page/)
  t.match(page.headers.get('content-security-policy'), "default-src 'none'")
  const text = await fetchFrom(world, '/no/such/page', { accept: 'application/json' })
  t.equal(text.status, 404)
  t.equal(await text.text(), 'Not found\n')
  t.equal((await fetchFrom(world, '/assets/app-AAAAAAAA.js')).status, 404)
})

t.test('page forbids inline scripts, foreign origins and frames, and is never cached', async t => {
  const world = await startSessionWorld(t)
  await world.addPerson('ann', { [world.workspaceId]: 'viewer' })
  const { headers, text } = await (await world.signedIn('ann')).send('GET', '/')
  const policy = String(headers['content-security-policy']).split('; ')
  const wanted = ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"]
  for (const rule of [...wanted, "require-trusted-types-for 'script'", "trusted-types 'none'"]) t.ok(policy.includes(rule), rule)
  t.notMatch(headers['content-security-policy'], /unsafe|\*|https?:/)
  t.match(headers, { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin' })
  const inline = [...text.matchAll(/<script(?![^>]*\bsrc=)([^>]*)>/g)].map(([, attributes]) => attributes)
  t.strictSame(inline, [' type="application/json" id="first"'])
  t.notMatch(text, /style="/)
})

t.test('data in a page names person, workspace and clock, and cannot close its script element', async t => {
  const world = await startSessionWorld(t)
  const evil = '</script><script>alert(1)</script>'
  const ann = await world.addPerson('ann', { [world.workspaceId]: 'viewer' })
  await world.ask('create-workspace', { id: 'second-one', name: evil, userId: ann })
  const browser = await world.signedIn('ann')
  const firstOf = async (path: string) => {
    const { text } = await browser.send('GET', path)
    t.notMatch(text, evil)
    return JSON.parse(/id="first">(.*)<\/script>/.exec(text)?.[1] ?? 'null')
  }
  const first = await firstOf('/')
  t.match(first, { at: world.clock.now(), version: '2.0.0', session: { user: { username: 'ann' } } })
  const ids = (first.session.workspaces as { id: string }[]).map(({ id }) => id)
  t.equal(ids.length, 2)
  for (const id of ids) t.equal((await firstOf(`/?workspace=${id}`)).workspace, id)
  t.equal((await firstOf('/?workspace=of-others')).workspace, ids[0])
  browser.cookies().set('watchkeeper-workspace', ids[1]!)
  t.equal((await firstOf('/')).workspace, ids[1], 'the workspace that was shown last')
  t.equal(jsonInHtml({ a: '<!--' }), '{"a":"\\u003c!--"}')
})

t.test("page of a monitor has the monitor's data, unless the monitor is absent or in another workspace", async t => {
  const world = await startManyMonitors(t, 3)
  const ann = await world.signedIn('ann')
  const firstOf = async (path: string) =>
    JSON.parse(/id="first">(.*)<\/script>/.exec((await ann.send('GET', path)).text)?.[1] ?? 'null')
  const list = await firstOf('/')
  t.match(list, { news: /^\w{8}\.\d+$/, list: { total: 3 } })
  const [{ id }] = list.list.rows
  t.match(await firstOf(`/monitors/${id}`), {
    news: /^\w{8}\.\d+$/,
    monitor: { workspace_id: world.workspaceId, resource: { id } },
  })
  t.notOk('monitor' in (await firstOf('/monitors/unknown000')))
  t.notOk('monitor' in (await firstOf('/monitors/a%00b')))
  t.notOk('news' in (await firstOf('/incidents')), 'no view, no news')
})

t.test('bundling that fails is tried again at the next request', async t => {
  const script = bundleOnce()
  const node = process.execPath
  process.execPath = `${node}-that-is-missing`
  const failing = script()
  process.execPath = node
  await t.rejects(failing, { code: 'ENOENT' })
  t.match(await script(), { style: /^\/assets\/\w+\.css$/ })
})

/** A bundle that its style sheet names. */
const madeAs = (style: string): Assets => ({
  ...{ files: new Map(), app: { script: '', ofPage: {} }, signIn: { script: '', ofPage: {} } },
  style,
})

t.test('page does not wait for the process of low priority that bundles in advance', async t => {
  const started: Priority[] = []
  const script = bundleOnce(priority => {
    started.push(priority)
    return priority === 'low' ? new Promise<Assets>(() => undefined) : Promise.resolve(madeAs('normal'))
  })
  void script('low')
  t.equal((await script()).style, 'normal')
  t.equal((await script('low')).style, 'normal', 'later calls get the bundle that was made')
  t.strictSame(started, ['low', 'normal'])
})

t.test('page gets the bundle of the other process if one of the two fails', async t => {
  const bundle = Promise.withResolvers<Assets>()
  const script = bundleOnce(priority => (priority === 'low' ? Promise.reject(new Error('killed')) : bundle.promise))
  const failed = t.rejects(script('low'), { message: 'killed' }, 'no other process ran when this one began')
  const made = script()
  await failed
  bundle.resolve(madeAs('normal'))
  t.match(await made, { style: 'normal' })
})

t.test('bundle that was made in advance is not made again', async t => {
  const started: Priority[] = []
  const script = bundleOnce(async priority => {
    started.push(priority)
    return madeAs(priority)
  })
  t.equal((await script('low')).style, 'low')
  t.equal((await script()).style, 'low')
  t.strictSame(started, ['low'])
})

t.test('page and asset are compressed if the client accepts it, and an asset is cached for a year', async t => {
  const world = await startSessionWorld(t)
  const { app, files, style } = await dashboardAssets()
  const linked = [app.script, style, ...Object.values(app.ofPage).flat()]
  t.ok(linked.every(path => files.has(path)))
  t.ok(files.get(app.script)!.body.length > 10_000, 'a page links the shared chunk, not an entry that only imports it')
  for (const path of [app.script, style]) {
    const { status, headers } = await world.browser().send('GET', path, { headers: { 'accept-encoding': 'gzip, br' } })
    t.match(headers, { 'content-encoding': 'br', 'cache-control': 'max-age=31536000, immutable' })
    t.equal(status, 200)
    t.strictSame(brotliDecompressSync(files.get(path)!.brotli!), files.get(path)!.body)
    const plain = await world.browser().send('GET', path, { headers: { 'accept-encoding': 'br;q=0' } })
    t.equal(plain.headers['content-encoding'], undefined)
    t.equal(Buffer.byteLength(plain.text), files.get(path)!.body.length)
  }
  for (const encoding of ['br', 'gzip', 'identity']) {
    const answer = await fetchFrom(world, '/sign-in', { 'accept-encoding': encoding })
    t.equal(answer.headers.get('content-encoding') ?? 'identity', encoding)
    t.match(await answer.text(), '<!doctype html>', encoding)
  }
})

t.test('browser without scripts gets the style sheet of pages', async t => {
  const world = await startSessionWorld(t)
  await world.addPerson('ann', { [world.workspaceId]: 'viewer' })
  const { style } = await dashboardAssets()
  for (const browser of [await world.signedIn('ann'), world.browser()])
    t.match(
      (await browser.send('GET', browser.cookies().size > 0 ? '/' : '/sign-in')).text,
      `<noscript><link rel="stylesheet" href="${style}">`,
    )
})

t.test('connection stays open although neither side sends a Connection header', async t => {
  const world = await startSessionWorld(t)
  const { app } = await dashboardAssets()
  for (const path of ['/sign-in', app.script, '/session']) {
    const { headers } = await world.browser().send('GET', path)
    t.strictSame([headers.connection, headers['keep-alive']], [undefined, undefined], path)
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const ports = new Set<number | undefined>()
  for (let asked = 0; asked < 3; asked++) {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(new URL(app.script, world.addresses[0]), { agent }, resolve).on('error', reject).end()
    })
    ports.add(answer.socket.localPort)
    await once(answer.resume(), 'end')
  }
  t.equal(ports.size, 1, 'one connection')
})

t.test('installation with AUTH_DEV serves its pages only to its own machine', async t => {
  const world = await startSessionWorld(t, { session: { developer: true } })
  const shown = await world.browser().send('GET', '/')
  t.match(shown, { status: 200 })
  t.match(shown.text, /"developer":true/)
  const foreign = await world.browser().send('GET', '/', { headers: { host: 'rebound.example' } })
  t.equal(foreign.status, 403)
  t.notMatch(foreign.text, /owner/)
})

t.test('page reports a temporary failure when the directory does not respond', async t => {
  const world = await startSessionWorld(t)
  await world.addPerson('ann', { [world.workspaceId]: 'viewer' })
  const ann = await world.signedIn('ann')
  await world.stopDirectory()
  const asked = ann.send('GET', '/')
  let isAnswered = false
  void asked.finally(() => {
    isAnswered = true
  })
  while (!isAnswered) {
    await new Promise(resolve => setImmediate(resolve))
    world.clock.advance(limits.request.retryMs)
  }
  const shown = await asked
  t.equal(shown.status, 503)
  t.match(shown.text, /Temporarily unavailable/)
})

t.test('browser gets a page although bundling takes longer than a response may take', async t => {
  const { promise: bundled, resolve: finish } = Promise.withResolvers<Assets>()
  const { promise: waited, resolve: wait } = Promise.withResolvers<void>()
  const assets = () => {
    wait()
    return bundled
  }
  const world = await startSessionWorld(t, { assets })
  const owner = await world.signedIn('owner')
  const asked = owner.send('GET', '/')
  await waited
  world.clock.advance(limits.http.answerMs + 1)
  finish(await dashboardAssets())
  // Some time passes while the page is made.
  for (let turn = 0; turn < 20; turn++) {
    await null
    world.clock.advance(1)
  }
  t.equal((await asked).status, 200)
})

t.test('reads with a session are compressed, and responses that may hold a token are not', async t => {
  const world = await startManyMonitors(t, 30)
  const ann = await world.signedIn('ann')
  const cookie = [...ann.cookies()].map(([name, value]) => `${name}=${value}`).join('; ')
  const path = `/api/v3/workspaces/${world.workspaceId}/monitors`
  for (const encoding of ['br', 'gzip', 'identity']) {
    const answer = await fetchFrom(world, path, { cookie, 'accept-encoding': `${encoding};q=0.9` })
    t.equal(answer.headers.get('content-encoding') ?? 'identity', encoding)
    t.equal(answer.headers.get('vary'), 'accept-encoding')
    const length = Number(answer.headers.get('content-length'))
    const { result } = (await answer.json()) as { result: unknown[] }
    t.equal(result.length, 30)
    if (encoding !== 'identity') t.ok(length < 2_000, `${length} bytes`)
  }
  const description = 'a key '.repeat(30)
  const made = await ann.send('POST', '/session/keys', { body: { description }, headers: { 'accept-encoding': 'br' } })
  t.match(made, { status: 201, json: { token: String } })
  t.equal(made.headers['content-encoding'], undefined)
})
