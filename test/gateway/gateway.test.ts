// The gateway's own behaviour: its requests to other services, its copies in memory, its failures and its stop.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t from 'tap'
import type { LocationView } from '#shared/contracts/ask/ask-people.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import { makeToken } from '#shared/tokens/api-token.ts'
import { createGateway } from '../../services/gateway/app.ts'
import { requireNoBody } from '../../services/gateway/body/json-body.ts'
import { withinBudget } from '../../services/gateway/http/time-budget.ts'
import { createLocationNames } from '../../services/gateway/subjects/location-names.ts'
import { createMemoryHub } from '../support/bus/memory-bus.ts'
import { bodyIsRead } from '../support/clients/body-is-read.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { type ApiWorld, incidentSalt, startApiWorld } from '../support/worlds/api-world.ts'

const websites = '/api/v2/monitoring/websites'
const website = (change: object = {}) => ({
  name: 'Shop',
  interval: 60,
  workspace_id: 'home000000',
  request: { url: 'https://shop.example', method: 'GET' },
  response: { statuses: [200] },
  ...change,
})

/** Starts a gateway and a directory, and creates an owner. `asked` lists the verbs of the requests to the directory, in order. */
async function start(t: { teardown(run: () => Promise<void>): unknown }, options: { withDirectory?: boolean } = {}) {
  const world = await startApiWorld(options)
  t.teardown(() => world.stop())
  const asked: string[] = []
  // The gateway itself sends a hash that belongs to no key, to test whether the directory responds. These requests are not counted.
  const isTrial = (body: unknown) => JSON.stringify(body).includes('0'.repeat(64))
  const listener = await world.hub.connect().subscribe('ask.directory.*', ({ subject, body }) => {
    if (!isTrial(body)) asked.push(subject.slice(14))
  })
  const person = await world.addPerson('owner', { home000000: 'owner' })
  return { world, asked, listener, ...person }
}

const version = (world: ApiWorld, token: string) => world.call('GET', '/api/version', { token })

t.test('repeated request needs no other service until the cached identity expires', async t => {
  const { world, asked, token } = await start(t)
  for (let i = 0; i < 5; i++) t.equal((await version(world, token)).json.error, null)
  t.strictSame(asked, ['authenticate'])
  world.clock.advance(limits.key.cacheMs - 1)
  await version(world, token)
  t.equal(asked.filter(verb => verb === 'authenticate').length, 1)
  world.clock.advance(1)
  await version(world, token)
  t.equal(asked.filter(verb => verb === 'authenticate').length, 2)
})

t.test('concurrent requests with an unknown key ask the directory once', async t => {
  const { world, keyId, token } = await start(t, { withDirectory: false })
  const identity = {
    keyId,
    userId: 'u',
    displayName: '',
    admin: false,
    disabled: false,
    expiresAt: world.clock.now() + 1e9,
    memberships: [],
    scope: null,
  }
  const held: (() => void)[] = []
  await world.hub
    .connect()
    .subscribe('ask.directory.authenticate', message => void held.push(() => message.respond({ ok: true, result: identity })))
  await world.hub.connect().subscribe('ask.directory.touch-keys', message => message.respond({ ok: true, result: null }))
  let arrived = 0
  const all = new Promise<void>(resolve => world.fastify.server.on('request', () => ++arrived === 20 && resolve()))
  const running = Array.from({ length: 20 }, () => version(world, token))
  await all
  await turns()
  t.equal(held.length, 1)
  for (const release of held) release()
  t.ok((await Promise.all(running)).every(answer => answer.json.result === '2.0.0'))
})

t.test('malformed token is refused without a request to the directory', async t => {
  const { world, asked } = await start(t)
  for (const token of ['x', `wk_${'a'.repeat(31)}`, `wk_${'a'.repeat(33)}`, `wk_${'-'.repeat(32)}`]) {
    t.equal((await version(world, token)).json.error.code, 1003)
  }
  t.strictSame(asked, [])
})

t.test('token of a deleted key is refused at once by a gateway that has a copy of the key', async t => {
  const { world, token, keyId } = await start(t)
  const other = await world.addPerson('other', {})
  t.equal((await version(world, token)).json.error, null)
  t.equal((await version(world, other.token)).json.error, null)
  await world.hub.connect().request('ask.directory.delete-key', { keyId, userId: null }, { timeoutMs: 1_000 })
  t.equal((await version(world, token)).json.error.code, 1003)
  t.equal((await version(world, other.token)).json.error, null, 'another key goes on')
})

t.test('key is not cached when it is revoked during the response of the directory', async t => {
  const { world, keyId, token } = await start(t, { withDirectory: false })
  let times = 0
  const identity = {
    keyId,
    userId: 'u',
    displayName: '',
    admin: false,
    disabled: false,
    expiresAt: world.clock.now() + 1e9,
    memberships: [],
  }
  const directory = world.hub.connect()
  await directory.subscribe('ask.directory.authenticate', async message => {
    times++
    if (times > 1) return message.respond({ ok: true, result: null })
    await directory.bucket('revocations').put(`key.${keyId}`, {})
    message.respond({ ok: true, result: identity })
  })
  t.equal((await version(world, token)).json.error.code, 1003)
  t.equal(times, 2)
})

