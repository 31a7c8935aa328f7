// People in the directory: accounts, passwords, sessions, workspaces and their members, keys, locations; their races on every store.
import { join } from 'node:path'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import t, { type Test } from 'tap'
import { hashToken, makeToken, tokenPrefix } from '#shared/api-token.ts'
import { createDirectoryClient } from '#shared/bus/ask-directory.ts'
import { createSystemClock } from '#shared/clock.ts'
import type { Role } from '#shared/contracts/account.ts'
import type { AskRequest } from '#shared/contracts/ask.ts'
import type { SessionIdentity, SignInOutcome } from '#shared/contracts/ask-people.ts'
import { randomId } from '#shared/ids.ts'
import { day, hour, limits, minute, second } from '#shared/limits.ts'
import { collections } from '#shared/store/collections.ts'
import { openMongodbStore } from '#shared/store/mongodb.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite.ts'
import { type DirectoryOptions, startDirectory } from '../../services/directory/app.ts'
import { bootstrap } from '../../services/directory/bootstrap.ts'
import { createPasswords } from '../../services/directory/passwords.ts'
import { removedWithWorkspace } from '../../services/directory/remove-workspaces.ts'
import { networkOf } from '../../services/directory/sign-in-throttle.ts'
import { createGateway } from '../../services/gateway/app.ts'
import { dyingStore } from '../support/dying-store.ts'
import { startFakeKeeper, subjectDocument } from '../support/fake-keeper.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { createMemoryHub } from '../support/memory-bus.ts'
import { createMemoryStore } from '../support/memory-store.ts'
import { startTestBus } from '../support/nats.ts'
import { startSecantus } from '../support/secantus.ts'

const silent = pino({ level: 'silent' })
const good = 'correct horse battery'

/** Two directories on one store share the questions, as two processes would. */
async function start(t: Test, store: Store = createMemoryStore(), options: DirectoryOptions = {}) {
  const clock = createHandClock()
  const hub = createMemoryHub({ clock })
  const logged: string[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) })
  for (const bus of [hub.connect(), hub.connect()]) {
    const service = await startDirectory({ bus, clock, store, logger, metrics: new Registry() }, options)
    t.teardown(() => service.stop())
  }
  const { ask } = createDirectoryClient(hub.connect(), clock)
  const addUser = (username: string, more: Partial<AskRequest<'create-user'>> = {}) =>
    ask('create-user', { id: `id-${username}`, username, displayName: '', password: null, admin: false, ...more })
  let attempts = 0
  const signIn = async (username: string, password: string, more: { client?: string; id?: string } = {}) => {
    const token = makeToken()
    const session = { id: more.id ?? `session${++attempts}`, tokenHash: hashToken(token) }
    const outcome = await ask('sign-in', { username, password, client: more.client ?? '192.0.2.1', session })
    return { ...session, outcome }
  }
  const told: string[] = []
  await hub
    .connect()
    .bucket('revocations')
    .watch('*.*', { onEntry: entry => void told.push(entry.key) })
  return { clock, hub, store, ask, addUser, signIn, told, logged }
}

type World = Awaited<ReturnType<typeof start>>

/** Races are run where they can happen: in memory, on a file, and over MongoDB's wire protocol. */
function onEachStore(title: string, run: (t: Test, store: Store, rounds: number) => Promise<void>): void {
  t.test(`${title}, on the memory store`, t => run(t, createMemoryStore(), 20))
  t.test(`${title}, on sqlite`, async t => {
    const store = await openSqliteStore(join(t.testdir(), 'people.db'))
    t.teardown(() => store.close())
    await run(t, store, 20)
  })
  t.test(`${title}, over the wire protocol of MongoDB`, async t => {
    const url = await mongodb()
    if (url === null) return t.comment('skipped: SecantusDB could not be installed')
    const store = await openMongodbStore(`${url}/people_${randomId(8)}`)
    t.teardown(() => store.close())
    await run(t, store, 5)
  })
}

let server: ReturnType<typeof startSecantus> | null = null
async function mongodb(): Promise<string | null> {
  server ??= startSecantus()
  return (await server)?.url ?? null
}
t.teardown(async () => (await server)?.stop())

const identityOf = (outcome: SignInOutcome): SessionIdentity => {
  if (outcome.outcome !== 'signed-in') throw new Error(`not signed in: ${JSON.stringify(outcome)}`)
  return outcome.identity
}

t.test('accounts', async t => {
  const { ask, addUser, store, clock, told } = await start(t)
  const ann = await addUser('Ann', { displayName: ' Ann Other ', password: good })

  await t.test('a name is kept normalised and found in any case; a repeat makes no second', async t => {
    t.match(ann, {
      username: 'ann',
      displayName: 'Ann Other',
      admin: false,
      disabled: false,
      hasPassword: true,
      signedInAt: null,
    })
    t.strictSame(await ask('find-user', { username: ' ANN ' }), ann)
    t.equal(await ask('find-user', { username: 'nobody' }), null)
    t.strictSame(await addUser('Ann', { password: good }), ann)
  })
  await t.test('what may not be is refused with a sentence and stores nothing', async t => {
    const before = await store.count('users', {})
    const refused: [what: string, change: Partial<AskRequest<'create-user'>>, message: string][] = [
      ['an empty name', { username: ' ' }, 'Invalid username'],
      ['a blank in a name', { username: 'a b' }, 'Invalid username'],
      ['a name that looks like another', { username: 'аnn' }, 'Invalid username'],
      ['a long name', { username: 'a'.repeat(65) }, 'Invalid username'],
      ['a name in use, in other letters', { username: 'ANN' }, 'Username taken'],
      ['a long display name', { displayName: 'x'.repeat(101) }, 'Invalid display name'],
      ['a line break in a display name', { displayName: 'a\nb' }, 'Invalid display name'],
      ['a short password', { password: '1234567' }, 'Invalid password'],
      ['a long password', { password: 'x'.repeat(1_025) }, 'Invalid password'],
    ]
    for (const [what, change, message] of refused) {
      await t.rejects(addUser('bob', { id: 'bob', ...change }), { code: 'validation', message }, what)
    }
    await t.rejects(addUser('bob', { id: ann.id }), { code: 'validation', message: 'User exists' })
    t.equal(await store.count('users', {}), before)
  })
  await t.test('only argon2id of the password is stored, and it is answered nowhere', async t => {
    const [kept] = await store.get('users', [ann.id])
    t.match(kept?.password, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{43}$/)
    t.notMatch(JSON.stringify(await store.find('users', { limit: 10 })), good)
    t.notMatch(JSON.stringify([await ask('list-users', {}), ann]), 'argon2id')
  })
  await t.test('all are listed in pages by creation', async t => {
    clock.advance(1)
    await addUser('bob')
    t.match(await ask('list-users', {}), { items: [{ username: 'ann' }, { username: 'bob' }], next: null })
  })
  await t.test('a change keeps what it does not name, and every gateway hears of it', async t => {
    told.length = 0
    t.match(await ask('update-user', { userId: ann.id, admin: true }), { displayName: 'Ann Other', admin: true })
    t.match(await ask('update-user', { userId: ann.id, displayName: '' }), { displayName: '', admin: true })
    t.strictSame(told, [`user.${ann.id}`, `user.${ann.id}`])
    await t.rejects(ask('update-user', { userId: 'nobody' }), { code: 'not_found' })
  })
})

