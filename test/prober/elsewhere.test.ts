// Probers on other machines, on a real nats-server with keys. Calls of a plain NATS client test the rights of the credentials and the
// revocation. Probers of one location take over monitors from each other.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { AckPolicy, jetstreamManager } from '@nats-io/jetstream'
import { connect, headers as createHeaders, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { createDirectoryClient, createKeeperClient } from '#shared/bus/clients/clients.ts'
import { connectBus } from '#shared/bus/nats/nats.ts'
import { serversOf } from '#shared/bus/nats/nats-options.ts'
import { type Bus, BusError } from '#shared/bus/port.ts'
import { type BusKeys, locationAccountClaims, makeBusKeys } from '#shared/bus/probers/bus-keys.ts'
import { claimsOfCredentials } from '#shared/bus/probers/nats-jwt.ts'
import { createProberIssuer, type ProberIssuer } from '#shared/bus/probers/prober-issuer.ts'
import { keys, parseObservation, subjects } from '#shared/bus/subjects.ts'
import type { CheckResult } from '#shared/contracts/observations/check.ts'
import type { Changes } from '#shared/contracts/observations/door.ts'
import type { Command } from '#shared/contracts/subjects/command.ts'
import { AppError } from '#shared/errors.ts'
import { doorLimits } from '#shared/limits/door-limits.ts'
import { limits } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { parseCheckObservationId, randomId } from '#shared/text/ids.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { type NatsServer, obtainNatsServer, startNatsServer } from '../../infra/runtime/bus/nats-server.ts'
import { startDirectory } from '../../services/directory/app.ts'
import { createAnnouncer } from '../../services/directory/locations/announce-revocations.ts'
import { collector } from '../bus/contract.ts'
import { eventually, runProgram } from '../infra/run-program.ts'
import { startProgram } from '../integration/system.ts'
import { toolsFolder } from '../support/bus/nats.ts'
import { websiteCheck } from '../support/checks.ts'
import { freePort } from '../support/free-ports.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { certificates } from './certificates.ts'

const logger = createLogger('silent')
const clock = createSystemClock()
t.teardown(() => clock.stop())

interface GuardedBus {
  keys: BusKeys
  url: string
  issuer: ProberIssuer
  house: Bus
  /** A bus with the credentials of a file, as a prober opens it. */
  asProber(credentials: string): Promise<Bus>
  /** A client of NATS without the code of the bus. */
  bare(credentials: string): Promise<NatsConnection>
  restart(options?: { forgetAccounts: boolean }): Promise<void>
}

/** A nats-server with keys, and the installation connected to it. */
async function startGuardedBus(t: Test): Promise<GuardedBus> {
  const dataFolder = t.testdir({})
  const keys = makeBusKeys(clock.now())
  const binary = await obtainNatsServer({ toolsFolder, log: () => undefined })
  let server: NatsServer = await startNatsServer({ binary, dataFolder, port: 0, keys })
  const { url } = server
  const opened: { close(): Promise<unknown> }[] = []
  t.teardown(async () => {
    await Promise.all(opened.map(connection => connection.close()))
    await server.stop()
  })
  const open = async (credentials: string, declare: boolean): Promise<Bus> => {
    const credentialsFile = join(dataFolder, `${randomId(8)}.creds`)
    writeFileSync(credentialsFile, credentials)
    const bus = await connectBus({ servers: url, name: 'test', credentialsFile, patienceMs: 5_000, logger, declare })
    opened.push(bus)
    return bus
  }
  return {
    keys,
    url,
    issuer: createProberIssuer({ keys, connection: serversOf(url), clock }),
    house: await open(keys.houseCredentials, true),
    // Opens a connection that also tries the declarations of streams, which a prober may not make.
    asProber: credentials => open(credentials, true),
    bare: async credentials => {
      const authenticator = credsAuthenticator(new TextEncoder().encode(credentials))
      const publicKey = claimsOfCredentials(credentials)?.sub
      const connection = await connect({ servers: url, authenticator, inboxPrefix: `_INBOX_${publicKey}`, reconnect: false })
      opened.push(connection)
      return connection
    },
    restart: async ({ forgetAccounts } = { forgetAccounts: false }) => {
      const port = Number(new URL(url).port)
      await server.stop()
      if (forgetAccounts) rmSync(join(dataFolder, 'bus', 'accounts'), { recursive: true })
      server = await startNatsServer({ binary, dataFolder, port, keys })
    },
  }
}

/** Resolves with the kind of the error, or with `answered`. */
const outcome = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    (error: Error) => (error as BusError).kind ?? error.name,
  )

/** A directory with two locations on this bus. */
async function openDoors(t: Test, guarded: GuardedBus) {
  const store = createMemoryStore()
  const location = { rev: 1, displayName: null, createdAt: 1 }
  await store.insert('locations', [
    { ...location, id: 'loc1', name: 'hamburg' },
    { ...location, id: 'loc2', name: 'berlin' },
  ])
  const { ask, service, metrics } = await directoryOn(t, guarded, store)
  const credentialsOf = (id: string, locationName: string) =>
    ask('create-prober-credential', { id, locationName, description: '' })
  return { store, ask, service, metrics, credentialsOf }
}