t.test('gateway opens one watcher of revocations for keys and Observation addresses', async t => {
  const clock = createHandClock()
  const bus = createMemoryHub({ clock }).connect()
  const watched: string[] = []
  const bucket: typeof bus.bucket = name => {
    const { watch, ...others } = bus.bucket(name)
    const counted: typeof watch = (...given) => {
      watched.push(name)
      return watch(...given)
    }
    return { ...others, watch: counted }
  }
  const around = { bus: { ...bus, bucket }, clock, logger: pino({ level: 'silent' }), metrics: new Registry() }
  const { service } = await createGateway(around, { version: '2.0.0', incidentSalt })
  t.strictSame(watched, ['revocations'])
  await service.stop()
})

t.test('revocation refreshes memberships before the next request', async t => {
  const { world, asked, token, userId } = await start(t)
  const other = await world.addPerson('other', { home000000: 'owner' })
  const list = () => world.call('GET', `${websites}?workspace_id=home000000`, { token })
  t.equal((await list()).json.error, null)
  await version(world, other.token)
  const before = asked.filter(verb => verb === 'authenticate').length
  const remove = { workspaceId: 'home000000', userId }
  await world.hub.connect().request('ask.directory.remove-member', remove, { timeoutMs: 1_000 })
  t.equal((await list()).json.error.code, 2005)
  await version(world, other.token)
  t.equal(asked.filter(verb => verb === 'authenticate').length, before + 1, 'another person’s copy is still good')
})

t.test("key is refused from its expiry on, even if the gateway's copy is fresh", async t => {
  const { world, token } = await start(t)
  world.clock.advance(limits.key.lifeMs - 2)
  t.equal((await version(world, token)).json.error, null)
  world.clock.advance(1)
  t.equal((await version(world, token)).json.error, null)
  world.clock.advance(1)
  t.equal((await version(world, token)).json.error.code, 1003)
})

t.test('disconnected gateway uses no copy, responds 500 in time, and recovers without a restart', async t => {
  const { world, token } = await start(t)
  t.equal((await version(world, token)).json.error, null)
  t.strictSame(world.gateway.unready(), [])
  world.hub.cut(world.bus)
  t.equal(world.gateway.unready().length, 1)
  const cutOff = version(world, token)
  const answer = await advancingUntil(world, cutOff)
  t.equal(answer.status, 200)
  t.match(answer.json, {
    result: null,
    error: { code: 500, error_type: 'internal_error', message: 'Internal error' },
    meta: null,
  })
  world.hub.restore(world.bus)
  t.equal((await advancingUntil(world, version(world, token))).json.error, null)
})

t.test('gateway is not ready while its directory does not respond, and is ready again by itself', async t => {
  const { world } = await start(t)
  const advance = async (ms: number) => {
    for (let passedMs = 0; passedMs < ms; passedMs += 100) {
      world.clock.advance(100)
      await turns(5)
    }
  }
  await advance(20_000)
  t.strictSame(world.gateway.unready(), [])
  world.hub.cut(world.directoryBus)
  await advance(limits.presence.beatMs + limits.presence.unansweredMs)
  t.match(world.gateway.unready(), [/no response from the directory/])
  world.hub.restore(world.directoryBus)
  await advance(2 * limits.presence.beatMs + limits.request.totalMs)
  t.strictSame(world.gateway.unready(), [])
})

t.test('every response is sent within 4 s', async t => {
  const { world, token } = await start(t)
  t.equal((await version(world, token)).json.error, null)
  world.keeper.trouble = 'silence'
  const startedAt = world.clock.monotonic()
  const answer = await advancingUntil(world, world.call('POST', websites, { token, body: website() }))
  t.equal(answer.json.error.code, 500)
  t.ok(world.clock.monotonic() - startedAt < 4_000, `${world.clock.monotonic() - startedAt} ms`)
  const ids = new Set(world.keeper.commands.map(({ command, subjectId }) => `${command.id} ${subjectId}`))
  t.ok(world.keeper.commands.length >= 2, 'it has tried again')
  t.equal(ids.size, 1, 'all tries of a request carry one command id and one subject id')
})

t.test('report is retried with the same command id when its first attempt may have been stored', async t => {
  const { world, token } = await start(t)
  const subjects = '/api/v2/subjects'
  const post = (path: string, body: object) => world.call('POST', `${subjects}${path}`, { token, body })
  await post('', { workspace_id: 'home000000', name: 'Shop' })
  await post('/shop/signals', { name: 'Beat', kind: 'event' })
  const report = () => post('/shop/signals/beat/observations', { status: 'ok' })
  t.equal((await report()).json.error, null)
  for (const trouble of ['silence', 'unavailable', 'internal'] as const) {
    world.keeper.trouble = trouble
    world.keeper.commands.length = 0
    t.equal((await advancingUntil(world, report())).json.error.code, 500, trouble)
    t.equal(new Set(world.keeper.commands.map(({ command }) => command.id)).size, 1, trouble)
  }
})