t.test('passwords', async t => {
  const passwords = createPasswords()
  await t.test('the same letters in another form are the same password', async t => {
    const kept = await passwords.hash('Ångström ﬁne')
    t.equal(await passwords.verify('A\u030angstro\u0308m fine', kept), true)
    t.equal(await passwords.verify('Angstrom fine', kept), false)
  })
  await t.test('the bounds count characters; two hashes of one password differ', async t => {
    for (const password of ['12345678', '🐎'.repeat(8), 'x'.repeat(1_024)]) {
      t.equal(await passwords.verify(password, await passwords.hash(password)), true)
    }
    await t.rejects(passwords.hash('🐎'.repeat(7)), { message: 'Invalid password' })
    t.not(await passwords.hash('12345678'), await passwords.hash('12345678'))
  })
  await t.test('a hash with other parameters, as an earlier version may have made, is still understood', async t => {
    // The reference implementation's own test vector: password "password", salt "somesalt".
    const kept = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
    t.equal(await passwords.verify('password', kept), true)
    t.equal(await passwords.verify('passwort', kept), false)
    t.equal(await passwords.verify('password', 'no PHC text'), false)
  })
  await t.test('a name without a password costs as much, is never right, and too many at once are refused', async t => {
    const { atOnce, waiting } = limits.password
    const asked = Array.from({ length: atOnce + waiting + 1 }, () => passwords.verify(good, undefined))
    const settled = await Promise.allSettled(asked)
    t.strictSame(
      new Set(settled.slice(0, -1).map(one => (one.status === 'fulfilled' ? one.value : one.reason))),
      new Set([false]),
    )
    t.match(settled.at(-1), { status: 'rejected', reason: { code: 'busy' } })
    t.equal(await passwords.verify(good, await passwords.hash(good)), true, 'and afterwards it goes on')
  })
})

t.test('sign-in', async t => {
  await t.test('the right password begins a session; only the hash of its token is stored', async t => {
    const { ask, addUser, signIn, store } = await start(t)
    await addUser('ann', { password: good, displayName: 'Ann' })
    const { id, tokenHash, outcome } = await signIn('ANN', good)
    t.match(identityOf(outcome), { sessionId: id, userId: 'id-ann', username: 'ann', displayName: 'Ann', hasPassword: true })
    t.strictSame(await ask('find-session', { tokenHash }), identityOf(outcome))
    t.match(await ask('find-user', { username: 'ann' }), { signedInAt: /\d/ })
    t.equal(await store.count('sessions', {}), 1)
  })
  await t.test('nobody learns from a refusal who exists', async t => {
    const { addUser, signIn, ask } = await start(t)
    await addUser('ann', { password: good })
    await addUser('bob')
    await addUser('eve', { password: good })
    await ask('update-user', { userId: 'id-eve', disabled: true })
    const wrong = (await signIn('ann', 'wrong password')).outcome
    t.strictSame(wrong, { outcome: 'wrong', message: 'The username or the password is wrong' })
    for (const [name, password] of [
      ['nobody', good],
      ['bob', good],
      ['eve', 'wrong password'],
      ['not a name', ''],
      ['ann', 'x'.repeat(4_096)],
    ] as const) {
      t.strictSame((await signIn(name, password)).outcome, wrong, name)
    }
    t.match((await signIn('eve', good)).outcome, { outcome: 'disabled' }, 'whoever knows the password learns that it is disabled')
  })
  await t.test('a repeat of the same sign-in answers the same session', async t => {
    const { addUser, ask, store } = await start(t)
    await addUser('ann', { password: good })
    const request = { username: 'ann', password: good, client: 'here', session: { id: 's', tokenHash: hashToken('t') } }
    const first = await ask('sign-in', request)
    t.strictSame(await ask('sign-in', request), first)
    t.equal(await store.count('sessions', {}), 1)
    const stolen = { ...request, session: { id: 's', tokenHash: hashToken('another') } }
    await t.rejects(ask('sign-in', stolen), { code: 'validation' }, 'the id does not open another’s session')
  })
  await t.test('one sign-in more than a person may have ends the oldest session', async t => {
    const { addUser, signIn, ask, clock } = await start(t)
    await addUser('ann', { password: good })
    const made = []
    for (let i = 0; i <= limits.sessions.perUser; i++) {
      clock.advance(1)
      made.push(await signIn('ann', good))
    }
    const found = await Promise.all(made.map(({ tokenHash }) => ask('find-session', { tokenHash })))
    t.equal(found[0], null)
    t.ok(found.slice(1).every(identity => identity !== null))
  })
})