t.test('credentials of a location permit only the requests of its probers', async t => {
  const guarded = await startGuardedBus(t)
  const { house } = guarded
  const { credentialsOf, metrics } = await openDoors(t, guarded)
  const { credentials } = await credentialsOf('first', 'hamburg')
  const neighbour = await credentialsOf('second', 'hamburg')
  const elsewhere = await credentialsOf('third', 'berlin')
  await house.bucket('checks').put('loc1.1.mine', { n: 1 })
  await house.bucket('checks').put('loc2.1.theirs', { n: 2 })
  await house.bucket('presence').put('prober.loc2.p9', { n: 2 })
  await house.bucket('presence').put('keeper.k1', { n: 3 })
  await house.bucket('leases').put('p.1', { holder: 'k1' })

  t.test('credentials permit every request that a prober sends', async t => {
    const prober = await guarded.asProber(credentials)
    const seen = collector<string>()
    const watch = await prober.bucket('checks').watch('loc1.>', {
      onEntry: ({ key, value }) => seen.add(`${key.split('.')[2]}=${JSON.stringify(value)}`),
      onReady: () => seen.add('ready'),
    })
    await seen.reached(2)
    await house.bucket('checks').put(keys.check('loc1', 'more'), { n: 5 })
    await house.bucket('checks').put('loc2.1.other', { n: 6 })
    await house.bucket('checks').delete('loc1.1.mine')
    await seen.reached(4)
    t.strictSame(seen.items, ['mine={"n":1}', 'ready', 'more={"n":5}', 'mine=null'], 'its own, and nothing of others')
    await watch.close()
    const members = collector<string>()
    await prober
      .bucket('presence')
      .watch('prober.loc1.*', { onEntry: ({ key, value }) => members.add(`${key}: ${value !== null}`) })
    await prober.bucket('presence').put('prober.loc1.p1', state)
    const other = await guarded.asProber(neighbour.credentials)
    await other.bucket('presence').put('prober.loc1.p2', state)
    await eventually('it hears of the other', async () => {
      await prober.bucket('presence').put('prober.loc1.p1', state)
      return members.items.includes('prober.loc1.p2: true')
    })
    await other.bucket('presence').delete('prober.loc1.p2')
    await eventually('it hears that the other left', async () => {
      await prober.bucket('presence').put('prober.loc1.p1', state)
      return members.items.includes('prober.loc1.p2: false')
    })
    await prober.bucket('presence').delete('prober.loc1.p1')
    t.strictSame(await house.bucket('presence').list('prober.loc1.*'), [])
    await prober.observations.publish(subjects.observation('loc1', 'x'), result)
    const { lastSequence } = await house.observations.state()
    t.ok(lastSequence > 0)
    const { aheadMs, roundTripMs } = await prober.clockOffset(() => clock.now())
    t.ok(Math.abs(aheadMs) <= roundTripMs, `${aheadMs} of ${roundTripMs}`)
  })

  t.test('credentials refuse every other request, and nothing changes', async t => {
    const prober = await guarded.bare(credentials)
    const before = await house.observations.state()
    const heard: string[] = []
    for (const subject of ['cmd.>', 'ask.>', 'nudge.>', 'state.>', 'notify.>']) {
      await house.subscribe(subject, message => void heard.push(`${subject}: ${message.subject}`))
    }
    for (const [what, subject] of Object.entries(refused)) {
      const denied = await outcome(prober.request(subject, '{}', { timeout: 500, noMux: false }))
      t.not(denied, 'answered', `${what}: ${denied}`)
    }
    const doorOf = async (locationId: string) =>
      prober.request(`door.${locationId}.members`, '{}', { timeout: 500, noMux: false }).then(
        () => 'answered',
        (error: Error) => `${error.name}: ${error.message.replaceAll(locationId, '')}`,
      )
    t.equal(await doorOf('loc2'), await doorOf('loc9'), 'a location that exists is refused as one that does not')
    await house.request('nobody', {}, { timeoutMs: 1_000 }).catch(() => undefined)
    t.strictSame(heard, [])
    t.equal((await house.observations.state()).lastSequence, before.lastSequence)
    t.strictSame((await house.bucket('checks').get('loc2.1.theirs'))?.value, { n: 2 })
    t.strictSame((await house.bucket('presence').get('prober.loc2.p9'))?.value, { n: 2 })
    t.strictSame((await house.bucket('leases').get('p.1'))?.value, { holder: 'k1' })
  })

  t.test('prober at its own door reaches only its own location, whatever its messages claim', async t => {
    const prober = await guarded.bare(credentials)
    const ask = async (verb: string, body: unknown) =>
      (
        await prober.request(`door.loc1.${verb}`, typeof body === 'string' ? body : JSON.stringify(body), { timeout: 5_000 })
      ).json<{
        ok: boolean
        error?: { code: string }
      }>()
    const before = await house.observations.state()
    for (const [verb, body] of [
      ['nothing', {}],
      ['toString', {}],
      ['report', 'no JSON'],
      ['report', { reports: 'none' }],
      ['report', { reports: Array.from({ length: doorLimits.reports + 1 }, () => ['x', result]) }],
      ['beat', { proberId: 'a.b', state }],
      ['beat', { proberId: 'p1', state: { ...state, more: 'x'.repeat(10_000) } }],
      ['leave', { proberId: '>' }],
      ['entries', { of: 'checks', after: { stream: 'x', revision: -1 } }],
    ] as const) {
      t.match(
        await ask(verb, body),
        { ok: false, error: { code: /malformed|not_found/ } },
        `${verb} ${JSON.stringify(body).slice(0, 60)}`,
      )
    }
    const junk = [
      ['../x', result],
      ['a.b', result],
      ['x', { ...result, rev: 0 }],
      'x',
      ['x', result, 'more'],
      ['x'.repeat(65), result],
    ]
    t.match(await ask('report', { reports: junk }), { ok: true, result: { dropped: junk.length } })
    await ask('leave', { proberId: 'p9' })
    const known = (await ask('entries', { of: 'checks', after: { stream: 'another', revision: 1e9 } })) as unknown as {
      result: Changes
    }
    t.strictSame(
      known.result.changes.filter(change => 'subjectId' in change && change.subjectId === 'theirs'),
      [],
    )
    t.equal((await house.observations.state()).lastSequence, before.lastSequence)
    t.strictSame((await house.bucket('presence').get('prober.loc2.p9'))?.value, { n: 2 })
    t.match(await metrics.metrics(), /watchkeeper_directory_junk_reports_total\{location="hamburg"\} 6/)
  })

  t.test('prober receives neither replies to other clients nor messages of other clients', async t => {
    const errors: string[] = []
    const heard: string[] = []
    const wanted = ['_INBOX.>', `_INBOX_${neighbour.publicKey}.>`, '>', 'cmd.>', 'obs.>', '$KV.>', '$JS.ACK.>', '_R_.>', 'door.>']
    for (const subject of wanted) {
      const prober = await guarded.bare(credentials)
      const callback = (error: Error | null, message: { subject: string }) =>
        void (error ? errors.push(error.name) : heard.push(message.subject))
      prober.subscribe(subject, { callback: callback as never })
      await prober.flush()
    }
    const other = await guarded.asProber(neighbour.credentials)
    await other.observations.publish('obs.1.loc1.y', result)
    await other.bucket('checks').watch('loc1.>', { onEntry: () => undefined })
    await house.subscribe('echo', message => message.respond(1))
    await house.request('echo', {}, { timeoutMs: 1_000 })
    await eventually('each was refused', () => errors.length === wanted.length)
    t.strictSame([...new Set(errors)], ['PermissionViolationError'])
    t.strictSame(heard, [])
  })

  t.test('response reaches any inbox of its own account, and no other account or location', async t => {
    const prober = await guarded.bare(credentials)
    const far = await guarded.bare(elsewhere.credentials)
    const heard: string[] = []
    for (const subject of ['cmd.>', 'notify.>', 'nudge.alert', 'ask.>', 'obs.>', '$KV.leases.>', '$KV.checks.>']) {
      await house.subscribe(subject, message => void heard.push(message.subject))
    }
    const inbox = `_INBOX_${elsewhere.publicKey}.known`
    far.subscribe(inbox, { callback: (_, message) => void heard.push(message.subject) })
    await far.flush()
    const { lastSequence } = await house.observations.state()
    for (const reply of [
      'cmd.1.x',
      subjects.testMessage,
      subjects.alertNudge,
      '$KV.leases.p.1',
      '$KV.checks.loc2.1.theirs',
      'obs.1.loc2.x',
      inbox,
    ]) {
      prober.publish('door.loc1.members', '{}', { reply })
    }
    for (const [name, value] of Object.entries(headers)) {
      const set = createHeaders()
      set.set(name, value)
      prober.publish('door.loc1.beat', JSON.stringify({ proberId: 'evil', state }), { headers: set })
    }
    // The directory handles these requests in order: a response proves that all earlier requests are done.
    t.match((await prober.request('door.loc1.members', '{}', { timeout: 5_000 })).json(), { ok: true })
    await eventually('the beats are there', async () => (await house.bucket('presence').get('prober.loc1.evil')) !== null)
    await far.flush()
    t.strictSame(heard, [])
    t.equal((await house.observations.state()).lastSequence, lastSequence)
    t.strictSame((await house.bucket('checks').get('loc2.1.theirs'))?.value, { n: 2 })
    t.strictSame((await house.bucket('presence').get('keeper.k1'))?.value, { n: 3 })
    t.strictSame((await house.bucket('leases').get('p.1'))?.value, { holder: 'k1' })
  })

  t.test('each location has its own bounds of connections, subscriptions and messages', async t => {
    const opened: NatsConnection[] = []
    const full = await (async () => {
      for (;;) opened.push(await guarded.bare(credentials))
    })().catch(error => error as Error)
    t.match(full.message, /maximum account active connections exceeded|EPIPE|ECONNRESET/)
    t.ok(opened.length < limits.prober.connectionsPerLocation)
    const far = await guarded.bare(elsewhere.credentials)
    t.notOk(far.isClosed(), 'another location comes in')
    await Promise.all(opened.map(connection => connection.close()))
    const prober = await guarded.bare(credentials)
    // The server sends the bounds of an account in a second INFO, after the connection is open.
    await prober.flush()
    t.equal(prober.info?.max_payload, limits.prober.payloadBytes)
    const second = await guarded.bare(credentials)
    const inbox = `_INBOX_${claimsOfCredentials(credentials)?.sub}`
    const heard = [0, 0]
    for (const n of [0, 1]) second.subscribe(`${inbox}.x`, { callback: () => void heard[n]!++ })
    for (let n = 0; n < 3; n++) second.publish('door.loc1.members', '{}', { reply: `${inbox}.x` })
    await eventually('the answers came', () => heard[0] === 3)
    t.strictSame(heard, [3, 0], 'what it gets is told it once')
    t.notOk(prober.isClosed())
  })
})