t.test('time limit of a response counts from the start of its request, and a response leaves no timer', async t => {
  const hand = createHandClock()
  let timers = 0
  const clock: Clock = {
    ...hand,
    schedule: (delayMs, run) => {
      const cancel = hand.schedule(delayMs, run)
      timers++
      return () => {
        timers--
        cancel()
      }
    },
  }
  let refusal: unknown = null
  hand.advance(3_000)
  withinBudget(clock, 0, limits.http.answerMs, new Promise(() => undefined)).catch(error => {
    refusal = error
  })
  hand.advance(limits.http.answerMs - 3_000 - 1)
  await turns(1)
  t.equal(refusal, null)
  hand.advance(1)
  await turns(1)
  t.match(refusal, { code: 'unavailable' })
  timers = 0
  t.equal(await withinBudget(clock, clock.monotonic(), limits.http.answerMs, Promise.resolve('done')), 'done')
  await t.rejects(withinBudget(clock, clock.monotonic(), limits.http.answerMs, Promise.reject(new Error('refused'))), {
    message: 'refused',
  })
  t.equal(timers, 0)
})

t.test('request whose body never ends is refused within the time limit of a response', async t => {
  const { world, token } = await start(t)
  await version(world, token)
  const socket = connect(Number(new URL(world.address).port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  const head = `POST ${websites} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 100\r\n\r\n{`
  socket.write(head)
  const answered = new Promise<string>(resolve => socket.once('data', data => resolve(String(data))))
  t.match(await advancingUntil(world, answered), /^HTTP\/1\.1 200 .*"code":500/s)
})

t.test('request changes nothing when its key or role is removed while its body arrives', async t => {
  const cases: [what: string, verb: string | null, change: object, answer: object][] = [
    ['nothing happens', null, {}, { error: null }],
    ['the key is deleted', 'delete-key', { userId: null }, { error: { code: 1003 } }],
    ['the account is disabled', 'update-user', { disabled: true }, { error: { code: 1004 } }],
    ['the role is taken', 'change-role', { workspaceId: 'home000000', role: 'viewer' }, { error: { code: 500 } }],
    ['the membership ends', 'remove-member', { workspaceId: 'home000000' }, { error: { code: 500 } }],
  ]
  for (const [what, verb, change, answer] of cases) {
    const { world, token, userId, keyId } = await start(t)
    await world.addPerson('another', { home000000: 'owner' })
    const { id } = await world.addSubject({ id: 'website001', workspaceId: 'home000000' })
    const { socket, reading, end } = sendAllButTheEnd(world, `${websites}/${id}`, token, website())
    t.teardown(() => socket.destroy())
    await reading
    const whose = verb === 'delete-key' ? { keyId } : { userId }
    if (verb) await world.hub.connect().request(`ask.directory.${verb}`, { ...whose, ...change }, { timeoutMs: 1_000 })
    t.match(JSON.parse((await end()).split('\r\n\r\n')[1]!), answer, what)
    t.equal(world.keeper.commands.length, verb ? 0 : 1, what)
  }
})

t.test('request changes nothing when its body ends after the response was sent', async t => {
  const { world, token } = await start(t)
  const { socket, reading, answered, end } = sendAllButTheEnd(world, websites, token, website())
  t.teardown(() => socket.destroy())
  const raw = await reading
  t.match(await advancingUntil(world, answered), /"code":500/)
  void end()
  if (!raw.readableEnded) await once(raw, 'end')
  await turns()
  t.strictSame(world.keeper.commands, [])
})

t.test('internal failure responds 500 without internal details', async t => {
  const { world, token } = await start(t)
  for (const code of ['internal', 'busy', 'unavailable'] as const) {
    world.keeper.trouble = code
    const answer = await advancingUntil(world, world.call('POST', websites, { token, body: website() }))
    t.equal(answer.json.error.code, 500, code)
    t.notMatch(answer.text, 'secret', code)
  }
  world.keeper.trouble = 'not_found'
  const update = await world.addSubject({ id: 'website001', workspaceId: 'home000000' })
  const gone = await world.call('POST', `${websites}/${update.id}`, { token, body: website() })
  t.match(gone.json.error, { code: 2002, message: 'Website monitor not found' }, 'deleted between the look and the command')
})

t.test('log has neither tokens nor addresses of destinations', async t => {
  const { world, token } = await start(t)
  world.keeper.trouble = 'internal'
  await world.call('POST', websites, { token, body: website({ request: { url: 'https://me:hidden@a.example', method: 'GET' } }) })
  await world.call('POST', '/api/v2/notifications/destinations', {
    token,
    body: { name: 'x', url: 'https://hooks.example/hidden', destination_type: 'slack' },
  })
  t.ok(world.logged.length > 0, 'the internal failure is logged')
  t.notMatch(world.logged.join('\n'), /hidden|wk_/)
})

t.test('use of keys is recorded in batches, every 10 s at most and at the stop', async t => {
  const { world, asked, token, keyId } = await start(t)
  const lastUsed = async () => (await world.store.get('keys', [keyId]))[0]?.lastUsedAt
  await version(world, token)
  world.clock.advance(limits.key.touchMs - 1)
  await version(world, token)
  t.notOk(asked.includes('touch-keys'))
  const usedAt = world.clock.now()
  world.clock.advance(1)
  await turns()
  t.equal(asked.filter(verb => verb === 'touch-keys').length, 1)
  t.equal(await lastUsed(), usedAt)
  world.clock.advance(1)
  await version(world, token)
  await world.gateway.stop()
  t.equal(await lastUsed(), world.clock.now())
})

t.test('stop ends in time without a directory', async t => {
  const { world, token } = await start(t)
  await version(world, token)
  await world.directory.stop()
  const startedAt = world.clock.monotonic()
  await advancingUntil(world, world.gateway.stop())
  t.ok(world.clock.monotonic() - startedAt <= limits.key.lastTouchMs + 500)
})

t.test('list larger than a page of the bus is returned complete', async t => {
  const { world, token } = await start(t)
  const data = 'x'.repeat(60 * 1024)
  const ids = Array.from({ length: 30 }, (_, i) => `website${String(i).padStart(3, '0')}`)
  for (const [i, id] of ids.entries()) {
    const subject = await world.addSubject({ id, workspaceId: 'home000000', createdAt: i })
    await world.store.upsert('subjects', [{ ...subject, check: subject.check && { ...subject.check, data } }])
  }
  const answer = await world.call('GET', `${websites}?workspace_id=home000000`, { token })
  const listed = (answer.json.result as { id: string }[]).map(monitor => monitor.id)
  t.strictSame(listed, ids)
})

t.test('maintenance window counts as ended at its end, before its keeper has reported the end', async t => {
  const { world, token } = await start(t)
  const startedAt = world.clock.now()
  const endsAt = startedAt + 60_000
  const context = { windowId: 'custom0001.w1', startedAt, endsAt, cancelledAt: null, by: 'Ada', deadlineAt: endsAt }
  await world.addSubject({
    id: 'custom0001',
    workspaceId: 'home000000',
    kind: 'custom',
    template: null,
    check: null,
    maintenance: { machine: 'maintenance', version: 1, value: 'running', context, steps: [] },
  })
  const read = async () => (await world.call('GET', '/api/v2/subjects/shop/maintenance', { token })).json.result
  world.clock.advance(59_999)
  t.match(await read(), { active: true, cancelled_at: null })
  world.clock.advance(1)
  t.equal(await read(), null)
})

t.test('location is usable at once after its creation', async t => {
  const { world, token } = await start(t)
  const create = () => world.call('POST', websites, { token, body: website({ locations: ['new'] }) })
  t.equal((await create()).json.error.message, 'invalid locations')
  await world.directoryBus.request('ask.directory.ensure-location', { name: 'new' }, { timeoutMs: 1_000 })
  t.strictSame((await create()).json.result.locations, ['new'])
})

t.test('monitor with the former name of a removed or renamed location is refused at once', async t => {
  const { world, token } = await start(t)
  const tell = (verb: string, body: object) =>
    world.directoryBus.request(`ask.directory.${verb}`, body, { timeoutMs: 1_000 }) as Promise<{ ok: boolean }>
  const create = (name: string) => world.call('POST', websites, { token, body: website({ locations: [name] }) })
  await tell('create-location', { id: 'aaaa', name: 'de', displayName: null })
  await tell('create-location', { id: 'bbbb', name: 'fr', displayName: null })
  const monitor = (await create('fr')).json.result.id as string
  t.ok((await tell('delete-location', { locationId: 'aaaa' })).ok)
  t.match((await create('de')).json.error, { code: 2001, message: 'invalid locations', details: 'Unknown location: de' })
  t.ok((await tell('update-location', { locationId: 'bbbb', name: 'eu' })).ok)
  t.equal((await create('fr')).json.error.message, 'invalid locations')
  await tell('create-location', { id: 'cccc', name: 'fr', displayName: null })
  const { id } = (await create('fr')).json.result
  t.strictSame((await world.store.get('subjects', [id]))[0]?.check?.locations, ['cccc'], 'the name means its new owner')
  t.strictSame((await world.call('GET', `${websites}/${monitor}`, { token })).json.result.locations, ['eu'])
})

t.test('location that another gateway created is named at once, and an unknown location is looked up once', async t => {
  const { world, asked, token } = await start(t)
  await world.addSubject({ id: 'website001', workspaceId: 'home000000' })
  const get = (id: string) => world.call('GET', `${websites}/${id}`, { token })
  await get('website001')
  await world.directoryBus.request(
    'ask.directory.create-location',
    { id: 'aaaa', name: 'de', displayName: null },
    { timeoutMs: 1_000 },
  )
  const subject = await world.addSubject({ id: 'website002', workspaceId: 'home000000' })
  const check = subject.check && { ...subject.check, locations: ['zzzz', 'aaaa'] }
  await world.store.upsert('subjects', [{ ...subject, check }])
  for (let i = 0; i < 5; i++) t.strictSame((await get('website002')).json.result.locations, ['de'])
  t.ok(asked.filter(verb => verb === 'list-locations').length <= 2)
})

t.test('concurrent reads of stale location names send one request, and miss no new location', async t => {
  const clock = createHandClock()
  const waiting: ((ids: string[]) => void)[] = []
  let questions = 0
  const list = () =>
    new Promise<LocationView[]>(resolve => {
      questions++
      waiting.push(ids =>
        resolve(ids.map(id => ({ id, name: `name of ${id}`, displayName: null, activeWorkers: 1, lastSeenAt: null }))),
      )
    })
  const answer = async (...ids: string[]) => {
    for (const tell of waiting.splice(0)) tell(ids)
    await new Promise(setImmediate)
  }
  const { namer } = createLocationNames(clock, list)
  const namesOf = (...ids: string[]) => Promise.all(ids.map(async id => (await namer([id], 'trace'))([id])))
  const first = namesOf('aaaa', 'aaaa', 'bbbb')
  await answer('aaaa', 'bbbb')
  t.strictSame(await first, [['name of aaaa'], ['name of aaaa'], ['name of bbbb']])
  t.equal(questions, 1)

  clock.advance(limits.http.locationNamesMs)
  const second = namesOf('aaaa', 'cccc', 'cccc')
  await answer('aaaa', 'bbbb')
  await answer('aaaa', 'bbbb', 'cccc')
  t.strictSame(await second, [['name of aaaa'], ['name of cccc'], ['name of cccc']])
  t.equal(questions, 3, 'once more for what was made while it was answered')
})

t.test('unreadable request is refused in the envelope if its path is below /api, else as plain text', async t => {
  const { world, token } = await start(t)
  const send = (text: string) => sendRaw(world, text)
  const head = `Host: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
  const long = 'a'.repeat(limits.http.headerBytes + 1)
  const cases: [title: string, text: string, answer: RegExp][] = [
    [
      'a path that is too long',
      `GET /api/v2/incidents?workspace_id=${long} HTTP/1.1\r\n${head}`,
      /^HTTP\/1.1 200 .*"code":2006,.*"Request too large"/s,
    ],
    [
      'headers that are too long',
      `GET /api/version HTTP/1.1\r\nX-Long: ${long}\r\n${head}`,
      /^HTTP\/1.1 200 .*"code":2006,.*"Request too large"/s,
    ],
    [
      'a byte that no path has',
      `GET /api/\u0001 HTTP/1.1\r\n${head}`,
      /^HTTP\/1.1 200 .*"result":null.*"code":2006,.*"Invalid request".*"meta":null/s,
    ],
    [
      'two lengths',
      `POST /api${'/v1/rules'} HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n${head}{}`,
      /^HTTP\/1.1 200 .*"code":2006,/s,
    ],
    ['another place', `GET /${long} HTTP/1.1\r\n${head}`, /^HTTP\/1.1 431 /],
    ['an API of another name', `GET /apiary/\u0001 HTTP/1.1\r\n${head}`, /^HTTP\/1.1 400 /],
    ['no HTTP', '\u0016\u0003\u0001\u0002', /^HTTP\/1.1 400 /],
    [
      'an expectation that nobody meets',
      `POST ${websites} HTTP/1.1\r\nExpect: foo\r\nContent-Length: 2\r\n${head}{}`,
      /^HTTP\/1.1 200 .*"result":null.*"code":2006,.*"Invalid request".*"meta":null/s,
    ],
    [
      'an empty expectation by the whole address',
      `GET http://x/api/version HTTP/1.1\r\nExpect:\r\n${head}`,
      /^HTTP\/1.1 200 .*"code":2006,.*"Invalid request"/s,
    ],
    ['an expectation of the API itself', `GET /api?x HTTP/1.1\r\nExpect: foo\r\n${head}`, /^HTTP\/1.1 200 .*"code":2006,/s],
    ['an expectation elsewhere', `GET /session HTTP/1.1\r\nExpect: foo\r\n${head}`, /^HTTP\/1.1 417 /],
    [
      'a chunk without a length',
      `POST ${websites} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n${head}zz\r\n`,
      /^HTTP\/1.1 200 .*"code":2006,/s,
    ],
  ]
  for (const [title, text, answer] of cases) {
    const received = await send(text)
    t.match(received, answer, title)
    t.notMatch(received, token, title)
  }
})

