// People in the directory: passwords, sign-in by password and OIDC, sessions. Races run on every store.
import t, { type Test } from 'tap'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import { day, hour, limits, minute, second } from '#shared/limits/limits.ts'
import { randomId } from '#shared/text/ids.ts'
import { hashToken, makeToken } from '#shared/tokens/api-token.ts'
import { bootstrap } from '../../../services/directory/people/bootstrap.ts'
import { createPasswords } from '../../../services/directory/people/passwords.ts'
import { networkOf } from '../../../services/directory/people/sign-in-throttle.ts'
import { dyingStore } from '../../support/store/dying-store.ts'
import { createMemoryStore } from '../../support/store/memory-store.ts'
import { good, identityOf, onEachStore, start, type World } from '../../support/worlds/people-world.ts'

t.test('passwords', async t => {
  const passwords = createPasswords()
  await t.test('password is accepted in another Unicode form', async t => {
    const kept = await passwords.hash('Ångström ﬁne')
    t.equal(await passwords.verify('A\u030angstro\u0308m fine', kept), true)
    t.equal(await passwords.verify('Angstrom fine', kept), false)
  })
  await t.test('length of a password counts characters, and two hashes of one password differ', async t => {
    for (const password of ['12345678', '🐎'.repeat(8), 'x'.repeat(1_024)]) {
      t.equal(await passwords.verify(password, await passwords.hash(password)), true)
    }
    await t.rejects(passwords.hash('🐎'.repeat(7)), { message: 'Invalid password' })
    t.not(await passwords.hash('12345678'), await passwords.hash('12345678'))
  })
  await t.test('password is verified against a hash with other parameters', async t => {
    // Test vector of argon2's reference implementation: password "password", salt "somesalt".
    const kept = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
    t.equal(await passwords.verify('password', kept), true)
    t.equal(await passwords.verify('passwort', kept), false)
    t.equal(await passwords.verify('password', 'no PHC text'), false)
  })
  await t.test(
    'password check of a user without a password fails after the usual time, and too many concurrent checks are refused',
    async t => {
      const { atOnce, waiting } = limits.password
      const asked = Array.from({ length: atOnce + waiting + 1 }, () => passwords.verify(good, undefined))
      const settled = await Promise.allSettled(asked)
      t.strictSame(
        new Set(settled.slice(0, -1).map(one => (one.status === 'fulfilled' ? one.value : one.reason))),
        new Set([false]),
      )
      t.match(settled.at(-1), { status: 'rejected', reason: { code: 'busy' } })
      t.equal(await passwords.verify(good, await passwords.hash(good)), true, 'and afterwards it goes on')
    },
  )
})

