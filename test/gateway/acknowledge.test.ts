// Acknowledge links over HTTP: the page, what takes an Incident on, and all that changes nothing. Reference: docs/reference/v3.md, 10.21 and
// 10.22.
import t, { type Test } from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import { day, limits, minute } from '#shared/limits/limits.ts'
import { acknowledgeExpiry } from '#shared/tokens/acknowledge-token.ts'
import { incident } from '../store/documents.ts'
import { destinationId, startAcknowledgeWorld } from '../support/worlds/acknowledge-world.ts'
import type { Answer, CallOptions } from '../support/worlds/api-world.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

async function start(t: Test, over: Partial<IncidentDocument> = {}) {
  const world = await startAcknowledgeWorld(t, over)
  const send = (method: string, options: CallOptions = {}, path = world.token) =>
    fetchBare(`${world.address}/a/${path}`, method, options)
  return { ...world, send }
}

/** Follows no redirect. */
async function fetchBare(url: string, method: string, { raw, body, headers = {} }: CallOptions): Promise<Answer> {
  const sent = raw ?? (body === undefined ? null : JSON.stringify(body))
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(url, { method, redirect: 'manual', headers: { ...type, ...headers }, body: sent as string })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== ''
  return { status: response.status, json: isJson ? JSON.parse(text) : null, text, headers: response.headers }
}

const by = (name: string): CallOptions => ({ raw: new URLSearchParams({ by: name }).toString(), headers: form })

t.test('page says what is wrong, since when and who has taken it, without script or cookie (v3 10.22)', async t => {
  const { send } = await start(t)
  const { status, text, headers } = await send('GET')
  t.equal(status, 200)
  const order = [
    '>Problem<',
    '<h1>&lt;b&gt;Shop',
    'connection refused by &quot;db&quot;',
    'for 14m',
    'reachability',
    'nobody yet',
    '<form',
  ]
  t.strictSame(
    order.map(part => text.indexOf(part)).toSorted((one, other) => one - other),
    order.map(part => text.indexOf(part)),
  )
  for (const part of [...order, 'Restart &lt;it&gt;', 'href="/subjects/subject123"']) t.match(text, part, part)
  t.notMatch(text, /<script|<b>|\son\w+=/)
  t.match(Object.fromEntries(headers), {
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'cache-control': 'no-store',
    'content-security-policy': /^default-src 'none'; style-src 'sha256-/,
    'access-control-allow-origin': '*',
  })
  t.equal(headers.get('set-cookie'), null)
  t.match(await send('HEAD'), { status: 200, text: '' })
})

t.test('form with a name takes the Incident on, once, and the page says so (v3 10.22)', async t => {
  const { send, taken, token, keeper, clock } = await start(t)
  clock.advance(minute)
  const done = await send('POST', by('  Ada & Bo '))
  t.match(done, { status: 303 })
  t.equal(done.headers.get('location'), `/a/${token}`)
  t.equal(await taken(), 'Ada & Bo (link of On call)')
  t.match(keeper.commands.at(-1)?.command, { kind: 'acknowledge-incident', via: 'link' })
  const { text } = await send('GET')
  t.match(text, '<strong>Ada &amp; Bo (link of On call)</strong>')
  t.notMatch(text, '<form')
  t.match(await send('POST', by('Eve')), { status: 409, text: /Ada &amp; Bo/ })
  t.match(await send('POST', { body: { acknowledge: true } }), { status: 409, json: { acknowledged: false } })
  t.equal(await taken(), 'Ada & Bo (link of On call)', 'a replay changes nothing')
})