const state = { version: '2.0.0', inFlight: 0, buffered: 0, shed: 0 }
const phases = { dnsMs: 1, connectMs: 1, tlsMs: null, firstByteMs: 1, totalMs: 3 }
const result: CheckResult = { rev: 1, slotAt: 1, ageMs: 0, ok: true, error: null, statusCode: 200, phases }

/** Headers that make a nats-server do more than deliver the message. */
const headers = {
  'Nats-Rollup': 'all',
  'Nats-TTL': '1s',
  'Nats-Msg-Id': 'x',
  'Nats-Expected-Stream': 'KV_leases',
  'Nats-Expected-Last-Subject-Sequence': '0',
  'Nats-Schedule': '@every 1s',
  'Nats-Schedule-Target': 'cmd.1.x',
  'Nats-Trace-Dest': 'cmd.1.x',
  'KV-Operation': 'PURGE',
}

/** Subjects to which the prober may not even send. */
const refused: Record<string, string> = {
  'a report past its door': 'obs.1.loc1.x',
  'a report for another location': 'obs.1.loc2.x',
  'the door of another location': 'door.loc2.report',
  'the doors of all': 'door.*.report',
  'a check entry of its own location': '$KV.checks.loc1.1.mine',
  'a check entry of another location': '$KV.checks.loc2.1.theirs',
  'its own presence past its door': '$KV.presence.prober.loc1.p1',
  'the presence of a prober elsewhere': '$KV.presence.prober.loc2.p9',
  'the presence of a keeper': '$KV.presence.keeper.k1',
  'a lease': '$KV.leases.p.1',
  'a revocation of a key': '$KV.revocations.key.k1',
  'a command': 'cmd.1.x',
  'a question to the directory': 'ask.directory.list-keys',
  'a nudge': subjects.alertNudge,
  'a nudge to the directories': subjects.doorNudge,
  'a test message': subjects.testMessage,
  "the house's administration": '$JS.API.STREAM.INFO.KV_checks',
  'the administration of before': 'HOUSE.API.STREAM.INFO.KV_checks',
  'a consumer of its checks': '$JS.API.CONSUMER.CREATE.KV_checks.c1.$KV.checks.loc1.>',
  'a consumer of its presence': '$JS.API.CONSUMER.CREATE.KV_presence.c1.$KV.presence.prober.loc1.*',
  'a durable consumer': '$JS.API.CONSUMER.DURABLE.CREATE.KV_checks.c1',
  'messages of a consumer': '$JS.API.CONSUMER.MSG.NEXT.KV_checks.c1',
  'one check by its key': '$JS.API.DIRECT.GET.KV_checks',
  'one check by its sequence': '$JS.API.STREAM.MSG.GET.KV_checks',
  'the state of its account': '$JS.API.INFO',
  'a stream of its own': '$JS.API.STREAM.CREATE.mine',
  'purging the observations': '$JS.API.STREAM.PURGE.OBSERVATIONS',
  'removing a bucket': '$JS.API.STREAM.DELETE.KV_checks',
  'an acknowledgement': '$JS.ACK.OBSERVATIONS.c.1.1.1.1.1',
  'an account as the system does': '$SYS.REQ.CLAIMS.UPDATE',
  'who is connected': '$SYS.REQ.ACCOUNT.PING.CONNZ',
  'the inbox of another prober': '_INBOX_UAAA.x.1',
}