t.test('bad sign-ins', async t => {
  const bad = async ({ signIn }: World, count: number, name: (i: number) => string, client?: string) => {
    const outcomes: string[] = []
    for (let i = 0; i < count; i++) {
      outcomes.push((await signIn(name(i), 'wrong password', client === undefined ? {} : { client })).outcome.outcome)
    }
    return outcomes
  }
  await t.test('for one name have to wait, twice as long each time, from wherever they come, up to a minute', async t => {
    const world = await start(t)
    await world.addUser('ann', { password: good })
    t.same(await bad(world, limits.signIn.triesPerName, () => 'ann'), Array(5).fill('wrong'))
    const waits: number[] = []
    for (let i = 0; i < 8; i++) {
      const { outcome } = await world.signIn('ann', good, { client: `198.51.100.${i}` })
      if (outcome.outcome !== 'wait') throw new Error('no wait')
      waits.push(outcome.retryAfterMs)
      world.clock.advance(outcome.retryAfterMs)
      await world.signIn('ann', 'wrong password', { client: `198.51.100.${i}` })
    }
    t.strictSame(
      waits,
      [1, 2, 4, 8, 16, 32, 60, 60].map(seconds => seconds * second),
    )
    world.clock.advance(minute - 1)
    t.match((await world.signIn('ann', good)).outcome, {
      message: 'Too many sign-ins failed; try again in 1s',
      retryAfterMs: second,
    })
    world.clock.advance(1)
    t.equal((await world.signIn('ann', good)).outcome.outcome, 'signed-in')
    t.same(await bad(world, 5, () => 'ann'), Array(5).fill('wrong'), 'a right one begins anew')
  })
  await t.test('are treated alike for a name that nobody has', async t => {
    const world = await start(t)
    t.same(await bad(world, 6, () => 'ghost'), [...Array(5).fill('wrong'), 'wait'])
  })
  await t.test('from one network have to wait, whatever the names', async t => {
    const world = await start(t)
    await world.addUser('ann', { password: good })
    const { triesPerClient } = limits.signIn
    t.same(await bad(world, triesPerClient, i => `name${i}`, '2001:db8::1'), Array(triesPerClient).fill('wrong'))
    t.match((await world.signIn('ann', good, { client: '2001:db8::ffff:2' })).outcome, { outcome: 'wait' })
    t.match((await world.signIn('ann', good, { client: '2001:db8:0:1::1' })).outcome, { outcome: 'signed-in' }, 'others need not')
  })
  await t.test('from one network are not bought off by a right one', async t => {
    const world = await start(t)
    await world.addUser('ann', { password: good })
    const { triesPerClient } = limits.signIn
    t.same(await bad(world, triesPerClient - 1, i => `name${i}`, 'x'), Array(triesPerClient - 1).fill('wrong'))
    t.match((await world.signIn('ann', good, { client: 'x' })).outcome, { outcome: 'signed-in' })
    t.same(await bad(world, 2, i => `more${i}`, 'x'), ['wrong', 'wait'])
  })
  await t.test('are forgotten after an hour, and expire in the store', async t => {
    const world = await start(t)
    await bad(world, 5, () => 'ann')
    world.clock.advance(hour + second)
    t.same(await bad(world, 5, () => 'ann'), Array(5).fill('wrong'))
    world.clock.advance(hour + 2 * minute)
    await new Promise(resolve => setImmediate(resolve))
    t.equal(await world.store.count('signInTries', {}), 0)
  })
  await t.test('counted by a clock that was ahead make nobody wait until then', async t => {
    const ahead = await start(t)
    await ahead.addUser('ann', { password: good })
    ahead.clock.advance(day)
    t.same(await bad(ahead, 6, () => 'ann'), [...Array(5).fill('wrong'), 'wait'])
    const world = await start(t, ahead.store)
    t.match((await world.signIn('ann', 'wrong password', { id: 'w' })).outcome, { outcome: 'wrong' })
    t.match((await world.signIn('ann', good, { id: 'x' })).outcome, { outcome: 'wait', retryAfterMs: 2 * second }, 'they count')
    world.clock.advance(2 * second)
    t.match((await world.signIn('ann', good, { id: 'y' })).outcome, { outcome: 'signed-in' })
  })
  await t.test('a repeat of one try over the bus counts once', async t => {
    const world = await start(t)
    for (let i = 0; i < 10; i++) t.equal((await world.signIn('ann', 'wrong password', { id: 'same' })).outcome.outcome, 'wrong')
    t.same(await bad(world, 5, () => 'ann'), [...Array(4).fill('wrong'), 'wait'])
  })
  await t.test('a network is an IPv4 address or 64 bits of an IPv6 address', async t => {
    for (const [address, network] of [
      ['192.0.2.1', '192.0.2.1'],
      ['::ffff:192.0.2.1', '192.0.2.1'],
      ['192.0.2.1:51324', '192.0.2.1'],
      ['[2001:db8::1]:51324', '2001:db8:0:0::/64'],
      ['[2001:db8::1]', '2001:db8:0:0::/64'],
      ['2001:DB8:0:00A::1', '2001:db8:0:a::/64'],
      ['2001:db8::1', '2001:db8:0:0::/64'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
      ['fe80::1%eth0', 'fe80:0:0:0::/64'],
      ['::1', '0:0:0:0::/64'],
      ['elsewhere', 'elsewhere'],
    ] as const) {
      t.equal(networkOf(address), network, address)
    }
  })
})

onEachStore('a hundred guesses at once are looked at five times', async (t, store) => {
  const { addUser, signIn } = await start(t, store)
  await addUser('ann', { password: good })
  const guesses = Array.from({ length: 30 }, (_, i) => signIn('ann', 'wrong password', { client: `198.51.100.${i}` }))
  const outcomes = (await Promise.all(guesses)).map(({ outcome }) => outcome.outcome)
  t.equal(outcomes.filter(outcome => outcome === 'wrong').length, limits.signIn.triesPerName)
  t.equal(outcomes.filter(outcome => outcome === 'wait').length, 30 - limits.signIn.triesPerName)
})

t.test('sessions', async t => {
  const begin = async (t: Test) => {
    const world = await start(t)
    await world.addUser('ann', { password: good })
    const { id, tokenHash } = await world.signIn('ann', good)
    return { ...world, id, tokenHash, find: () => world.ask('find-session', { tokenHash }) }
  }
  await t.test('end two weeks after their last use', async t => {
    const { clock, find, store } = await begin(t)
    clock.advance(limits.sessions.lifeMs - 1)
    t.ok(await find())
    clock.advance(limits.sessions.lifeMs - 1)
    t.ok(await find())
    clock.advance(limits.sessions.lifeMs)
    t.equal(await find(), null)
    clock.advance(2 * minute)
    await new Promise(resolve => setImmediate(resolve))
    t.equal(await store.count('sessions', {}), 0, 'what is past its time is removed')
  })
  await t.test('end after 90 days, however much they are used; use is written once an hour at most', async t => {
    const { clock, find, store, id } = await begin(t)
    await find()
    clock.advance(hour - 1)
    await find()
    t.match(await store.get('sessions', [id]), [{ rev: 1 }])
    clock.advance(1)
    await find()
    t.match(await store.get('sessions', [id]), [{ rev: 2 }])
    for (let at = hour; at < 90 * day - day; at += day) {
      t.ok(await find())
      clock.advance(day)
    }
    clock.advance(day)
    t.equal(await find(), null)
  })
  await t.test('end by signing out, alone', async t => {
    const { ask, signIn, find, id } = await begin(t)
    const other = await signIn('ann', good)
    await ask('sign-out', { sessionId: id })
    await ask('sign-out', { sessionId: id })
    t.equal(await find(), null)
    t.ok(await ask('find-session', { tokenHash: other.tokenHash }))
  })
  await t.test('begin, however many a clock has begun that was ahead', async t => {
    const ahead = await begin(t)
    ahead.clock.advance(day)
    for (let i = 0; i < limits.sessions.perUser; i++) await ahead.signIn('ann', good)
    const { ask, signIn } = await start(t, ahead.store)
    t.ok(await ask('find-session', { tokenHash: (await signIn('ann', good, { id: 'now' })).tokenHash }))
    t.equal(await ahead.store.count('sessions', {}), limits.sessions.perUser)
  })
  await t.test('end all at once; a later one is good', async t => {
    const { ask, signIn, find, told } = await begin(t)
    told.length = 0
    await ask('end-sessions', { userId: 'id-ann' })
    t.equal(await find(), null)
    t.strictSame(told, ['user.id-ann'])
    t.ok(await ask('find-session', { tokenHash: (await signIn('ann', good)).tokenHash }))
  })
  await t.test('end when the account is disabled, and do not come back with it', async t => {
    const { ask, find, signIn } = await begin(t)
    await ask('update-user', { userId: 'id-ann', disabled: true })
    t.equal(await find(), null)
    t.match((await signIn('ann', good)).outcome, { outcome: 'disabled' })
    await ask('update-user', { userId: 'id-ann', disabled: false })
    t.equal(await find(), null)
    t.match((await signIn('ann', good)).outcome, { outcome: 'signed-in' })
  })
  await t.test('a token of a key is no session, and the other way round', async t => {
    const { ask, tokenHash } = await begin(t)
    t.equal(await ask('authenticate', { tokenHash }), null)
  })
})

t.test('a new password', async t => {
  const better = 'staple of another kind'
  await t.test('ends every session but the one that asked, and the old password', async t => {
    const { addUser, ask, signIn, told } = await start(t)
    await addUser('ann', { password: good })
    const [kept, other] = [await signIn('ann', good), await signIn('ann', good)]
    told.length = 0
    const current = { password: good, client: 'here', attemptId: 'a' }
    const request = { userId: 'id-ann', password: better, current, keepSessionId: kept.id }
    t.strictSame(await ask('set-password', request), { outcome: 'set' })
    t.ok(await ask('find-session', { tokenHash: kept.tokenHash }))
    t.equal(await ask('find-session', { tokenHash: other.tokenHash }), null)
    t.strictSame(told, ['user.id-ann'])
    t.match((await signIn('ann', good)).outcome, { outcome: 'wrong' })
    t.match((await signIn('ann', better)).outcome, { outcome: 'signed-in' })
    t.strictSame(await ask('set-password', request), { outcome: 'set' }, 'a repeat, whose first answer was lost, is no wrong try')
  })
  await t.test('brings no session back that ended before its repeat', async t => {
    const { addUser, ask, signIn } = await start(t)
    await addUser('ann', { password: good })
    const { id, tokenHash } = await signIn('ann', good)
    const current = { password: good, client: 'here', attemptId: 'a' }
    const request = { userId: 'id-ann', password: better, current, keepSessionId: id }
    for (const disabled of [true, false]) {
      t.strictSame(await ask('set-password', request), { outcome: 'set' })
      await ask('update-user', { userId: 'id-ann', disabled })
    }
    t.equal(await ask('find-session', { tokenHash }), null)
  })
  await t.test('brings no session back that ended while it was on its way', async t => {
    const { addUser, ask, signIn } = await start(t)
    await addUser('ann', { password: good })
    const { id, tokenHash } = await signIn('ann', good)
    const current = { password: good, client: 'here', attemptId: 'a' }
    const request = { userId: 'id-ann', password: better, current, keepSessionId: id }
    const change = ask('set-password', request)
    await ask('update-user', { userId: 'id-ann', disabled: true })
    t.strictSame(await change, { outcome: 'set' })
    t.strictSame(await ask('set-password', request), { outcome: 'set' }, 'nor does its repeat')
    await ask('update-user', { userId: 'id-ann', disabled: false })
    t.equal(await ask('find-session', { tokenHash }), null)
  })
  await t.test('needs the present one where a person asks; wrong ones count as bad sign-ins', async t => {
    const { addUser, ask, signIn } = await start(t)
    await addUser('ann', { password: good })
    const change = (password: string, attemptId: string) =>
      ask('set-password', { userId: 'id-ann', password: better, current: { password, client: 'here', attemptId } })
    for (let i = 0; i < 5; i++) t.match(await change('wrong password', `w${i}`), { outcome: 'wrong' })
    t.match(await change(good, 'late'), { outcome: 'wait', retryAfterMs: second })
    t.match((await signIn('ann', good)).outcome, { outcome: 'wait' })
  })
  await t.test('does not stand for the present one, though it is the same; a try is one guess', async t => {
    const { addUser, ask } = await start(t)
    await addUser('ann', { password: good })
    const change = (password: string, attemptId: string) =>
      ask('set-password', { userId: 'id-ann', password: good, current: { password, client: 'here', attemptId } })
    t.match(await change('wrong password', 'a'), { outcome: 'wrong' })
    t.strictSame(await change(good, 'b'), { outcome: 'set' })
    t.match(await change('wrong password', 'c'), { outcome: 'wrong' }, 'also after a change')
    await ask('set-password', { userId: 'id-ann', password: better })
    t.match(await change(good, 'b'), { outcome: 'wrong' }, 'what an administrator set since is no change of theirs')
  })
  await t.test('is given by an administrator without it, also a first one', async t => {
    const { addUser, ask, signIn } = await start(t)
    await addUser('bob')
    const current = { password: '', client: 'here', attemptId: 'a' }
    await t.rejects(ask('set-password', { userId: 'id-bob', password: better, current }), { code: 'invalid_state' })
    await t.rejects(ask('set-password', { userId: 'id-bob', password: 'short' }), { code: 'validation' })
    await t.rejects(ask('set-password', { userId: 'nobody', password: better }), { code: 'not_found' })
    t.strictSame(await ask('set-password', { userId: 'id-bob', password: better }), { outcome: 'set' })
    t.match((await signIn('bob', better)).outcome, { outcome: 'signed-in' })
  })
})

onEachStore('a sign-in by the old password while it changes leaves no session', async (t, store, rounds) => {
  const { addUser, ask, signIn } = await start(t, store)
  await addUser('ann', { password: 'password 0' })
  for (let i = 0; i < Math.min(rounds, 5); i++) {
    const old = `password ${i}`
    const change = ask('set-password', { userId: 'id-ann', password: `password ${i + 1}` })
    const tries = await Promise.all([0, 1, 2].map(() => signIn('ann', old)))
    await change
    // Whoever signed in before the change is out again, too.
    for (const { tokenHash } of tries) t.equal(await ask('find-session', { tokenHash }), null)
    await signIn('ann', `password ${i + 1}`)
  }
})

t.test('the first sign-in', async t => {
  await t.test('of somebody who is a member nowhere makes a workspace Default of their own, once', async t => {
    const { addUser, ask, signIn } = await start(t)
    await addUser('ann', { password: good })
    const [one, two] = await Promise.all([signIn('ann', good), signIn('ann', good)])
    const workspaces = await ask('list-workspaces', { userId: 'id-ann' })
    t.match(workspaces, [{ name: 'Default', role: 'owner' }])
    t.equal(workspaces.length, 1)
    for (const { outcome } of [one, two])
      t.match(identityOf(outcome).memberships, [{ workspaceId: workspaces[0]!.id, role: 'owner' }])
    await signIn('ann', good)
    t.equal((await ask('list-workspaces', { userId: 'id-ann' })).length, 1)
  })
  await t.test('of a member makes none, nor does a sign-in after having left', async t => {
    const { addUser, ask, signIn } = await start(t)
    await addUser('ann', { password: good })
    await addUser('bob', { password: good })
    await ask('create-workspace', { id: 'team', name: 'Team', userId: 'id-ann' })
    await ask('add-member', { workspaceId: 'team', username: 'bob', role: 'viewer' })
    t.strictSame(identityOf((await signIn('bob', good)).outcome).memberships, [{ workspaceId: 'team', role: 'viewer' }])
    await ask('remove-member', { workspaceId: 'team', userId: 'id-bob' })
    t.strictSame(identityOf((await signIn('bob', good)).outcome).memberships, [])
  })
  await t.test('makes none with NEW_USER_WORKSPACE=none, by password or by OIDC', async t => {
    const { addUser, ask, signIn } = await start(t, createMemoryStore(), { newUserWorkspace: 'none' })
    await addUser('ann', { password: good })
    t.strictSame(identityOf((await signIn('ann', good)).outcome).memberships, [])
    const session = { id: 'byoidc', tokenHash: hashToken(makeToken()) }
    const names = { issuer: 'https://id.example', subject: '1', username: 'bob', displayName: '' }
    t.strictSame(identityOf(await ask('sign-in-oidc', { ...names, session })).memberships, [])
    t.match(await ask('find-user', { username: 'bob' }), { signedInAt: Number })
  })
  await t.test('of the owner of the installation finds the workspace that is there', async t => {
    const { ask, signIn, store, clock } = await start(t)
    const { workspaceId } = await bootstrap({ store, clock }, { location: 'local' })
    const owner = await ask('find-user', { username: 'owner' })
    t.match(owner, { admin: true, hasPassword: false })
    await ask('set-password', { userId: owner!.id, password: good })
    t.strictSame(identityOf((await signIn('owner', good)).outcome).memberships, [{ workspaceId, role: 'owner' }])
  })
  for (const after of [false, true]) {
    await t.test(`a crash ${after ? 'after' : 'before'} any of its writes is healed by the next`, async t => {
      let crashes = 0
      for (let n = 1; n < 20; n++) {
        const store = createMemoryStore()
        const healthy = await start(t, store)
        await healthy.addUser('ann', { password: good })
        const dying = await start(t, dyingStore(store, n, after))
        const died = await dying.signIn('ann', good, { id: 'first' }).then(
          () => false,
          () => true,
        )
        if (!died) break
        crashes++
        const { outcome } = await healthy.signIn('ann', good, { id: 'second' })
        t.match(identityOf(outcome).memberships, [{ role: 'owner' }], `write ${n}`)
        t.equal(await store.count('workspaces', {}), 1)
      }
      t.ok(crashes >= 6, `${crashes} writes were tried`)
    })
  }
})

t.test('a sign-in by OIDC', async t => {
  const request = (subject: string, more: Partial<AskRequest<'sign-in-oidc'>> = {}): AskRequest<'sign-in-oidc'> => ({
    issuer: 'https://id.example',
    subject,
    username: 'Ann@Example.org',
    displayName: 'Ann',
    session: { id: `s-${randomId(8)}`, tokenHash: hashToken(randomId(8)) },
    ...more,
  })
  await t.test(
    'makes a user once per issuer and subject, with a workspace, and finds it whatever it is called later',
    async t => {
      const { ask, store } = await start(t)
      const [first, ...others] = await Promise.all(Array.from({ length: 10 }, () => ask('sign-in-oidc', request('1'))))
      const { userId, username, memberships } = identityOf(first!)
      t.equal(username, 'ann@example.org')
      t.match(memberships, [{ role: 'owner' }])
      for (const other of [...others, await ask('sign-in-oidc', request('1', { username: 'married' }))]) {
        t.equal(identityOf(other).userId, userId)
      }
      t.not(identityOf(await ask('sign-in-oidc', request('1', { issuer: 'https://other.example' }))).userId, userId)
      t.equal(await store.count('users', {}), 2)
    },
  )
  await t.test('never gets an account that was made otherwise', async t => {
    const { ask, addUser } = await start(t)
    await addUser('ann@example.org', { id: 'local', password: good, admin: true })
    t.match(identityOf(await ask('sign-in-oidc', request('1'))), {
      username: 'ann@example.org-2',
      admin: false,
      hasPassword: false,
    })
    t.match(identityOf(await ask('sign-in-oidc', request('2'))), { username: 'ann@example.org-3' })
  })
  await t.test('takes what a provider proposes as far as it goes', async t => {
    const { ask } = await start(t)
    for (const [proposal, username] of [
      ['Zoë Müller', 'zo-m-ller'],
      ['山田', 'user'],
      ['_x', 'x'],
      ['a'.repeat(200), 'a'.repeat(60)],
    ] as const) {
      const outcome = await ask('sign-in-oidc', request(proposal, { username: proposal, displayName: `${proposal}\u0000` }))
      t.match(identityOf(outcome), { username, displayName: username })
    }
  })
  await t.test('of a disabled account is refused', async t => {
    const { ask } = await start(t)
    const { userId } = identityOf(await ask('sign-in-oidc', request('1')))
    await ask('update-user', { userId, disabled: true })
    t.match(await ask('sign-in-oidc', request('1')), { outcome: 'disabled' })
  })
})

/** A key of a user, as whoever makes one does it. */
async function addKey({ ask }: World, userId: string) {
  const token = makeToken()
  const tokenHash = hashToken(token)
  const key = await ask('create-key', { id: randomId(10), userId, description: 'test', tokenHash, prefix: tokenPrefix(token) })
  return { ...key, token, tokenHash, whose: () => ask('authenticate', { tokenHash }) }
}

t.test('workspaces and members', async t => {
  const world = await start(t)
  const { ask, addUser, told, store } = world
  for (const name of ['ann', 'bob', 'eve']) await addUser(name)
  const order = { id: 'team', name: ' Team ', userId: 'id-ann' }
  const key = await addKey(world, 'id-bob')
  const role = async () => (await key.whose())?.memberships.find(({ workspaceId }) => workspaceId === 'team')?.role ?? null

  await t.test('whoever makes a workspace owns it; a repeat makes none', async t => {
    t.strictSame(await ask('create-workspace', order), { id: 'team', name: 'Team', role: 'owner' })
    t.strictSame(await ask('create-workspace', order), { id: 'team', name: 'Team', role: 'owner' })
    await t.rejects(ask('create-workspace', { ...order, userId: 'id-eve' }), { code: 'validation' })
    await t.rejects(ask('create-workspace', { ...order, userId: 'nobody' }), { code: 'not_found' })
    for (const name of ['', ' ', 'x'.repeat(61), 'a\u0007'])
      await t.rejects(ask('create-workspace', { ...order, id: 'w2', name }), { code: 'validation', message: 'Invalid name' })
    t.match(await ask('list-all-workspaces', {}), { items: [{ id: 'team', name: 'Team', members: 1 }], next: null })
  })
  await t.test('a new name is seen; an unknown workspace has none', async t => {
    t.strictSame(await ask('rename-workspace', { workspaceId: 'team', name: 'Crew' }), { id: 'team', name: 'Crew' })
    t.match(await ask('list-workspaces', { userId: 'id-ann' }), [{ name: 'Crew', role: 'owner' }])
    await t.rejects(ask('rename-workspace', { workspaceId: 'none', name: 'Crew' }), { code: 'not_found' })
  })
  await t.test('a role given, changed and taken is the role with the next question, and gateways hear of each', async t => {
    told.length = 0
    t.equal(await role(), null)
    t.match(await ask('add-member', { workspaceId: 'team', username: 'BOB', role: 'viewer' }), {
      userId: 'id-bob',
      role: 'viewer',
    })
    t.equal(await role(), 'viewer')
    t.match(await ask('change-role', { workspaceId: 'team', userId: 'id-bob', role: 'editor' }), { role: 'editor' })
    t.equal(await role(), 'editor')
    t.match(await ask('list-members', { workspaceId: 'team' }), [
      { username: 'ann', role: 'owner' },
      { username: 'bob', role: 'editor' },
    ])
    t.strictSame(await ask('remove-member', { workspaceId: 'team', userId: 'id-bob' }), { userId: 'id-bob', removed: true })
    t.equal(await role(), null)
    t.strictSame(told, Array(3).fill('user.id-bob'))
    for (const userId of ['id-bob', 'constructor', '__proto__'])
      t.strictSame(await ask('remove-member', { workspaceId: 'team', userId }), { userId, removed: false })
  })
  await t.test('refusals change nothing', async t => {
    await ask('add-member', { workspaceId: 'team', username: 'eve', role: 'viewer' })
    const before = await store.get('workspaces', ['team'])
    t.match(await ask('add-member', { workspaceId: 'team', username: 'eve', role: 'viewer' }), { role: 'viewer' }, 'a repeat')
    const refused: [ask: () => Promise<unknown>, message: string][] = [
      [() => ask('add-member', { workspaceId: 'team', username: 'eve', role: 'owner' }), 'Already a member'],
      [() => ask('add-member', { workspaceId: 'team', username: 'nobody', role: 'owner' }), 'User not found'],
      [() => ask('add-member', { workspaceId: 'none', username: 'eve', role: 'owner' }), 'Workspace not found'],
      [() => ask('change-role', { workspaceId: 'team', userId: 'id-bob', role: 'owner' }), 'Member not found'],
      [() => ask('change-role', { workspaceId: 'team', userId: 'id-ann', role: 'editor' }), 'Last owner'],
      [() => ask('remove-member', { workspaceId: 'team', userId: 'id-ann' }), 'Last owner'],
      [() => ask('list-members', { workspaceId: 'none' }), 'Workspace not found'],
    ]
    for (const [asked, message] of refused) await t.rejects(asked(), { message }, message)
    t.strictSame(await store.get('workspaces', ['team']), before)
  })
  await t.test('a person is in so many workspaces and no more; a repeat of the last is answered like the first', async t => {
    for (let i = 0; i <= limits.people.workspacesPerUser; i++)
      await store.insert('workspaces', [{ id: `w${i}`, rev: 1, name: 'Team', createdAt: 1, members: { 'id-ann': 'owner' } }])
    const add = (i: number) => ask('add-member', { workspaceId: `w${i}`, username: 'bob', role: 'viewer' })
    for (let i = 0; i < limits.people.workspacesPerUser; i++) await add(i)
    t.match(await add(limits.people.workspacesPerUser - 1), { userId: 'id-bob', role: 'viewer' })
    await t.rejects(add(limits.people.workspacesPerUser), { message: 'Too many workspaces' })
  })
  await t.test('a person who has left more workspaces than one read finds sees those of today', async t => {
    const left = Array.from({ length: limits.directory.listed }, (_, i) => ({ id: `left${i}.id-eve`, workspaceId: `left${i}` }))
    await store.insert(
      'memberships',
      left.map(hint => ({ ...hint, rev: 1, userId: 'id-eve' })),
    )
    t.match(await ask('list-workspaces', { userId: 'id-eve' }), [{ id: 'team', role: 'viewer' }])
    t.match((await ask('describe-user', { username: 'eve' }))?.memberships, [{ workspaceId: 'team', role: 'viewer' }])
  })
  await t.test('an owner may go when there is another', async t => {
    await ask('change-role', { workspaceId: 'team', userId: 'id-eve', role: 'owner' })
    t.match(await ask('remove-member', { workspaceId: 'team', userId: 'id-ann' }), { removed: true })
    await t.rejects(ask('change-role', { workspaceId: 'team', userId: 'id-eve', role: 'viewer' }), { message: 'Last owner' })
  })
})

onEachStore('the last owner stays, whoever leaves or is demoted at once', async (t, store, rounds) => {
  const { ask, addUser } = await start(t, store)
  const people = ['ann', 'bob', 'eve']
  for (const name of people) await addUser(name)
  for (let round = 0; round < rounds; round++) {
    const workspaceId = `team${round}`
    await ask('create-workspace', { id: workspaceId, name: 'Team', userId: 'id-ann' })
    for (const username of ['bob', 'eve']) await ask('add-member', { workspaceId, username, role: 'owner' })
    const leaving = people.map((name, i) => {
      const userId = `id-${name}`
      return (i + round) % 2
        ? ask('remove-member', { workspaceId, userId })
        : ask('change-role', { workspaceId, userId, role: 'viewer' })
    })
    const settled = await Promise.allSettled(leaving)
    const refused = settled.filter(one => one.status === 'rejected')
    t.match(refused, [{ reason: { code: 'invalid_state', message: 'Last owner' } }], 'the last of the three')
    const owners = (await ask('list-members', { workspaceId })).filter(({ role }) => role === 'owner')
    t.equal(owners.length, 1, `round ${round}`)
    t.match(await ask('describe-user', { username: owners[0]!.username }), { admin: false })
  }
})

onEachStore('an administrator stays, whoever is demoted, disabled or deleted at once', async (t, store, rounds) => {
  const { ask, addUser } = await start(t, store)
  const people = ['ann', 'bob']
  const left = async () => (await ask('list-users', { after: null })).items.filter(user => user.admin && !user.disabled)
  for (const name of people) await addUser(name, { admin: true })
  await addUser('eve')
  for (let round = 0; round < rounds; round++) {
    const taking = people.map((name, i) => {
      const userId = `id-${name}`
      if ((i + round) % 3 === 0) return ask('update-user', { userId, admin: false })
      return (i + round) % 3 === 1 ? ask('update-user', { userId, disabled: true }) : ask('delete-user', { userId, force: false })
    })
    for (const one of await Promise.allSettled(taking)) {
      if (one.status === 'rejected') t.match(one.reason, { code: 'invalid_state', message: 'Last administrator' })
    }
    t.ok((await left()).length >= 1, `round ${round}: somebody is left`)
    for (const name of people) {
      await addUser(name, { admin: true })
      await ask('update-user', { userId: `id-${name}`, admin: true, disabled: false })
    }
    t.match(await ask('update-user', { userId: 'id-eve', disabled: round % 2 === 0 }), { username: 'eve' }, 'others may')
  }
  const [one, two] = people.map(name => ({ userId: `id-${name}` }))
  await ask('update-user', { ...one!, admin: false })
  await t.rejects(ask('update-user', { ...two!, disabled: true }), { message: 'Last administrator' })
  t.match(await ask('update-user', { ...two!, disabled: true, force: true }), { disabled: true })
  t.same(await left(), [])
})

t.test('a deleted account', async t => {
  await t.test('takes its keys, sessions, memberships and binding with it; its name is free', async t => {
    const { addUser, ask, signIn, store, told, logged } = await start(t)
    await addUser('ann', { password: good })
    await ask('create-workspace', { id: 'team', name: 'Team', userId: 'id-ann' })
    const session = { id: 'byoidc', tokenHash: hashToken(makeToken()) }
    const names = { issuer: 'https://id.example', subject: '1', username: 'bob', displayName: '' }
    const { userId } = identityOf(await ask('sign-in-oidc', { ...names, session }))
    const [own] = await ask('list-workspaces', { userId })
    await ask('add-member', { workspaceId: 'team', username: 'bob', role: 'owner' })
    const token = makeToken()
    const key = { id: 'key-bob', userId, description: '', tokenHash: hashToken(token), prefix: tokenPrefix(token) }
    await ask('create-key', key)

    const lastOwner = { code: 'invalid_state', message: 'Last owner', details: /owns "Default" \(\w+\)/ }
    await t.rejects(ask('delete-user', { userId, force: true }), lastOwner)
    await ask('delete-workspace', { id: 'd1', workspaceId: own!.id, force: false })
    await t.rejects(ask('delete-user', { userId, force: false }), {
      message: 'Account is used',
      details: /1 membership and 1 key,/,
    })
    t.match(await ask('authenticate', { tokenHash: key.tokenHash }), { disabled: false }, 'a refusal changes nothing')
    told.length = 0
    t.match(await ask('delete-user', { userId, force: true }), { username: 'bob', workspaces: 1, keys: 1 })
    t.ok(told.includes(`user.${userId}`), 'every gateway hears of it')
    t.match(JSON.parse(logged.at(-1) ?? ''), { level: 30, user: 'bob', keys: 1, msg: 'user deleted' })
    t.equal(await ask('authenticate', { tokenHash: key.tokenHash }), null)
    t.equal(await ask('find-session', { tokenHash: session.tokenHash }), null)
    t.match(await ask('list-members', { workspaceId: 'team' }), [{ username: 'ann' }])
    for (const name of ['keys', 'sessions', 'memberships', 'externalIdentities'] as const)
      t.equal(await store.count(name, { userId }), 0, name)
    await t.rejects(ask('delete-user', { userId, force: true }), { code: 'not_found' })
    const again = identityOf(await ask('sign-in-oidc', { ...names, session: { ...session, id: 'again' } }))
    t.not(again.userId, userId, 'who may still sign in at the provider is somebody new')
    await signIn('ann', good)
  })
  for (const after of [false, true]) {
    await t.test(`is deleted by the next request when one dies ${after ? 'after' : 'before'} any of its writes`, async t => {
      let crashes = 0
      for (let n = 1; n < 20; n++) {
        const store = createMemoryStore()
        const { addUser, ask } = await start(t, store)
        for (const name of ['ann', 'bob']) await addUser(name)
        await ask('create-workspace', { id: 'team', name: 'Team', userId: 'id-ann' })
        await ask('add-member', { workspaceId: 'team', username: 'bob', role: 'viewer' })
        const dying = await start(t, dyingStore(store, n, after))
        const died = await dying.ask('delete-user', { userId: 'id-bob', force: true }).then(
          () => false,
          () => true,
        )
        if (died) await ask('delete-user', { userId: 'id-bob', force: true })
        t.equal(await ask('find-user', { username: 'bob' }), null, `write ${n}`)
        t.match(await ask('list-members', { workspaceId: 'team' }), [{ username: 'ann' }])
        if (!died) break
        crashes++
      }
      t.ok(crashes >= 2, `${crashes} writes were tried`)
    })
  }
})

onEachStore('a deleted workspace is nobody’s at once, and all that was in it goes', async (t, store) => {
  const { ask, addUser, clock, hub, told, logged } = await start(t, store)
  const keeper = await startFakeKeeper(hub.connect(), store, clock)
  t.teardown(() => keeper.close())
  for (const name of ['ann', 'bob']) await addUser(name)
  for (const id of ['team', 'other']) {
    await ask('create-workspace', { id, name: 'Team', userId: 'id-ann' })
    const destination = {
      type: 'webhook',
      url: 'https://x.example/',
      channel: '',
      default: true,
      transformationId: null,
    } as const
    await ask('create-destination', { id: `${id}-hook`, workspaceId: id, name: 'Hook', ...destination })
    await ask('create-transformation', { workspaceId: id, name: 'Plain', template: '{{ summary }}' })
    const key = { id: `${id}-key`, userId: 'id-ann', description: '', tokenHash: hashToken(makeToken()), prefix: '' }
    await ask('create-key', { ...key, scope: { workspaceId: id, actions: [] } })
    const template = { id: `${id}/backup@1`, rev: 1, workspaceId: id, key: 'backup', version: 1, publishedAt: 1, bytes: 2 }
    await store.insert('templates', [{ ...template, template: {} } as never])
    for (let i = 0; i < 20; i++) {
      const subjectId = `${id}-${i}`.padEnd(10, 'x')
      const { slug } = await ask('reserve-name', { workspaceId: id, name: `Site ${i}`, subjectId, fallback: 'x' })
      await store.insert('subjects', [subjectDocument(subjectId, id, slug, `Site ${i}`, website, clock.now())])
    }
  }
  await ask('add-member', { workspaceId: 'team', username: 'bob', role: 'viewer' })
  const refused = ask('delete-workspace', { id: 'd1', workspaceId: 'team', force: false })
  await t.rejects(refused, {
    message: 'Workspace is not empty',
    details: /^It has 20 subjects, 1 destination, 1 transformation, 1 Template revision and 2 members\./,
  })
  t.equal((await ask('list-workspaces', { userId: 'id-bob' })).length, 1, 'a refusal changes nothing')

  keeper.trouble = 'unavailable'
  told.length = 0
  const gone = { name: 'Team', subjects: 20, destinations: 1, transformations: 1, templates: 1, members: 2 }
  t.match(await ask('delete-workspace', { id: 'd2', workspaceId: 'team', force: true }), gone)
  t.match(await ask('delete-workspace', { id: 'd2', workspaceId: 'team', force: true }), gone, 'a repeat answers the first')
  const deletions = logged.filter(line => line.includes('workspace deleted'))
  t.match(
    deletions.map(line => JSON.parse(line)),
    [{ level: 30, workspaceId: 'team', workspace: 'Team', subjects: 20 }],
    'logged once',
  )
  await t.rejects(ask('delete-workspace', { id: 'd3', workspaceId: 'team', force: true }), { code: 'not_found' })
  for (const name of ['ann', 'bob']) t.ok(told.includes(`user.id-${name}`), `gateways forget ${name}`)
  t.match(await ask('list-workspaces', { userId: 'id-ann' }), [{ id: 'other' }])
  t.equal(await ask('workspace-exists', { workspaceId: 'team' }), false)
  t.match((await ask('list-all-workspaces', { after: null })).items, [{ id: 'other' }])
  const missing = { code: 'not_found', message: 'Workspace not found' }
  await t.rejects(ask('list-members', { workspaceId: 'team' }), missing)
  await t.rejects(ask('add-member', { workspaceId: 'team', username: 'bob', role: 'viewer' }), missing)
  await t.rejects(ask('rename-workspace', { workspaceId: 'team', name: 'x' }), missing)

  keeper.trouble = null
  const watched = () => store.count('subjects', { workspaceId: 'team', deletedAt: null })
  await becomes(clock, async () => (await watched()) === 0)
  await becomes(clock, async () => (await store.get('workspaces', ['team']))[0] === null)
  for (const name of removedWithWorkspace) t.equal(await store.count(name, { workspaceId: 'team' }), 0, name)
  t.match(await ask('list-keys', { userId: 'id-ann' }), [{ id: 'other-key' }], 'a key that reaches nothing else goes with it')
  const names = await store.find('names', { limit: 100 })
  t.equal(names.filter(({ workspaceId }) => workspaceId === 'team').length, 0)
  t.equal(names.length, 20, 'those of others stay')
  t.equal(await store.count('subjects', { workspaceId: 'other', deletedAt: null }), 20)
  t.match(await ask('list-destinations', { workspaceId: 'other' }), [{ name: 'Hook' }])
})

t.test('every collection of a workspace is removed with it, or it is said why not', async t => {
  const others = ['subjects', 'incidents', 'names', 'deliveryLog'] as const
  const ofWorkspaces = Object.entries(collections).filter(([, { columns }]) => 'workspaceId' in columns)
  // Subjects and incidents go by the keepers, names by a range of ids, rows of the delivery log by their age.
  t.strictSame(ofWorkspaces.map(([name]) => name).sort(), [...others, ...removedWithWorkspace].sort())
})

/** Turns the clock until it holds: everything here waits for the store, for the bus, or for the clock. */
async function becomes(clock: World['clock'], holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 2_000; i++) {
    if (await holds()) return
    clock.advance(second)
    await new Promise(resolve => setImmediate(resolve))
  }
  throw new Error('it never came true')
}