t.test("a telephone's action needs no name: then it is that of the destination (v3 10.22)", async t => {
  const anonymous = await start(t)
  t.match(await anonymous.send('POST', { body: { acknowledge: true } }), { status: 200, json: { acknowledged: true } })
  t.equal(await anonymous.taken(), 'On call (link of On call)')
  const named = await start(t)
  t.match(await named.send('POST', { body: { acknowledge: true, by: 'Ada' } }), { status: 200 })
  t.equal(await named.taken(), 'Ada (link of On call)')
  const preflight = await named.send('OPTIONS', {
    headers: { origin: 'https://ntfy.sh', 'access-control-request-method': 'POST' },
  })
  t.match([preflight.status, preflight.headers.get('access-control-allow-origin')], [204, '*'])
  t.match(preflight.headers.get('access-control-allow-headers'), 'content-type')
})

t.test('whatever programs send that open links and forms as they find them changes nothing (v3 10.22)', async t => {
  const { send, taken, keeper } = await start(t)
  const cases: [title: string, method: string, options: CallOptions, status: number][] = [
    ['GET', 'GET', {}, 200],
    ['HEAD', 'HEAD', {}, 200],
    ['OPTIONS', 'OPTIONS', {}, 204],
    ['an empty POST', 'POST', {}, 422],
    ['the form as found', 'POST', by(''), 422],
    ['a blank name', 'POST', by('  \t '), 422],
    ['101 characters', 'POST', by('x'.repeat(101)), 422],
    ['an invisible name', 'POST', by('\u200b'), 422],
    ['a form without by', 'POST', { raw: 'name=Ada', headers: form }, 422],
    ['a form of another type', 'POST', { raw: 'by=Ada', headers: { 'content-type': 'text/plain' } }, 422],
    ['a form that is no UTF-8', 'POST', { raw: new Uint8Array([0xff]), headers: form }, 422],
    ['a large form', 'POST', by('x'.repeat(5_000)), 422],
    ['an encoded form', 'POST', { ...by('Ada'), headers: { ...form, 'content-encoding': 'gzip' } }, 422],
    ['JSON without acknowledge', 'POST', { body: {} }, 422],
    ['JSON with false', 'POST', { body: { acknowledge: false } }, 422],
    ['JSON with a text', 'POST', { body: { acknowledge: 'true' } }, 422],
    ['JSON with another member', 'POST', { body: { acknowledge: true, name: 'Ada' } }, 422],
    ['JSON with a number', 'POST', { body: { acknowledge: true, by: 7 } }, 422],
    ['JSON with a blank name', 'POST', { body: { acknowledge: true, by: ' ' } }, 422],
    ['JSON that is a list', 'POST', { body: [] }, 422],
    ['broken JSON', 'POST', { raw: '{', headers: { 'content-type': 'application/json' } }, 422],
    ['PUT', 'PUT', by('Ada'), 404],
    ['DELETE', 'DELETE', {}, 404],
  ]
  for (const [title, method, options, status] of cases) {
    const answer = await send(method, options)
    t.equal(answer.status, status, title)
    if (answer.json !== null) t.match(answer.json, { result: null, error: { code: 1422, error_type: 'validation' } }, title)
    else if (status === 422) t.match(answer.text, '<form', title)
    t.equal(await taken(), null, title)
  }
  t.strictSame(keeper.commands, [])
})