/** A directory on this bus; `store` outlives the directory. */
async function directoryOn(t: Test, guarded: GuardedBus, store: Store, issuer: ProberIssuer | null = guarded.issuer) {
  const metrics = new Registry()
  const context = { bus: guarded.house, clock, store, logger: pino({ level: 'silent' }), metrics }
  const service = await startDirectory(context, { proberIssuer: issuer, queue: randomId(6) })
  t.teardown(() => service.stop())
  return { service, metrics, ask: createDirectoryClient(guarded.house, clock).ask }
}

t.test('directory creates, lists and revokes credentials', async t => {
  const guarded = await startGuardedBus(t)
  const store = createMemoryStore()
  const { ask, service } = await directoryOn(t, guarded, store)
  await ask('ensure-location', { name: 'de' })
  const make = (id: string, description = '') => ask('create-prober-credential', { id, locationName: 'de', description })
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: { code: string; message: string; details: string }) => ({ code: error.code, details: error.details }),
    )

  t.test('repeated creation with the same id returns the same file', async t => {
    const made = await make('aaaa', 'for the shelf')
    t.strictSame(await make('aaaa', 'for the shelf'), made)
    const stored = JSON.stringify(await store.find('proberCredentials', { limit: 10 }))
    const seed = /^SU[A-Z2-7]{56}$/m.exec(made.credentials)?.[0] ?? ''
    t.not(seed, '')
    t.notOk(stored.includes(seed), 'the secret is stored nowhere')
    const { credentials: _, ...shown } = made
    t.strictSame(await ask('list-prober-credentials', {}), [shown])
    t.match(shown, { locationName: 'de', description: 'for the shelf', revokedAt: null })
  })

  t.test('invalid request is refused with a readable message and not stored', async t => {
    const before = await store.count('proberCredentials', {})
    const nowhere = { id: 'nnnn', locationName: 'nowhere', description: '' }
    t.strictSame(await refusal(ask('create-prober-credential', nowhere)), {
      code: 'not_found',
      details: 'There is no location "nowhere"',
    })
    const long = { id: 'nnnn', locationName: 'de', description: 'x'.repeat(limits.prober.descriptionCharacters + 1) }
    t.match(await refusal(ask('create-prober-credential', long)), { code: 'validation', details: /at most 200 characters/ })
    t.match(await refusal(ask('delete-prober-credential', { credentialId: 'nnnn' })), { code: 'not_found' })
    t.equal(await store.count('proberCredentials', {}), before)
  })

  t.test('revoked credential is disconnected, and refused after restarts of the bus', async t => {
    const made = await make('bbbb')
    const prober = await guarded.bare(made.credentials)
    const other = await guarded.bare((await make('cccc')).credentials)
    const administration = await jetstreamManager(await guarded.bare(guarded.keys.houseCredentials))
    await administration.consumers.add('KV_checks', { durable_name: 'foreign', ack_policy: AckPolicy.Explicit })
    const revokedAt = performance.now()
    const revoked = await ask('delete-prober-credential', { credentialId: 'bbbb' })
    const left: string[] = []
    for await (const { name } of administration.consumers.list('KV_checks')) left.push(name)
    t.notOk(left.includes('foreign'), 'a consumer that no process of ours made is removed by then')
    await prober.closed()
    const tookMs = performance.now() - revokedAt
    t.comment(`cut off after ${Math.round(tookMs)} ms`)
    t.ok(revoked.revokedAt)
    t.strictSame(await ask('delete-prober-credential', { credentialId: 'bbbb' }), revoked, 'a repeat answers the same')
    t.match(await refusal(make('bbbb')), { code: 'invalid_state' }, 'its id makes no new ones')
    await t.rejects(guarded.bare(made.credentials), 'it does not come in again')
    t.notOk(other.isClosed(), 'others go on')
    await guarded.restart()
    await t.rejects(guarded.bare(made.credentials), 'nor after a restart')
    await guarded.restart({ forgetAccounts: true })
    const stillIn = async () =>
      guarded.bare(made.credentials).then(
        connection => connection.close().then(() => true),
        () => false,
      )
    await eventually('nor where the server has lost what it was told', async () => !(await stillIn()))
    const again = await guarded.bare((await make('cccc')).credentials)
    t.notOk(again.isClosed())
  })

  t.test('all credentials are refused after two directories have revoked them concurrently', async t => {
    const second = await directoryOn(t, guarded, store)
    const ids = Array.from({ length: 6 }, (_, i) => `many${i}`)
    /** Retries as a caller does: a busy machine may take longer than the timeout of one request. */
    const retried = async <T>(work: () => Promise<T>): Promise<T> =>
      work().catch(error => {
        if (error instanceof AppError && error.retryable) return retried(work)
        throw error
      })
    const made = await Promise.all(ids.map(id => retried(() => make(id))))
    const revoke = (credentialId: string, by: typeof ask) => retried(() => by('delete-prober-credential', { credentialId }))
    await Promise.all(ids.map((id, i) => revoke(id, i % 2 ? ask : second.ask)))
    for (const { credentials } of made) await t.rejects(guarded.bare(credentials))
    await second.service.stop()
  })

  t.test('next directory announces a revocation when a directory died after storing it', async t => {
    const made = await make('dddd')
    await service.stop()
    const [document] = await store.get('proberCredentials', ['dddd'])
    await store.replace('proberCredentials', [{ ...document!, rev: 2, revokedAt: clock.now() }])
    const prober = await guarded.bare(made.credentials)
    await directoryOn(t, guarded, store)
    await prober.closed()
    t.pass('the next start told the bus')
  })

  t.test('creation of credentials is refused, and names the missing setting, when the bus has no keys', async t => {
    const bare = await startGuardedBus(t)
    const { ask } = await directoryOn(t, bare, createMemoryStore(), null)
    await ask('ensure-location', { name: 'de' })
    const refused = await refusal(ask('create-prober-credential', { id: 'aaaa', locationName: 'de', description: '' }))
    t.match(refused, { code: 'invalid_state', details: /NATS_KEYS/ })
  })
})