onEachStore('adding and removing at once leaves the roster and what each person sees in one mind', async (t, store, rounds) => {
  const { ask, addUser } = await start(t, store)
  for (const name of ['ann', 'bob']) await addUser(name)
  await ask('create-workspace', { id: 'team', name: 'Team', userId: 'id-ann' })
  const add = () => ask('add-member', { workspaceId: 'team', username: 'bob', role: 'editor' })
  for (let round = 0; round < rounds; round++) {
    await Promise.all([add(), ask('remove-member', { workspaceId: 'team', userId: 'id-bob' }), add()])
    const listed = (await ask('list-members', { workspaceId: 'team' })).some(member => member.userId === 'id-bob')
    const seen = (await ask('describe-user', { username: 'bob' }))?.memberships.length === 1
    t.equal(seen, listed, `round ${round}`)
  }
})

t.test('keys of a person', async t => {
  const world = await start(t)
  const { ask, addUser, told } = world
  for (const name of ['ann', 'bob']) await addUser(name)
  const [mine, theirs] = [await addKey(world, 'id-ann'), await addKey(world, 'id-bob')]

  await t.test('are listed for that person, or for all', async t => {
    t.match(await ask('list-keys', { userId: 'id-ann' }), [{ id: mine.id, username: 'ann', userId: 'id-ann' }])
    t.equal((await ask('list-keys', { userId: null })).length, 2)
  })
  await t.test('are deleted by their person; another’s is not found and goes on', async t => {
    told.length = 0
    await t.rejects(ask('delete-key', { keyId: theirs.id, userId: 'id-ann' }), { code: 'not_found' })
    t.ok(await theirs.whose())
    t.strictSame(told, [])
    t.strictSame(await ask('delete-key', { keyId: mine.id, userId: 'id-ann' }), { id: mine.id })
    t.equal(await mine.whose(), null)
    t.strictSame(told, [`key.${mine.id}`])
  })
  await t.test('say that their person is disabled', async t => {
    await ask('update-user', { userId: 'id-bob', disabled: true })
    t.match(await theirs.whose(), { disabled: true })
  })
  await t.test('are bounded in number and in their descriptions', async t => {
    const request = { id: 'k', userId: 'id-ann', tokenHash: hashToken('k'), prefix: 'wk_' }
    await t.rejects(ask('create-key', { ...request, description: 'x'.repeat(201) }), { code: 'validation' })
    for (let i = 0; i < limits.key.perUser; i++) await addKey(world, 'id-ann')
    await t.rejects(ask('create-key', { ...request, description: '' }), { code: 'invalid_state', message: 'Too many keys' })
  })
})