t.test('links that prove nothing are 404 with one page for all, for every method (v3 10.22)', async t => {
  const world = await start(t)
  const { send, tokenOf, at, token, store, taken, clock } = world
  await world.addSubject({ id: 'subjectw2x', workspaceId: 'w2' })
  await store.upsert('incidents', [incident('subjectw2x.1', { subjectId: 'subjectw2x', workspaceId: 'w2' })])
  const wrong = {
    unknown: 'A'.repeat(100),
    short: 'abc',
    broken: `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
    expired: await tokenOf({ expiresAt: acknowledgeExpiry(at - 7 * day) }),
    'of a missing Incident': await tokenOf({ incidentId: 'subject123.9' }),
    'of a missing destination': await tokenOf({ destinationId: 'dest000009' }),
    'of an Incident of another workspace': await tokenOf({ incidentId: 'subjectw2x.1' }),
    'with more behind it': `${token}/x`,
    'percent-encoded badly': '%zz',
  }
  const first = await send('GET', {}, wrong.unknown)
  t.match(first.text, 'This link does not work')
  for (const [title, path] of Object.entries(wrong)) {
    for (const [method, options] of [
      ['GET', {}],
      ['POST', by('Ada')],
      ['POST', { body: { acknowledge: true } }],
    ] as const) {
      const answer = await send(method, options, path)
      t.equal(answer.status, 404, `${method} ${title}`)
      t.equal(answer.text, first.text, `${method} ${title}`)
    }
  }
  t.equal((await send('GET')).status, 200)
  const { ask } = createDirectoryClient(world.hub.connect(), clock)
  await ask('rotate-acknowledge-links', {})
  t.match(await send('POST', by('Ada')), { status: 404, text: first.text }, 'rotated')
  const renewed = await tokenOf()
  t.equal((await send('GET', {}, renewed)).status, 200)
  await store.delete('destinations', [destinationId])
  t.equal((await send('POST', by('Ada'), renewed)).status, 404, 'the destination is deleted')
  t.equal(await taken(), null)
  clock.advance(7 * day)
  t.equal((await send('GET', {}, renewed)).status, 404)
})

t.test('an Incident that is over is shown and cannot be taken on (v3 10.22)', async t => {
  const { send, taken } = await start(t, { open: 0, closedAt: 1 })
  const { text } = await send('GET')
  t.match(text, '>Over<')
  t.notMatch(text, '<form')
  t.match(await send('POST', by('Ada')), { status: 409, text: />Over</ })
  t.match(await send('POST', { body: { acknowledge: true } }), { status: 409, json: { acknowledged: false } })
  t.equal(await taken(), null)
})

t.test('an Incident that is taken between look and command is 409 (v3 10.22)', async t => {
  const world = await start(t)
  world.keeper.trouble = 'not_found'
  t.match(await world.send('POST', by('Ada')), { status: 409 })
})

t.test('more than 30 POSTs a minute from one client network are 429, whatever they say (v3 10.22)', async t => {
  const { send, taken, clock } = await start(t)
  for (let i = 0; i < limits.acknowledge.postsPerMinute; i++) t.equal((await send('POST', by(''))).status, 422)
  t.match(await send('POST', by('Ada')), { status: 429, text: 'Too many tries' })
  t.match(await send('POST', { body: { acknowledge: true } }), { status: 429, json: { error: { code: 1429 } } })
  t.match(await send('POST', by('Ada'), 'A'.repeat(100)), { status: 429 })
  t.equal((await send('GET')).status, 200)
  t.equal(await taken(), null)
  clock.advance(minute)
  t.equal((await send('POST', by('Ada'))).status, 303)
})

t.test('POST is audited with the id of the destination, and no log, metric or row has the token (v3 10.21 and 11.3)', async t => {
  const world = await start(t)
  const { send, token, logged, metrics, clock, hub } = world
  await send('GET')
  await send('POST', by(''))
  await send('POST', by('Ada'))
  await send('POST', by('Ada'), `${token.slice(0, -1)}~`)
  const { ask } = createDirectoryClient(hub.connect(), clock)
  const asked = { workspaceId: 'w1', personId: null, path: null, since: null, until: null, limit: 200, after: null }
  let items: Awaited<ReturnType<typeof read>> = []
  async function read() {
    clock.advance(limits.audit.flushMs)
    return (await ask('list-audit', asked)).items
  }
  for (let tries = 0; items.length < 2 && tries < 1_000; tries++) items = await read()
  t.match(items, [
    { method: 'POST', path: '/a/…', status: 303, destination: { id: destinationId }, person: null, key: null, address: null },
    { method: 'POST', path: '/a/…', status: 422, destination: { id: destinationId } },
  ])
  t.equal(items.length, 2)
  const whole = `${await world.dump()}${logged.join('')}${await metrics.metrics()}`
  t.notMatch(whole, token)
  t.notMatch(whole, token.slice(0, 40))
})