t.test('last of two concurrent announcements has every revocation', async t => {
  const store = createMemoryStore()
  const document = { rev: 1, locationId: 'loc1', description: '', createdAt: 1 }
  await store.insert('proberCredentials', [{ ...document, id: 'one', publicKey: 'ONE', revokedAt: 2 }])
  const announced: string[] = []
  /** Holds the first announcement until the test releases it. */
  const gate = Promise.withResolvers<void>()
  const issuer = (name: string, wait: Promise<void> | null): ProberIssuer => ({
    issue: () => ({ publicKey: '', credentials: '' }),
    announce: async ({ loc1 = {} }) => {
      if (announced.length === 0 && wait !== null) await wait
      announced.push(`${name}: ${Object.keys(loc1).sort()}`)
    },
    removeForeignConsumers: async () => 0,
  })
  const context = { store, bus: { onConnection: () => () => undefined }, clock, logger }
  const slow = createAnnouncer({ ...context, issuer: issuer('slow', gate.promise) })
  await store.insert('proberCredentials', [{ ...document, id: 'two', publicKey: 'TWO', revokedAt: 3 }])
  const quick = createAnnouncer({ ...context, issuer: issuer('quick', null) })
  await quick.announce()
  gate.resolve()
  await eventually('the slow one looked again', () => announced.includes('slow: ONE,TWO'))
  t.match(announced.at(-1), /: ONE,TWO$/, announced.join('; '))
  t.ok(announced.includes('slow: ONE'), 'the slow one had read before the second was revoked')
  slow.stop()
  quick.stop()
})