t.test('locations', async t => {
  const { ask, store, clock, hub } = await start(t)
  const order = { id: 'aaaa', name: ' de ', displayName: 'Frankfurt' }
  const made = await ask('create-location', order)

  await t.test('are made once, with a name that nobody else has', async t => {
    t.strictSame(made, { id: 'aaaa', name: 'de', displayName: 'Frankfurt', activeWorkers: 0, lastSeenAt: null })
    t.strictSame(await ask('create-location', order), made)
    await t.rejects(ask('create-location', { ...order, id: 'bbbb' }), { code: 'validation', message: 'Location name taken' })
    await t.rejects(ask('create-location', { ...order, name: 'fr' }), { code: 'validation' }, 'the id is another’s')
    for (const name of ['', 'x'.repeat(101), 'a\tb'])
      await t.rejects(ask('create-location', { ...order, id: 'cccc', name }), { code: 'validation', message: 'Invalid name' })
    t.match(await ask('create-location', { id: 'bbbb', name: 'fr', displayName: '' }), { displayName: null })
  })
  await t.test('get another name under the same id', async t => {
    t.match(await ask('update-location', { locationId: 'aaaa', name: 'eu' }), {
      id: 'aaaa',
      name: 'eu',
      displayName: 'Frankfurt',
    })
    t.match(await ask('update-location', { locationId: 'aaaa', displayName: null }), { name: 'eu', displayName: null })
    await t.rejects(ask('update-location', { locationId: 'aaaa', name: 'fr' }), { message: 'Location name taken' })
    await t.rejects(ask('update-location', { locationId: 'none', name: 'x' }), { code: 'not_found' })
    t.match(await ask('ensure-location', { name: 'eu' }), { id: 'aaaa' })
  })
  await t.test('are not removed while a monitor or a prober uses them', async t => {
    const subject = { ...subjectDocument('subject001', 'w', 'a', 'A', website, clock.now()), checkLocations: ['aaaa'] }
    await store.insert('subjects', [subject])
    const used = { code: 'invalid_state', message: 'Location is used' }
    await t.rejects(ask('delete-location', { locationId: 'aaaa' }), used)
    await store.replace('subjects', [{ ...subject, rev: 2, deletedAt: clock.now() }])
    const presence = hub.connect().bucket('presence')
    await presence.put('prober.aaaa.one', {})
    await t.rejects(ask('delete-location', { locationId: 'aaaa' }), { ...used, details: /prober/ })
    await presence.delete('prober.aaaa.one')
    t.strictSame(await ask('delete-location', { locationId: 'aaaa' }), { id: 'aaaa' })
    t.match(
      (await ask('list-locations', {})).map(({ name }) => name),
      ['fr'],
    )
    await t.rejects(ask('delete-location', { locationId: 'aaaa' }), { code: 'not_found' })
  })
})