t.test('sign-in', async t => {
  await t.test('right password begins a session, and only the hash of its token is stored', async t => {
    const { ask, addUser, signIn, store } = await start(t)
    await addUser('ann', { password: good, displayName: 'Ann' })
    const { id, tokenHash, outcome } = await signIn('ANN', good)
    t.match(identityOf(outcome), { sessionId: id, userId: 'id-ann', username: 'ann', displayName: 'Ann', hasPassword: true })
    t.strictSame(await ask('find-session', { tokenHash }), identityOf(outcome))
    t.match(await ask('find-user', { username: 'ann' }), { signedInAt: /\d/ })
    t.equal(await store.count('sessions', {}), 1)
  })
  await t.test('refusal is the same whether the user exists or not', async t => {
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
  await t.test('repeated sign-in returns the same session', async t => {
    const { addUser, ask, store } = await start(t)
    await addUser('ann', { password: good })
    const request = { username: 'ann', password: good, client: 'here', session: { id: 's', tokenHash: hashToken('t') } }
    const first = await ask('sign-in', request)
    t.strictSame(await ask('sign-in', request), first)
    t.equal(await store.count('sessions', {}), 1)
    const stolen = { ...request, session: { id: 's', tokenHash: hashToken('another') } }
    await t.rejects(ask('sign-in', stolen), { code: 'validation' }, 'the id does not open another’s session')
  })
  await t.test('sign-in above the session bound of a person ends the oldest session', async t => {
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
  await t.test('each bad sign-in for a name from one network doubles the waiting time up to a minute', async t => {
    const world = await start(t)
    await world.addUser('ann', { password: good })
    t.same(await bad(world, limits.signIn.triesPerName, () => 'ann'), Array(5).fill('wrong'))
    const waits: number[] = []
    for (let i = 0; i < 8; i++) {
      const { outcome } = await world.signIn('ann', good)
      if (outcome.outcome !== 'wait') throw new Error('no wait')
      waits.push(outcome.retryAfterMs)
      world.clock.advance(outcome.retryAfterMs)
      await world.signIn('ann', 'wrong password')
    }
    t.strictSame(
      waits,
      [1, 2, 4, 8, 16, 32, 60, 60].map(seconds => seconds * second),
    )
    t.equal((await world.signIn('ann', good, { client: '198.51.100.1' })).outcome.outcome, 'signed-in', 'nobody elsewhere waits')
    world.clock.advance(minute - 1)
    t.match((await world.signIn('ann', good)).outcome, {
      message: 'Too many sign-ins failed; try again in 1s',
      retryAfterMs: second,
    })
    world.clock.advance(1)
    t.equal((await world.signIn('ann', good)).outcome.outcome, 'signed-in')
    t.same(await bad(world, 5, () => 'ann'), Array(5).fill('wrong'), 'a right one begins anew')
  })
  await t.test('one network that goes on for hours delays nobody elsewhere, several networks delay unknown browsers', async t => {
    const world = await start(t)
    await world.addUser('ann', { password: good })
    for (let i = 0; i < 100; i++) {
      await world.signIn('ann', 'wrong password', { client: '203.0.113.1' })
      world.clock.advance(minute)
    }
    t.equal((await world.signIn('ann', good, { client: '198.51.100.1' })).outcome.outcome, 'signed-in')
    const { triesPerNameInAll } = limits.signIn
    for (let i = 0; i < triesPerNameInAll; i++) await bad(world, 1, () => 'ann', `203.0.113.${i + 10}`)
    t.match((await world.signIn('ann', good, { client: '198.51.100.1' })).outcome, { outcome: 'wait', retryAfterMs: second })
  })
  await t.test('browser that signed in before is delayed only by its own wrong tries', async t => {
    const world = await start(t, createMemoryStore(), { incidentSalt: 'secret' })
    for (const name of ['ann', 'bob']) await world.addUser(name, { password: good })
    const marked = async (name: string, client: string) => {
      const { outcome } = await world.signIn(name, good, { client })
      return (outcome.outcome === 'signed-in' && outcome.mark) || ''
    }
    const [mark, another] = [await marked('ann', '192.0.2.1'), await marked('bob', '192.0.2.1')]
    for (let i = 0; i < limits.signIn.triesPerNameInAll; i++) await bad(world, 1, () => 'ann', `203.0.113.${i}`)
    const with_ = async (sent: string, password = good) =>
      (await world.signIn('ann', password, { client: '203.0.113.1', mark: sent })).outcome.outcome
    for (const forged of ['', 'x', another, `${mark}x`, mark.replace('id-ann', 'id-bob'), mark.slice(0, -1), `${mark}.x`]) {
      t.equal(await with_(forged), 'wait', forged)
    }
    t.equal(await with_(mark), 'signed-in')
    for (let i = 0; i < limits.signIn.triesPerName; i++) t.equal(await with_(mark, 'wrong password'), 'wrong')
    t.equal(await with_(mark), 'wait', 'a stolen mark does not help to guess')
    world.clock.advance(limits.signIn.knownMs)
    await bad(world, 5, () => 'ann', '203.0.113.1')
    t.equal(await with_(mark), 'wait', 'a mark ends after a year')
  })
  await t.test('bad sign-ins for an unknown name wait as long as for a known name', async t => {
    const world = await start(t)
    t.same(await bad(world, 6, () => 'ghost'), [...Array(5).fill('wrong'), 'wait'])
  })
  await t.test('bad sign-ins from one network wait, whatever names they use', async t => {
    const world = await start(t)
    await world.addUser('ann', { password: good })
    const { triesPerClient } = limits.signIn
    t.same(await bad(world, triesPerClient, i => `name${i}`, '2001:db8::1'), Array(triesPerClient).fill('wrong'))
    t.match((await world.signIn('ann', good, { client: '2001:db8::ffff:2' })).outcome, { outcome: 'wait' })
    t.match((await world.signIn('ann', good, { client: '2001:db8:0:1::1' })).outcome, { outcome: 'signed-in' }, 'others need not')
  })
  await t.test('right sign-in does not reset the waiting time of its network', async t => {
    const world = await start(t)
    await world.addUser('ann', { password: good })
    const { triesPerClient } = limits.signIn
    t.same(await bad(world, triesPerClient - 1, i => `name${i}`, 'x'), Array(triesPerClient - 1).fill('wrong'))
    t.match((await world.signIn('ann', good, { client: 'x' })).outcome, { outcome: 'signed-in' })
    t.same(await bad(world, 2, i => `more${i}`, 'x'), ['wrong', 'wait'])
  })
  await t.test('bad sign-ins no longer count after an hour, and are removed from the store', async t => {
    const world = await start(t)
    await bad(world, 5, () => 'ann')
    world.clock.advance(hour + second)
    t.same(await bad(world, 5, () => 'ann'), Array(5).fill('wrong'))
    world.clock.advance(hour + 2 * minute)
    await new Promise(resolve => setImmediate(resolve))
    t.equal(await world.store.count('signInTries', {}), 0)
  })
  await t.test('bad sign-ins stored by a process with a fast clock do not prolong the waiting time', async t => {
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
  await t.test('bad sign-in counts once when the bus repeats its request', async t => {
    const world = await start(t)
    for (let i = 0; i < 10; i++) t.equal((await world.signIn('ann', 'wrong password', { id: 'same' })).outcome.outcome, 'wrong')
    t.same(await bad(world, 5, () => 'ann'), [...Array(4).fill('wrong'), 'wait'])
  })
  await t.test('network is one IPv4 address or the first 64 bits of an IPv6 address', async t => {
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

onEachStore('of many concurrent guesses from many networks only the free ones are verified', async (t, store) => {
  const { addUser, signIn } = await start(t, store)
  await addUser('ann', { password: good })
  const guesses = Array.from({ length: 30 }, (_, i) => signIn('ann', 'wrong password', { client: `198.51.100.${i}` }))
  const outcomes = (await Promise.all(guesses)).map(({ outcome }) => outcome.outcome)
  t.equal(outcomes.filter(outcome => outcome === 'wrong').length, limits.signIn.triesPerNameInAll)
  t.equal(outcomes.filter(outcome => outcome === 'wait').length, 30 - limits.signIn.triesPerNameInAll)
})

t.test('sessions', async t => {
  const begin = async (t: Test) => {
    const world = await start(t)
    await world.addUser('ann', { password: good })
    const { id, tokenHash } = await world.signIn('ann', good)
    return { ...world, id, tokenHash, find: () => world.ask('find-session', { tokenHash }) }
  }
  await t.test('session ends two weeks after its last use', async t => {
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
  await t.test('session ends after 90 days of use, and its last use is stored at most once an hour', async t => {
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
  await t.test('sign-out ends its own session only', async t => {
    const { ask, signIn, find, id } = await begin(t)
    const other = await signIn('ann', good)
    await ask('sign-out', { sessionId: id })
    await ask('sign-out', { sessionId: id })
    t.equal(await find(), null)
    t.ok(await ask('find-session', { tokenHash: other.tokenHash }))
  })
  await t.test('session can begin when a process with a fast clock has already begun the maximum number of sessions', async t => {
    const ahead = await begin(t)
    ahead.clock.advance(day)
    for (let i = 0; i < limits.sessions.perUser; i++) await ahead.signIn('ann', good)
    const { ask, signIn } = await start(t, ahead.store)
    t.ok(await ask('find-session', { tokenHash: (await signIn('ann', good, { id: 'now' })).tokenHash }))
    t.equal(await ahead.store.count('sessions', {}), limits.sessions.perUser)
  })
  await t.test('all sessions of a person end together, and a later session is valid', async t => {
    const { ask, signIn, find, told } = await begin(t)
    told.length = 0
    await ask('end-sessions', { userId: 'id-ann' })
    t.equal(await find(), null)
    t.strictSame(told, ['user.id-ann'])
    t.ok(await ask('find-session', { tokenHash: (await signIn('ann', good)).tokenHash }))
  })
  await t.test('session ends when its account is disabled, and stays ended when the account is enabled', async t => {
    const { ask, find, signIn } = await begin(t)
    await ask('update-user', { userId: 'id-ann', disabled: true })
    t.equal(await find(), null)
    t.match((await signIn('ann', good)).outcome, { outcome: 'disabled' })
    await ask('update-user', { userId: 'id-ann', disabled: false })
    t.equal(await find(), null)
    t.match((await signIn('ann', good)).outcome, { outcome: 'signed-in' })
  })
  await t.test('token of a key is no session, and token of a session is no key', async t => {
    const { ask, tokenHash } = await begin(t)
    t.equal(await ask('authenticate', { tokenHash }), null)
  })
})

t.test('new password', async t => {
  const better = 'staple of another kind'
  await t.test('new password replaces the old password and ends all sessions except the requesting session', async t => {
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
  await t.test('repeated request for a new password restores no session that ended before', async t => {
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
  await t.test('new password restores no session that ended while its request ran', async t => {
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
  await t.test('person needs the present password for a new password, and a wrong one counts as a bad sign-in', async t => {
    const { addUser, ask, signIn } = await start(t)
    await addUser('ann', { password: good })
    const change = (password: string, attemptId: string) =>
      ask('set-password', { userId: 'id-ann', password: better, current: { password, client: 'here', attemptId } })
    for (let i = 0; i < 5; i++) t.match(await change('wrong password', `w${i}`), { outcome: 'wrong' })
    t.match(await change(good, 'late'), { outcome: 'wait', retryAfterMs: second })
    t.match((await signIn('ann', good, { client: 'here' })).outcome, { outcome: 'wait' })
  })
  await t.test('wrong present password that equals the new password is refused, and counts as one guess', async t => {
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
  await t.test('administrator sets the first or a new password of a person without the present password', async t => {
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

onEachStore('sign-in by the old password leaves no session while the password changes', async (t, store, rounds) => {
  const { addUser, ask, signIn } = await start(t, store)
  await addUser('ann', { password: 'password 0' })
  for (let i = 0; i < Math.min(rounds, 5); i++) {
    const old = `password ${i}`
    const change = ask('set-password', { userId: 'id-ann', password: `password ${i + 1}` })
    const tries = await Promise.all([0, 1, 2].map(() => signIn('ann', old)))
    await change
    // Sessions that began before the change are ended, too.
    for (const { tokenHash } of tries) t.equal(await ask('find-session', { tokenHash }), null)
    await signIn('ann', `password ${i + 1}`)
  }
})

t.test('first sign-in', async t => {
  await t.test('first sign-in of a person without a workspace creates one workspace `Default`', async t => {
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
  await t.test('sign-in of a present or former member creates no workspace', async t => {
    const { addUser, ask, signIn } = await start(t)
    await addUser('ann', { password: good })
    await addUser('bob', { password: good })
    await ask('create-workspace', { id: 'team', name: 'Team', userId: 'id-ann' })
    await ask('add-member', { workspaceId: 'team', username: 'bob', role: 'viewer' })
    t.strictSame(identityOf((await signIn('bob', good)).outcome).memberships, [{ workspaceId: 'team', role: 'viewer' }])
    await ask('remove-member', { workspaceId: 'team', userId: 'id-bob' })
    t.strictSame(identityOf((await signIn('bob', good)).outcome).memberships, [])
  })
  await t.test('first sign-in by password or OIDC creates no workspace with NEW_USER_WORKSPACE=none', async t => {
    const { addUser, ask, signIn } = await start(t, createMemoryStore(), { newUserWorkspace: 'none' })
    await addUser('ann', { password: good })
    t.strictSame(identityOf((await signIn('ann', good)).outcome).memberships, [])
    const session = { id: 'byoidc', tokenHash: hashToken(makeToken()) }
    const names = { issuer: 'https://id.example', subject: '1', username: 'bob', displayName: '' }
    t.strictSame(identityOf(await ask('sign-in-oidc', { ...names, session })).memberships, [])
    t.match(await ask('find-user', { username: 'bob' }), { signedInAt: Number })
  })
  await t.test('first sign-in of the installation’s owner finds the existing workspace', async t => {
    const { ask, signIn, store, clock } = await start(t)
    const { workspaceId } = await bootstrap({ store, clock }, { location: 'local' })
    const owner = await ask('find-user', { username: 'owner' })
    t.match(owner, { admin: true, hasPassword: false })
    await ask('set-password', { userId: owner!.id, password: good })
    t.strictSame(identityOf((await signIn('owner', good)).outcome).memberships, [{ workspaceId, role: 'owner' }])
  })
  for (const after of [false, true]) {
    await t.test(`next sign-in creates the missing objects after a crash ${after ? 'after' : 'before'} any write`, async t => {
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

t.test('sign-in by OIDC finds or creates the account of an issuer and subject', async t => {
  const request = (subject: string, more: Partial<AskRequest<'sign-in-oidc'>> = {}): AskRequest<'sign-in-oidc'> => ({
    issuer: 'https://id.example',
    subject,
    username: 'Ann@Example.org',
    displayName: 'Ann',
    session: { id: `s-${randomId(8)}`, tokenHash: hashToken(randomId(8)) },
    ...more,
  })
  await t.test(
    'sign-in by OIDC creates one user with a workspace for each issuer and subject, and finds a renamed user',
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
  await t.test('sign-in by OIDC never finds an account of another issuer or an account with a password', async t => {
    const { ask, addUser } = await start(t)
    await addUser('ann@example.org', { id: 'local', password: good, admin: true })
    t.match(identityOf(await ask('sign-in-oidc', request('1'))), {
      username: 'ann@example.org-2',
      admin: false,
      hasPassword: false,
    })
    t.match(identityOf(await ask('sign-in-oidc', request('2'))), { username: 'ann@example.org-3' })
  })
  await t.test('sign-in by OIDC uses names that the provider proposes if they are valid', async t => {
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
  await t.test('sign-in by OIDC to a disabled account is refused', async t => {
    const { ask } = await start(t)
    const { userId } = identityOf(await ask('sign-in-oidc', request('1')))
    await ask('update-user', { userId, disabled: true })
    t.match(await ask('sign-in-oidc', request('1')), { outcome: 'disabled' })
  })
})