t.test('revocations made during an announcement are announced together after this announcement', async t => {
  const store = createMemoryStore()
  const revoke = (id: string) =>
    store.insert('proberCredentials', [
      { id, rev: 1, locationId: 'loc1', description: '', createdAt: 1, publicKey: id, revokedAt: 2 },
    ])
  const announced: string[] = []
  const waiting: ReturnType<typeof Promise.withResolvers<void>>[] = []
  const issuer: ProberIssuer = {
    issue: () => ({ publicKey: '', credentials: '' }),
    removeForeignConsumers: async () => 0,
    announce: ({ loc1 = {} }) => {
      announced.push(Object.keys(loc1).sort().join())
      const answer = Promise.withResolvers<void>()
      waiting.push(answer)
      return answer.promise
    },
  }
  const answered = async (count: number) => {
    await eventually(`${count} announcements`, () => announced.length === count)
    return waiting[count - 1]!
  }
  const silent = { bus: { onConnection: () => () => undefined }, clock: { ...clock, after: () => () => undefined }, logger }
  const announcer = createAnnouncer({ issuer, store, ...silent })
  const first = await answered(1)
  const asked: Promise<void>[] = []
  for (const id of ['a', 'b', 'c']) {
    await revoke(id)
    asked.push(announcer.announce())
  }
  first.reject(new BusError('unavailable', 'The bus is away.'))
  const second = await answered(2)
  second.resolve()
  await Promise.all(asked)
  await revoke('d')
  const last = announcer.announce()
  const third = await answered(3)
  const refused = last.then(
    () => null,
    (error: BusError) => error.kind,
  )
  third.reject(new BusError('unavailable', 'The bus is away.'))
  t.equal(await refused, 'unavailable', 'each learns of its own announcement')
  t.strictSame(announced, ['', 'a,b,c', 'a,b,c,d'])
})

t.test('revoked credential stays refused after the clock was set back', async t => {
  const guarded = await startGuardedBus(t)
  const made = guarded.issuer.issue('one', 'loc1', clock.now())
  await guarded.issuer.announce({ loc1: { [made.publicKey]: clock.now() } })
  const early = { ...clock, now: () => clock.now() - 3_600_000 }
  const behind = createProberIssuer({ keys: guarded.keys, connection: serversOf(guarded.url), clock: early })
  const later = behind.issue('two', 'loc1', clock.now())
  await behind.announce({ loc1: { [made.publicKey]: clock.now(), [later.publicKey]: clock.now() } })
  await t.rejects(guarded.bare(made.credentials))
  await t.rejects(guarded.bare(later.credentials), 'what the late clock revoked counts too')
  await guarded.restart()
  await t.rejects(guarded.bare(later.credentials), 'and still does after a restart, because the server kept it')
  t.ok(locationAccountClaims(guarded.keys, 'loc1', clock.now(), {}).length < 4_096, 'the account without revocations is small')
})