const website = {
  url: 'https://a.example',
  method: 'GET' as const,
  content_type: 'application/json',
  data: '',
  statuses: [200],
  expected_text: '',
  locations: [],
  interval_value: 1,
  interval_unit: 'MINUTE' as const,
  failure_mode: 'majority' as const,
  confirm_after: null,
  recover_after: null,
}

t.test('over real NATS, two gateways forget within a second what was taken away', async t => {
  const nats = await startTestBus()
  t.teardown(() => nats.stop())
  const clock = createSystemClock()
  t.teardown(() => clock.stop())
  const store = createMemoryStore()
  const surroundings = async (name: string) => ({
    bus: await nats.connect(name),
    clock,
    logger: silent,
    metrics: new Registry(),
  })
  const directory = await startDirectory({ ...(await surroundings('directory')), store })
  t.teardown(() => directory.stop())
  const { ask } = createDirectoryClient(await nats.connect('asker'), clock)
  const addresses: string[] = []
  for (const name of ['one', 'two']) {
    const { fastify, service } = await createGateway(await surroundings(name), { version: '2.0.0', incidentSalt: 'salt' })
    t.teardown(() => service.stop())
    addresses.push(await fastify.listen({ host: '127.0.0.1', port: 0 }))
  }
  const addPerson = async (username: string, role: Role) => {
    const user = await ask('create-user', { id: `id-${username}`, username, displayName: '', password: null, admin: false })
    if (role === 'owner') await ask('create-workspace', { id: 'team', name: 'Team', userId: user.id })
    else await ask('add-member', { workspaceId: 'team', username, role })
    const token = makeToken()
    const key = { id: `key-${username}`, userId: user.id, description: '', tokenHash: hashToken(token), prefix: '' }
    await ask('create-key', key)
    return token
  }
  const [ann, bob, eve] = [await addPerson('ann', 'owner'), await addPerson('bob', 'editor'), await addPerson('eve', 'viewer')]
  const codes = async (token: string): Promise<(number | null)[]> =>
    Promise.all(
      addresses.map(async address => {
        const answer = await fetch(`${address}/api/v2/incidents?workspace_id=team`, {
          headers: { authorization: `Bearer ${token}` },
        })
        return ((await answer.json()) as { error: { code: number } | null }).error?.code ?? null
      }),
    )
  for (const token of [ann, bob, eve]) t.strictSame(await codes(token), [null, null])

  const cases: [what: string, token: string, code: number, take: () => Promise<unknown>][] = [
    ['a deleted key', ann, 1003, () => ask('delete-key', { keyId: 'key-ann', userId: null })],
    ['a disabled account', bob, 1004, () => ask('update-user', { userId: 'id-bob', disabled: true })],
    ['a member taken out', eve, 2005, () => ask('remove-member', { workspaceId: 'team', userId: 'id-eve' })],
  ]
  for (const [what, token, code, take] of cases) {
    await take()
    const takenAt = clock.monotonic()
    let seen = await codes(token)
    while (seen.some(one => one !== code) && clock.monotonic() - takenAt < second) seen = await codes(token)
    t.strictSame(seen, [code, code], `${what}, ${Math.round(clock.monotonic() - takenAt)} ms`)
    t.ok(clock.monotonic() - takenAt < second)
  }
})

t.test('over real NATS, an id that no subject of the bus can hold is that of nobody', async t => {
  const nats = await startTestBus()
  t.teardown(() => nats.stop())
  const clock = createSystemClock()
  t.teardown(() => clock.stop())
  const bus = await nats.connect('directory')
  const service = await startDirectory({ bus, clock, store: createMemoryStore(), logger: silent, metrics: new Registry() })
  t.teardown(() => service.stop())
  const { ask } = createDirectoryClient(await nats.connect('asker'), clock)
  await ask('create-user', { id: 'id-ann', username: 'ann', displayName: '', password: null, admin: false })
  await ask('create-workspace', { id: 'team', name: 'Team', userId: 'id-ann' })
  for (const id of ['.', '..', 'a..b', '.a']) {
    await t.rejects(ask('delete-key', { keyId: id, userId: null }), { code: 'not_found' }, id)
    t.strictSame(await ask('remove-member', { workspaceId: 'team', userId: id }), { userId: id, removed: false })
  }
})