t.test('request without Host is served in the envelope', async t => {
  const { world, token } = await start(t)
  const authorization = `Authorization: Bearer ${token}\r\nConnection: close\r\n\r\n`
  t.match(await sendRaw(world, `GET /api/version HTTP/1.1\r\n${authorization}`), /^HTTP\/1.1 200 .*"result":"2\.0\.0"/s)
  t.match(await sendRaw(world, `GET /api/nothing HTTP/1.1\r\n${authorization}`), /^HTTP\/1.1 200 .*"code":2002,/s)
  t.match(await sendRaw(world, 'DELETE /session/keys/x HTTP/1.1\r\nOrigin: http://x\r\n\r\n', true), /^HTTP\/1.1 403 /)
})

t.test('client that waits for 100 Continue gets 100 before its response', async t => {
  const { world, token } = await start(t)
  const text = JSON.stringify(website())
  const head = `POST ${websites} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n`
  const received = await sendRaw(world, `${head}Expect: 100-continue\r\nContent-Length: ${text.length}\r\n\r\n${text}`)
  t.match(received, /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 .*"error":null/s)
})

t.test('request that arrives too slowly is refused in the envelope unless its known path is outside /api', async t => {
  const { world, token } = await start(t)
  const late = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  /** Sends the text, and advances the clock past the time limit of the request when the text has arrived. */
  const sendLate = async (text: string): Promise<string> => {
    const arrived = once(world.fastify.server, 'connection') as Promise<[Socket]>
    const answer = sendRaw(world, text)
    const [socket] = await arrived
    while (socket.bytesRead < text.length) await turns(1)
    await turns()
    world.fastify.server.emit('clientError', late, socket)
    return answer
  }
  const body = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`
  const envelope = /^HTTP\/1.1 200 .*"result":null.*"code":2006,.*"Invalid request".*did not end in time.*"meta":null/s
  t.match(await sendLate('GET /api/version HTTP/1.1\r\nHost: x\r\n'), envelope, 'headers that never end')
  t.match(await sendLate('GET /somewhere HTTP/1.1\r\nHost: x\r\n'), envelope, 'whose path is not known yet')
  t.match(await sendLate(`POST ${websites} ${body}`), envelope, 'a body that never ends')
  t.match(await sendLate(`POST /elsewhere HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{`), /^HTTP\/1.1 404 /)
  const origin = `Origin: http://x\r\n`
  const signIn = `POST /session/sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${origin}Content-Length: 9\r\n\r\n{`
  t.match(await sendLate(signIn), /^HTTP\/1.1 408 /, 'a body of the session API')
  t.match(await sendLate(''), /^HTTP\/1.1 408 /, 'a connection that sent nothing has asked nothing')
})

t.test('unreadable request is refused after the responses to earlier requests, and each response is sent once', async t => {
  const { world, token } = await start(t)
  const head = `Host: x\r\nAuthorization: Bearer ${token}\r\n`
  const monitors = `GET ${websites}?workspace_id=home000000 HTTP/1.1\r\n${head}\r\n`
  const twoLengths = `POST ${websites} HTTP/1.1\r\n${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`
  const asset = `GET /api/openapi/swagger-ui.css HTTP/1.1\r\n${head}\r\n`
  const badChunk = (path: string) => `POST ${path} HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`
  const statuses = (text: string) => text.match(/HTTP\/1.1 \d+|"error":(?:null|{"code":\d+)/g)
  const [ok, invalid] = [
    ['HTTP/1.1 200', '"error":null'],
    ['HTTP/1.1 200', '"error":{"code":2006'],
  ]
  t.strictSame(statuses(await sendRaw(world, `${monitors}${monitors}${twoLengths}`)), [...ok, ...ok, ...invalid])
  t.strictSame(statuses(await sendRaw(world, `${monitors}${badChunk(websites)}`)), [...ok, ...invalid])
  t.ok(/^HTTP\/1.1 200 .*\r\n0\r\n\r\nHTTP\/1.1 400 /s.test(await sendRaw(world, `${asset}garbage`)), 'a long answer comes whole')

  const answered = connect(Number(new URL(world.address).port), '127.0.0.1')
  answered.write(`POST /elsewhere HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n`)
  const [first] = (await once(answered, 'data')) as [Buffer]
  let rest = ''
  answered.on('data', data => {
    rest += String(data)
  })
  answered.on('error', () => undefined)
  answered.write('zz\r\n')
  await once(answered, 'close')
  t.match(String(first), /^HTTP\/1.1 404 /)
  t.equal(rest, '', 'of a request that has its answer, a body that cannot be read ends the connection')
})

t.test('unreadable request gets the refusal for its own path when it shares a packet with another request', async t => {
  const { world, token } = await start(t)
  const head = `Host: x\r\nAuthorization: Bearer ${token}\r\n`
  const before = (path: string) => [
    `GET ${path} HTTP/1.1\r\n${head}\r\n`,
    `POST ${path} HTTP/1.1\r\n${head}Content-Length: 2\r\n\r\n{}`,
  ]
  const twoLengths = (path: string) => `POST ${path} HTTP/1.1\r\n${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`
  const tooLarge = (path: string) => `GET ${path} HTTP/1.1\r\n${head}X: ${'a'.repeat(limits.http.headerBytes)}\r\n\r\n`
  const lastOf = async (text: string) => (await sendRaw(world, text)).split('HTTP/1.1 ').at(-1)
  for (const first of before('/elsewhere')) {
    t.match(await lastOf(first + twoLengths(websites)), /^200 .*"code":2006,.*"Invalid request"/s)
    t.match(await lastOf(first + tooLarge(websites)), /^200 .*"code":2006,.*"Request too large"/s)
  }
  for (const first of before(websites)) {
    t.match(await lastOf(first + twoLengths('/elsewhere')), /^400 /)
    t.match(await lastOf(first + tooLarge('/elsewhere')), /^431 /)
  }
})

t.test('request that arrives too slowly is refused within two seconds after its time limit', async t => {
  const { world } = await start(t)
  world.fastify.server.headersTimeout = 1
  const began = performance.now()
  t.match(await sendRaw(world, 'GET /api/version HTTP/1.1\r\nHost: x\r\n'), /did not end in time/)
  t.ok(performance.now() - began < 5_000)
})

t.test('client that does not read its response is disconnected', async t => {
  const { world } = await start(t)
  const arrived = once(world.fastify.server, 'connection') as Promise<[Socket]>
  const client = connect(Number(new URL(world.address).port), '127.0.0.1').pause()
  t.teardown(() => client.destroy())
  client.write('GET /api/openapi/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(10))
  const [socket] = await arrived
  while (socket.writableLength === 0) await turns(1)
  t.equal(socket.timeout, limits.http.stalledMs)
  socket.emit('timeout')
  t.ok(socket.destroyed)
})

t.test('responses are counted by route and code, never by the path of the request', async t => {
  const { world, token } = await start(t)
  await version(world, token)
  await version(world, 'x')
  await world.call('GET', `${websites}/website001`, { token })
  await world.call('GET', '/api/secret-path', { token })
  const text = await world.metrics.metrics()
  t.match(text, 'watchkeeper_gateway_requests_total{route="/api/version",code="ok"} 1')
  t.match(text, 'watchkeeper_gateway_requests_total{route="/api/version",code="1003"} 1')
  t.match(text, 'watchkeeper_gateway_requests_total{route="/api/v2/monitoring/websites/:id",code="2002"} 1')
  t.notMatch(text, 'secret-path')
  t.notMatch(text, 'code="0"')
})

t.test('missing page, refused session and disconnected client are not counted with code 200', async t => {
  const { world, token } = await start(t)
  await world.call('GET', '/nowhere')
  await world.call('GET', '/session/keys')
  world.fastify.server.once('request', (_request, response) => response.emit('error', new Error('the client is gone')))
  await world.call('GET', '/api/version', { token })
  const counted = (await world.metrics.metrics())
    .split('\n')
    .filter(line => line.startsWith('watchkeeper_gateway_requests_total{'))
  const wanted = ['route="unknown",code="404"', 'route="/session/keys",code="401"', 'route="/api/version",code="none"']
  t.strictSame(
    counted,
    wanted.map(labels => `watchkeeper_gateway_requests_total{${labels}} 1`),
  )
})

/** Returns the bytes of a socket as soon as they hold the given number of envelopes of successes or refusals. */
function received(socket: Socket, envelopes: number): Promise<string> {
  let text = ''
  return new Promise(resolve =>
    socket.on('data', data => {
      text += String(data)
      if ((text.match(/"meta":null/g) ?? []).length === envelopes) resolve(text)
    }),
  )
}

t.test('connection stays usable after refusals, and a refused body does not affect the next request', async t => {
  const { world, token } = await start(t)
  const socket = connect(Number(new URL(world.address).port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  const answers = received(socket, 2)
  const head = (line: string, length: number) =>
    `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${length}\r\n\r\n`
  socket.write(`${head('POST /api/nothing', 5)}{brok${head('GET /api/version', 0)}`)
  t.match(await answers, /"code":2002.*"result":"2\.0\.0"/s)
})

t.test('each request of a connection has the rights of its own key', async t => {
  const { world, token } = await start(t)
  const socket = connect(Number(new URL(world.address).port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  const answers = received(socket, 6)
  const sent = [`Bearer ${token}`, `Bearer ${makeToken()}`, `Bearer ${token}`, 'Basic x', `bearer ${token}`, 'Bearer x']
  const ask = (authorization: string) => `GET /api/version HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`
  socket.write(sent.map(ask).join(''))
  const codes = [...(await answers).matchAll(/"error":(?:null|\{"code":(\d+))/g)].map(found => Number(found[1] ?? 0))
  t.strictSame(codes, [0, 1003, 0, 1002, 0, 1003])
})

t.test('oversized body is refused before it has arrived completely, and its connection is closed', async t => {
  const { world, token } = await start(t)
  await version(world, token)
  const socket = connect(Number(new URL(world.address).port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  let received = ''
  const ended = new Promise<void>(resolve =>
    socket
      .on('data', data => {
        received += String(data)
      })
      .on('close', () => resolve()),
  )
  socket.on('error', () => undefined)
  socket.write(`POST ${websites} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 1000000000\r\n\r\n`)
  for (let sent = 0; sent <= limits.http.discardBytes; sent += 1024 * 1024) socket.write(Buffer.alloc(1024 * 1024, ' '))
  await ended
  t.match(received, /"code":2006.*"message":"Request too large"/s)
  t.match(received, /^connection: close/im)
})

t.test('route without a body closes the connection at an oversized body, and refuses a broken body like any body', async t => {
  const headers: Record<string, string> = {}
  const header = (name: string, value: string) => Object.assign(headers, { [name]: value })
  const reply = { header, raw: new PassThrough() } as unknown as FastifyReply
  const bodies = { begin: () => ({ keep: () => {}, complete: () => {}, release: () => {} }) }
  const refused = (raw: PassThrough) =>
    t.rejects(requireNoBody({ raw, bodies } as unknown as FastifyRequest, reply), { message: 'This request takes no body' })
  const broken = new PassThrough()
  const refusal = refused(broken)
  broken.destroy()
  await refusal
  await refused(broken)
  t.strictSame(headers, {})
  const endless = new PassThrough()
  for (let sent = 0; sent <= limits.http.discardBytes; sent += 1024 * 1024) endless.write(Buffer.alloc(1024 * 1024))
  await refused(endless)
  t.strictSame(headers, { connection: 'close' })
  t.notOk(endless.destroyed, 'its connection carries the refusal')
})

t.test('stop finishes running requests and accepts no further connection', async t => {
  const { world, token } = await start(t)
  await version(world, token)
  const { port } = new URL(world.address)
  const held = holdCommands(world)
  const running = world.call('POST', websites, { token, body: website() })
  const release = await held
  const stopped = world.gateway.stop()
  release()
  t.equal((await running).json.error.message, 'late')
  await stopped
  await t.rejects(fetch(`http://127.0.0.1:${port}/api/version`))
})

t.test('stop closes idle connections at once and is not delayed by new requests', async t => {
  const { world, token, keyId } = await start(t)
  const port = Number(new URL(world.address).port)
  const ask = (line: string, body = '') =>
    `${line} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const open = async (sent: string) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    t.teardown(() => socket.destroy())
    await once(socket, 'connect')
    const text: string[] = []
    socket.on('data', data => text.push(String(data)))
    const closed = once(socket, 'close')
    if (sent !== '') {
      socket.write(sent)
      await once(socket, 'data')
    }
    return { socket, text: () => text.join(''), closed }
  }
  const [mute, idle, asking] = await Promise.all([open(''), open(ask('GET /api/version')), open(ask('GET /api/version'))])
  const held = holdCommands(world)
  asking.socket.write(ask(`POST ${websites}`, JSON.stringify(website())))
  const release = await held
  let isStopped = false
  const stopped = world.gateway.stop().then(() => {
    isStopped = true
  })
  await Promise.all([mute.closed, idle.closed])
  t.notOk(isStopped, 'the one that was asked goes on')
  world.clock.advance(limits.http.drainMs - 1)
  release()
  asking.socket.on('data', () => asking.socket.write(ask('GET /api/version')))
  await Promise.all([asking.closed, stopped])
  t.match(asking.text(), /connection: close[\s\S]*late/i)
  t.equal(asking.text().split('HTTP/1.1').length, 3, 'and nothing after it is answered on that connection')
  t.ok((await world.store.get('keys', [keyId]))[0]?.lastUsedAt, 'what comes after the connections was done')
})

t.test('longest possible stop of the gateway takes at most three quarters of `serviceStopMs`', async t => {
  t.ok(limits.http.drainMs + limits.key.lastTouchMs <= 0.75 * limits.start.serviceStopMs)
})

/** Leaves the next command without a response. Resolves when the command has arrived, with the function that sends the response. */
function holdCommands(world: ApiWorld): Promise<() => void> {
  world.keeper.trouble = 'silence'
  return new Promise(resolve => {
    void world.hub.connect().subscribe('cmd.*.*', message => {
      resolve(() => message.respond({ ok: false, error: { code: 'validation', message: 'late', details: '' } }))
    })
  })
}

/** Sends a request without its last byte. */
function sendAllButTheEnd(world: ApiWorld, path: string, token: string, body: object) {
  const text = JSON.stringify(body)
  const socket = connect(Number(new URL(world.address).port), '127.0.0.1')
  const answered = new Promise<string>(resolve => socket.once('data', data => resolve(String(data))))
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${text.length}\r\n\r\n`)
  socket.write(text.slice(0, -1))
  const end = () => {
    socket.write(text.slice(-1))
    return answered
  }
  /** `reading` resolves after the checks that need no body have passed. */
  return { socket, reading: bodyIsRead(world.fastify.server), answered, end }
}

/** Sends the text on a new connection, and returns all bytes that arrive until the connection closes. */
function sendRaw(world: ApiWorld, text: string, isEnded = false): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(Number(new URL(world.address).port), '127.0.0.1', () => {
      socket.write(text)
      if (isEnded) socket.end()
    })
    let received = ''
    socket.on('data', data => {
      received += String(data)
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(received))
  })
}

/** Waits some turns of the event loop, in which real sockets and promises deliver sent data. */
async function turns(count = 20): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise(resolve => setImmediate(resolve))
}

/** Advances the clock until the response has arrived. */
async function advancingUntil<T>(world: ApiWorld, answer: Promise<T>): Promise<T> {
  let done = false
  void answer.finally(() => {
    done = true
  })
  await turns(50)
  for (let i = 0; i < 1_000 && !done; i++) {
    await turns(5)
    if (!done) world.clock.advance(50)
  }
  return answer
}
