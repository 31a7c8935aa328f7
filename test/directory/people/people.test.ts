// People in the directory: accounts, workspaces and their members, keys, locations. Races run on every store.
import { Registry } from 'prom-client'
import t from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { Role } from '#shared/contracts/account.ts'
import type { AskRequest } from '#shared/contracts/ask/ask.ts'
import { limits, second } from '#shared/limits/limits.ts'
import { collections } from '#shared/store/collections.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { hashToken, makeToken, tokenPrefix } from '#shared/tokens/api-token.ts'
import { startDirectory } from '../../../services/directory/app.ts'
import { removedWithWorkspace } from '../../../services/directory/people/remove-workspaces.ts'
import { createGateway } from '../../../services/gateway/app.ts'
import { startTestBus } from '../../support/bus/nats.ts'
import { websiteCheck } from '../../support/checks.ts'
import { dyingStore } from '../../support/store/dying-store.ts'
import { createMemoryStore } from '../../support/store/memory-store.ts'
import { startFakeKeeper, subjectDocument } from '../../support/worlds/fake-keeper.ts'
import { addKey, good, identityOf, onEachStore, silent, start, type World } from '../../support/worlds/people-world.ts'

t.test('accounts', async t => {
  const { ask, addUser, store, clock, told } = await start(t, createMemoryStore(), { passwordCost: limits.password })
  const ann = await addUser('Ann', { displayName: ' Ann Other ', password: good })

  await t.test('username is stored normalised, found in any case, and created once', async t => {
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
  await t.test('invalid account is refused with a readable message and not stored', async t => {
    const before = await store.count('users', {})
    const refused: [what: string, change: Partial<AskRequest<'create-user'>>, message: string][] = [
      ['an empty name', { username: ' ' }, 'Invalid username'],
      ['a blank in a name', { username: 'a b' }, 'Invalid username'],
      ['a name that looks like another', { username: 'аnn' }, 'Invalid username'],
      ['a long name', { username: 'a'.repeat(65) }, 'Invalid username'],
      ['a long display name', { displayName: 'x'.repeat(101) }, 'Invalid display name'],
      ['a line break in a display name', { displayName: 'a\nb' }, 'Invalid display name'],
      ['a short password', { password: '1234567' }, 'Invalid password'],
      ['a long password', { password: 'x'.repeat(1_025) }, 'Invalid password'],
    ]
    for (const [what, change, message] of refused) {
      await t.rejects(addUser('bob', { id: 'bob', ...change }), { code: 'validation', message }, what)
    }
    const taken = { code: 'taken', message: 'Username taken' }
    await t.rejects(addUser('bob', { id: 'bob', username: 'ANN' }), taken, 'a name in use, in other letters')
    await t.rejects(addUser('bob', { id: ann.id }), { code: 'validation', message: 'User exists' })
    t.equal(await store.count('users', {}), before)
  })
  await t.test('password is stored only as an argon2id hash, and never returned', async t => {
    const [kept] = await store.get('users', [ann.id])
    t.match(kept?.password, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22,}\$[A-Za-z0-9+/]{43}$/)
    t.notMatch(JSON.stringify(await store.find('users', { limit: 10 })), good)
    t.notMatch(JSON.stringify([await ask('list-users', {}), ann]), 'argon2id')
  })
  await t.test('accounts are listed in pages by creation', async t => {
    clock.advance(1)
    await addUser('bob')
    t.match(await ask('list-users', {}), { items: [{ username: 'ann' }, { username: 'bob' }], next: null })
  })
  await t.test('change of an account keeps unsent fields and sends a revocation to every gateway', async t => {
    told.length = 0
    t.match(await ask('update-user', { userId: ann.id, admin: true }), { displayName: 'Ann Other', admin: true })
    t.match(await ask('update-user', { userId: ann.id, displayName: '' }), { displayName: '', admin: true })
    t.strictSame(told, [`user.${ann.id}`, `user.${ann.id}`])
    await t.rejects(ask('update-user', { userId: 'nobody' }), { code: 'not_found' })
  })
})

t.test('workspaces and their members are created, changed and removed', async t => {
  const world = await start(t)
  const { ask, addUser, told, store } = world
  for (const name of ['ann', 'bob', 'eve']) await addUser(name)
  const order = { id: 'team', name: ' Team ', userId: 'id-ann' }
  const key = await addKey(world, 'id-bob')
  const role = async () => (await key.whose())?.memberships.find(({ workspaceId }) => workspaceId === 'team')?.role ?? null

  await t.test('creator owns a workspace, and a retry creates no second workspace', async t => {
    t.strictSame(await ask('create-workspace', order), { id: 'team', name: 'Team', role: 'owner' })
    t.strictSame(await ask('create-workspace', order), { id: 'team', name: 'Team', role: 'owner' })
    await t.rejects(ask('create-workspace', { ...order, userId: 'id-eve' }), { code: 'validation' })
    await t.rejects(ask('create-workspace', { ...order, userId: 'nobody' }), { code: 'not_found' })
    for (const name of ['', ' ', 'x'.repeat(61), 'a\u0007'])
      await t.rejects(ask('create-workspace', { ...order, id: 'w2', name }), { code: 'validation', message: 'Invalid name' })
    t.match(await ask('list-all-workspaces', {}), { items: [{ id: 'team', name: 'Team', members: 1 }], next: null })
  })
  await t.test('renamed workspace shows its new name, and an unknown workspace is refused', async t => {
    t.strictSame(await ask('rename-workspace', { workspaceId: 'team', name: 'Crew' }), { id: 'team', name: 'Crew' })
    t.match(await ask('list-workspaces', { userId: 'id-ann' }), [{ name: 'Crew', role: 'owner' }])
    await t.rejects(ask('rename-workspace', { workspaceId: 'none', name: 'Crew' }), { code: 'not_found' })
  })
  await t.test('role applies from the next request when it is given, changed or removed, and gateways are notified', async t => {
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
  await t.test('refused change of a membership stores nothing', async t => {
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
  await t.test(
    'person has a bounded number of workspaces, and a retry of the last creation returns the first result',
    async t => {
      for (let i = 0; i <= limits.people.workspacesPerUser; i++)
        await store.insert('workspaces', [{ id: `w${i}`, rev: 1, name: 'Team', createdAt: 1, members: { 'id-ann': 'owner' } }])
      const add = (i: number) => ask('add-member', { workspaceId: `w${i}`, username: 'bob', role: 'viewer' })
      for (let i = 0; i < limits.people.workspacesPerUser; i++) await add(i)
      t.match(await add(limits.people.workspacesPerUser - 1), { userId: 'id-bob', role: 'viewer' })
      await t.rejects(add(limits.people.workspacesPerUser), { message: 'Too many workspaces' })
    },
  )
  await t.test('person sees all present workspaces even if one read cannot return all former memberships', async t => {
    const left = Array.from({ length: limits.directory.listed }, (_, i) => ({ id: `left${i}.id-eve`, workspaceId: `left${i}` }))
    await store.insert(
      'memberships',
      left.map(hint => ({ ...hint, rev: 1, userId: 'id-eve' })),
    )
    t.match(await ask('list-workspaces', { userId: 'id-eve' }), [{ id: 'team', role: 'viewer' }])
    t.match((await ask('describe-user', { username: 'eve' }))?.memberships, [{ workspaceId: 'team', role: 'viewer' }])
  })
  await t.test('owner may leave when the workspace has another owner', async t => {
    await ask('change-role', { workspaceId: 'team', userId: 'id-eve', role: 'owner', byAdministrator: true })
    t.match(await ask('remove-member', { workspaceId: 'team', userId: 'id-ann' }), { removed: true })
    await t.rejects(ask('change-role', { workspaceId: 'team', userId: 'id-eve', role: 'viewer' }), { message: 'Last owner' })
  })
})

onEachStore('last owner stays when all leave or are demoted at once', async (t, store, rounds) => {
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

onEachStore('last administrator stays when all are demoted, disabled or deleted at once', async (t, store, rounds) => {
  const { ask, addUser } = await start(t, store)
  const people = ['ann', 'bob']
  const left = async () => (await ask('list-users', { after: null })).items.filter(user => user.admin && !user.disabled)
  for (const name of people) await addUser(name, { admin: true })
  await addUser('eve')
  for (let round = 0; round < rounds; round++) {
    const taking = people.map((name, i) => {
      const userId = `id-${name}`
      if ((i + round) % 3 === 0) return ask('update-user', { userId, admin: false })
      if ((i + round) % 3 === 1) return ask('update-user', { userId, disabled: true })
      return ask('delete-user', { userId, force: round % 2 === 0, keepAdministrator: true })
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
  await t.rejects(ask('delete-user', { ...two!, force: true, keepAdministrator: true }), { message: 'Last administrator' })
  t.match(await ask('update-user', { ...two!, disabled: true, force: true }), { disabled: true })
  t.same(await left(), [])
})

t.test('deleted account', async t => {
  await t.test('deletion of an account removes its keys, sessions, memberships and OIDC binding, and frees its name', async t => {
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
    await t.test(`next request finishes a deletion that stopped ${after ? 'after' : 'before'} any of its writes`, async t => {
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

onEachStore('deleted workspace is inaccessible at once, and its content is removed', async (t, store) => {
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

t.test('every collection of a workspace is removed with the workspace, except four that are removed in other ways', async t => {
  const others = ['subjects', 'incidents', 'names', 'deliveryLog'] as const
  const ofWorkspaces = Object.entries(collections).filter(([, { columns }]) => 'workspaceId' in columns)
  // Keepers remove subjects and incidents, names are removed as a range of ids, and rows of the delivery log expire.
  t.strictSame(ofWorkspaces.map(([name]) => name).sort(), [...others, ...removedWithWorkspace].sort())
})

onEachStore('roster and view of each person agree when adding and removing meet', async (t, store, rounds) => {
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

t.test('keys of a person are listed, deleted and bounded in number', async t => {
  const world = await start(t)
  const { ask, addUser, told } = world
  for (const name of ['ann', 'bob']) await addUser(name)
  const [mine, theirs] = [await addKey(world, 'id-ann'), await addKey(world, 'id-bob')]

  await t.test('keys are listed for one person or for all people', async t => {
    t.match(await ask('list-keys', { userId: 'id-ann' }), [{ id: mine.id, username: 'ann', userId: 'id-ann' }])
    t.equal((await ask('list-keys', { userId: null })).length, 2)
  })
  await t.test('person deletes their own key, and the key of another person is not found', async t => {
    told.length = 0
    await t.rejects(ask('delete-key', { keyId: theirs.id, userId: 'id-ann' }), { code: 'not_found' })
    t.ok(await theirs.whose())
    t.strictSame(told, [])
    t.strictSame(await ask('delete-key', { keyId: mine.id, userId: 'id-ann' }), { id: mine.id })
    t.equal(await mine.whose(), null)
    t.strictSame(told, [`key.${mine.id}`])
  })
  await t.test('request with the key of a disabled person is refused with the reason that the person is disabled', async t => {
    await ask('update-user', { userId: 'id-bob', disabled: true })
    t.match(await theirs.whose(), { disabled: true })
  })
  await t.test('keys are bounded in number, and their descriptions in length', async t => {
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

  await t.test('location is created once, with a unique name', async t => {
    const nobody = { activeWorkers: 0, lastSeenAt: null, unable: {}, load: { perSecond: 0, most: 0 } }
    t.strictSame(made, { id: 'aaaa', name: 'de', displayName: 'Frankfurt', ...nobody })
    t.strictSame(await ask('create-location', order), made)
    await t.rejects(ask('create-location', { ...order, id: 'bbbb' }), { code: 'taken', message: 'Location name taken' })
    await t.rejects(ask('create-location', { ...order, name: 'fr' }), { code: 'taken' }, 'the id is another’s')
    for (const name of ['', 'x'.repeat(101), 'a\tb'])
      await t.rejects(ask('create-location', { ...order, id: 'cccc', name }), { code: 'validation', message: 'Invalid name' })
    t.match(await ask('create-location', { id: 'bbbb', name: 'fr', displayName: '' }), { displayName: null })
  })
  await t.test('location keeps its id when it is renamed', async t => {
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
  await t.test('location is not removed while a monitor or a prober uses it', async t => {
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

const website = websiteCheck({ url: 'https://a.example', locations: [] })

t.test('two gateways on real NATS refuse removed rights within a second', async t => {
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

t.test('id that cannot be part of a bus subject is not found on real NATS', async t => {
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

/** Advances the clock until the condition is true. The condition may also wait for the store or the bus. */
async function becomes(clock: World['clock'], holds: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 2_000; i++) {
    if (await holds()) return
    clock.advance(second)
    await new Promise(resolve => setImmediate(resolve))
  }
  throw new Error('it never came true')
}