t.test('probers in processes of their own share monitors and take over from each other', { timeout: 400_000 }, async t => {
  const dataFolder = t.testdir({})
  const website = createServer((_, response) => void response.end('hello'))
  website.listen(0, '127.0.0.1')
  await once(website, 'listening')
  const url = `http://127.0.0.1:${(website.address() as AddressInfo).port}/`
  const authority = join(dataFolder, 'authority.pem')
  const tls = { NATS_TLS_CERT: join(dataFolder, 'cert.pem'), NATS_TLS_KEY: join(dataFolder, 'key.pem') }
  writeFileSync(authority, certificates.authority)
  writeFileSync(tls.NATS_TLS_CERT, certificates.good)
  writeFileSync(tls.NATS_TLS_KEY, certificates.key)
  const port = await freePort()
  const open = { NATS_LISTEN: '0.0.0.0', NATS_PORT: String(port), ...tls }
  const main = await startProgram({
    DATA_DIR: dataFolder,
    SERVICES: 'directory,keeper,notifier,gateway',
    LOG_LEVEL: 'info',
    ...open,
  })
  const { url: busUrl, credentialsFile } = JSON.parse(readFileSync(join(dataFolder, 'bus.json'), 'utf8'))
  const house = await connectBus({
    servers: busUrl,
    name: 'test',
    credentialsFile,
    ownMachine: true,
    patienceMs: 5_000,
    logger,
    declare: false,
  })
  const { ask } = createDirectoryClient(house, clock)
  const keeper = createKeeperClient(house, clock)
  const started: { kill(): Promise<void> }[] = []
  t.teardown(async () => {
    await house.close()
    await Promise.all([main, ...started].map(program => program.kill()))
    website.closeAllConnections()
    website.close()
  })
  const command = async (...args: string[]) => runProgram(t, args, { DATA_DIR: dataFolder }).ended
  t.equal((await command('location', 'create', 'hamburg')).code, 0)
  const file = join(dataFolder, 'hamburg.creds')
  const made = await command('prober', 'create', 'hamburg', '--out', file, '--description', 'the shelf', '--json')
  t.equal(made.code, 0, made.stderr)
  const credential = JSON.parse(made.stdout) as { id: string; location_id: string }
  const locationId = credential.location_id
  const overTls = `tls://localhost:${port}`
  const startProber = async () => {
    const trusting = { NATS_URL: overTls, NATS_CA_FILE: authority }
    const program = await startProgram({ SERVICES: 'prober', NATS_CREDENTIALS: file, LOG_LEVEL: 'info', ...trusting })
    started.push(program)
    return program
  }
  const workers = async () => (await ask('list-locations', {})).find(({ name }) => name === 'hamburg')?.activeWorkers
  /** Waits for this number of active workers; returns the wait in ms. */
  const counted = async (count: number) => {
    const since = performance.now()
    await eventually(`${count} active workers`, async () => (await workers()) === count)
    return performance.now() - since
  }
  const reports: { subjectId: string; slotAt: number; seenAt: number }[] = []
  await house.subscribe(subjects.allObservations, ({ subject, body }) => {
    const address = parseObservation(subject, body)
    if (address?.locationId !== locationId) return
    const { subjectId } = address
    reports.push({ subjectId, slotAt: (body as CheckResult).slotAt, seenAt: performance.now() })
  })
  const ids = Array.from({ length: 8 }, () => randomId(10))
  let first: Awaited<ReturnType<typeof startProgram>>
  let second: typeof first

  t.test('credentials file alone determines the location, and contradicting settings are refused', async t => {
    t.match(await command('prober', 'create', 'nowhere'), { code: 5, stderr: /There is no location "nowhere"/ })
    t.match(await command('prober', 'create', 'hamburg', '--out', file), { code: 2, stderr: /exists: name another one/ })
    const alone = { NATS_URL: busUrl, NATS_CREDENTIALS: file, DATA_DIR: join(dataFolder, 'other') }
    const all = await runProgram(t, ['start'], alone).ended
    t.match(all, { code: 2, stderr: /set SERVICES=prober/ })
    const elsewhere = await runProgram(t, ['start'], { ...alone, SERVICES: 'prober', LOCATION_ID: 'zzzz' }).ended
    t.match(elsewhere, { code: 2, stderr: /leave LOCATION_ID unset/ })
    const missing = await runProgram(t, ['start'], { ...alone, SERVICES: 'prober', NATS_CREDENTIALS: '/nowhere' }).ended
    const strange = await runProgram(t, ['start'], { ...alone, SERVICES: 'prober', NATS_URL: overTls }).ended
    t.equal(strange.code, 1, 'a server whose certificate nobody vouches for is not joined')
    t.match(strange.stderr, /shows a certificate that this machine does not trust .* set NATS_CA_FILE/)
    t.match(missing, { code: 1, stderr: /can't be read \(ENOENT\): correct NATS_CREDENTIALS/ })
  })

  t.test('number of active workers rises with each started prober', async t => {
    first = await startProber()
    await counted(1)
    second = await startProber()
    await counted(2)
    t.equal(await workers(), 2)
  })

  t.test('two probers share the monitors, and each slot is checked once', async t => {
    for (const id of ids) {
      const check = websiteCheck({ url, locations: [locationId], interval_unit: 'SECOND' })
      const body = { kind: 'create-website', id: randomId(8), workspaceId: 'aaaaaaaaaa', slug: id.toLowerCase(), name: id, check }
      await keeper.send(id, body as Command)
    }
    await eventually('each was checked three times', () =>
      ids.every(id => reports.filter(report => report.subjectId === id).length >= 3),
    )
    t.strictSame(doubled(reports), [], 'no slot was reported twice')
  })

  t.test('second prober takes over all monitors after a kill -9', async t => {
    const from = reports.length
    const killedAt = performance.now()
    await second.kill()
    t.comment(`the count fell after ${Math.round(await counted(1))} ms`)
    await eventually('each is checked again, several times', () =>
      ids.every(
        id => reports.slice(from).filter(report => report.subjectId === id && report.seenAt > killedAt + 8_000).length >= 2,
      ),
    )
  })

  t.test('prober hands over its monitors at once on a clean stop', async t => {
    second = await startProber()
    await counted(2)
    const before = reports.length
    await eventually('both check', () => reports.length > before + 2 * ids.length)
    const stoppedAt = performance.now()
    const slotsBefore = reports.length
    const stopping = first.stop()
    t.ok((await counted(1)) < limits.presence.goneMs, 'it is counted out before a dead one would be')
    t.equal(await stopping, 0)
    await eventually('all are checked by the one that is left', () =>
      ids.every(
        id => reports.slice(slotsBefore).filter(report => report.subjectId === id && report.seenAt > stoppedAt + 500).length >= 3,
      ),
    )
    for (const id of ids) {
      const slots = [
        ...new Set(
          reports
            .slice(before)
            .filter(report => report.subjectId === id)
            .map(report => report.slotAt),
        ),
      ]
      slots.sort((a, b) => a - b)
      const gap = Math.max(...slots.slice(1).map((slot, i) => slot - slots[i]!))
      t.ok(gap < limits.presence.goneMs, `the longest gap of ${id} is ${gap} ms, shorter than after a death`)
    }
  })

  t.test('prober that is revoked by command is disconnected, and its monitors are no longer checked', async t => {
    const revoked = await command('prober', 'delete', credential.id)
    const revokedAt = performance.now()
    t.equal(revoked.code, 0, revoked.stderr)
    t.match(await command('prober', 'list'), { stdout: new RegExp(`${credential.id}\\s+hamburg\\s+\\S+\\s+2\\d{3}-`) })
    await counted(0)
    const after = reports.filter(report => report.seenAt > revokedAt + 2_000)
    t.strictSame(after, [], 'no report came after it')
    const seed = /^SU[A-Z2-7]{56}$/m.exec(readFileSync(file, 'utf8'))?.[0] ?? 'none'
    for (const program of [main, first, second]) t.notOk(program.output().includes(seed), 'the secret is in no log')
  })

  t.test('store has exactly one observation for each slot', async t => {
    t.equal(await main.stop(), 0)
    const store = await openSqliteStore(join(dataFolder, 'watchkeeper.db'))
    t.teardown(() => store.close())
    const found = await store.find('observations', { limit: limits.store.findMax })
    const stored = found.map(({ id }) => parseCheckObservationId(id)).map(({ subjectId, slotAt }) => `${subjectId} ${slotAt}`)
    const sent = new Set(reports.map(({ subjectId, slotAt }) => `${subjectId} ${slotAt}`))
    t.strictSame(stored.sort(), [...sent].sort())
  })
})

t.test('bus opens to other machines only with valid settings, and requires credentials', { timeout: 400_000 }, async t => {
  const folder = t.testdir({ 'bus-keys.json': '{"version":1}' })
  const refused: [title: string, settings: Record<string, string>, sentence: RegExp][] = [
    ['without a port that stays', { NATS_LISTEN: '0.0.0.0' }, /^NATS_PORT must be set where NATS_LISTEN opens the bus/],
    ['by a name', { NATS_LISTEN: 'bus.example', NATS_PORT: '4222' }, /^NATS_LISTEN must be an IP address of this machine/],
    ['with a certificate and no key', { NATS_TLS_CERT: '/cert.pem' }, /^NATS_TLS_CERT and NATS_TLS_KEY belong together/],
    [
      'with keys that are none',
      { NATS_URL: 'nats://127.0.0.1:1', NATS_KEYS: join(folder, 'bus-keys.json') },
      /holds no keys of a bus/,
    ],
    ['with keys that are not there', { NATS_URL: 'nats://127.0.0.1:1', NATS_KEYS: '/nowhere' }, /can't be read \(ENOENT\)/],
  ]
  for (const [title, settings, sentence] of refused) {
    const ended = await runProgram(t, ['start'], { DATA_DIR: join(folder, 'data'), ...settings }).ended
    t.equal(ended.code, 2, title)
    t.match(ended.stderr, sentence, title)
  }
  const port = await freePort()
  const open = { NATS_LISTEN: '0.0.0.0', NATS_PORT: String(port), SERVICES: 'directory,keeper,notifier' }
  const program = await startProgram({ DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'info', ...open })
  t.match(program.output(), /set NATS_TLS_CERT and NATS_TLS_KEY.*"bus listens beyond this machine without TLS"/)
  await t.rejects(connect({ servers: `127.0.0.1:${port}`, reconnect: false }), 'nobody comes in without credentials')
  await t.rejects(connect({ servers: `127.0.0.1:${port}`, user: 'house', pass: 'house', reconnect: false }))
  t.equal(await program.stop(), 0)
  const keysFile = join(folder, 'data', 'bus', 'keys.json')
  t.equal(statSync(keysFile).mode & 0o777, 0o600)
  writeFileSync(keysFile, '{}')
  const damaged = await runProgram(t, ['start'], { DATA_DIR: join(folder, 'data'), ...open }).ended
  t.equal(damaged.code, 1)
  t.match(damaged.stderr, /are damaged: put a copy back/)
  t.equal(readFileSync(keysFile, 'utf8'), '{}', 'and not replaced')
})

t.test('bus of an operator accepts the services and probers of the keys made by command', { timeout: 400_000 }, async t => {
  const folder = t.testdir({})
  const keysFolder = join(folder, 'keys')
  const accounts = join(folder, 'accounts')
  const made = await runProgram(t, ['bus', 'keys', keysFolder, '--server-folder', accounts, '--json']).ended
  t.equal(made.code, 0, made.stderr)
  const paths = JSON.parse(made.stdout) as { server: string; directory: string; services: string }
  for (const path of Object.values(paths)) t.equal(statSync(path).mode & 0o777, 0o600, path)
  t.match(await runProgram(t, ['bus', 'keys', keysFolder]).ended, { code: 2, stderr: /name one that does not exist/ })
  const port = await freePort()
  const config = [`listen: "127.0.0.1:${port}"`, `jetstream { store_dir: "${folder}/js" }`, `include ./keys/nats-keys.conf`]
  writeFileSync(join(folder, 'nats.conf'), `${config.join('\n')}\n`)
  const binary = await obtainNatsServer({ toolsFolder, log: () => undefined })
  const server = spawn(binary, ['-c', join(folder, 'nats.conf')], { stdio: 'ignore' })
  t.teardown(async () => {
    server.kill()
    await once(server, 'exit')
  })
  const house = { NATS_URL: `nats://127.0.0.1:${port}`, NATS_CREDENTIALS: paths.services, DATA_DIR: join(folder, 'data') }
  const main = await startProgram({ ...house, NATS_KEYS: paths.directory, SERVICES: 'directory,keeper,notifier,gateway' })
  t.teardown(() => main.kill())
  const issued = await runProgram(t, ['prober', 'create', 'local'], house).ended
  t.equal(issued.code, 0, issued.stderr)
  const file = join(folder, 'prober.creds')
  writeFileSync(file, issued.stdout)
  const prober = await startProgram({ SERVICES: 'prober', NATS_URL: house.NATS_URL, NATS_CREDENTIALS: file })
  t.teardown(() => prober.kill())
  const list = async () => JSON.parse((await runProgram(t, ['location', 'list', '--json'], house).ended).stdout)
  t.match(await list(), [{ name: 'local', active_workers_count: 1 }])
  const [credential] = JSON.parse((await runProgram(t, ['prober', 'list', '--json'], house).ended).stdout) as { id: string }[]
  t.match(await runProgram(t, ['prober', 'delete', credential?.id ?? ''], house).ended, { code: 0 })
  await eventually('it is out', () => /refuses the credentials/.test(prober.output()))
  const refused = prober
    .output()
    .split('\n')
    .filter(line => line.includes('refuses the credentials'))
  t.match(JSON.parse(refused[0] ?? '{}'), { level: 'warn', err: { type: String, message: String } })
  t.notMatch(prober.output(), /"stack"|\n {4}at /, 'a revoked credential is no fault of the code')
  t.equal(await prober.stop(), 0, 'and ends cleanly all the same')
})

function doubled(reports: { subjectId: string; slotAt: number }[]): string[] {
  const slots = reports.map(({ subjectId, slotAt }) => `${subjectId} ${slotAt}`)
  return slots.filter((slot, i) => slots.indexOf(slot) !== i)
}
