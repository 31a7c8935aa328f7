// Invitations in the directory: what stands, what has ended, bounds, races, and what an invitation reads.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { dyingStore } from '../../support/store/dying-store.ts'
import { createMemoryStore } from '../../support/store/memory-store.ts'
import { onEachStore, start } from '../../support/worlds/people-world.ts'

/** People ann (owner of the workspace `team`), bob and eve. */
async function startTeam(t: Test, store: Store = createMemoryStore()) {
  const world = await start(t, store)
  for (const name of ['ann', 'bob', 'eve']) await world.addUser(name)
  await world.ask('create-workspace', { id: 'team', name: 'Team', userId: 'id-ann' })
  let made = 0
  const invite = (
    username: string,
    more: { id?: string; workspaceId?: string; inviterId?: string; role?: 'owner' | 'viewer' } = {},
  ) => {
    const workspaceId = more.workspaceId ?? 'team'
    const id = more.id ?? `${workspaceId}.i${++made}`
    return world.ask('invite', {
      ...{ id, workspaceId, inviterId: 'id-ann', username, role: 'viewer' },
      ...more,
      id,
      workspaceId,
    })
  }
  const own = (name: string) => world.ask('list-invitations', { userId: `id-${name}` })
  const accept = (name: string, invitationId: string) => world.ask('accept-invitation', { userId: `id-${name}`, invitationId })
  const pending = () => world.ask('list-workspace-invitations', { workspaceId: 'team' })
  const roster = async () =>
    Object.fromEntries((await world.ask('list-members', { workspaceId: 'team' })).map(({ username, role }) => [username, role]))
  return { ...world, invite, own, accept, pending, roster }
}

const missing = { code: 'not_found', message: 'Invitation not found' }

/** Wraps a store. `reads` has every operation with its collection, in order. */
function recorded(store: Store): { store: Store; reads: string[] } {
  const reads: string[] = []
  const wrapped = { ...store } as Record<string, unknown>
  for (const operation of ['get', 'find', 'count', 'insert', 'replace', 'delete'] as const) {
    wrapped[operation] = (collection: string, ...rest: unknown[]) => {
      reads.push(`${operation} ${collection}`)
      return (store[operation] as (...given: unknown[]) => unknown)(collection, ...rest)
    }
  }
  return { store: wrapped as unknown as Store, reads }
}

t.test('invitation does the same work whether or not somebody has the name', async t => {
  const { store, reads } = recorded(createMemoryStore())
  const { invite } = await startTeam(t, store)
  const workOf = async (username: string) => {
    reads.length = 0
    await invite(username)
    return [...reads]
  }
  const known = await workOf('bob')
  t.strictSame(await workOf('nobody'), known)
  t.notOk(known.includes('find users'), 'no account is looked up by the name')
})

t.test('person reads their own invitations without a read of other workspaces', async t => {
  const { store, reads } = recorded(createMemoryStore())
  const { invite, own, ask } = await startTeam(t, store)
  for (let i = 0; i < 30; i++) await ask('create-workspace', { id: `other${i}`, name: 'Other', userId: 'id-eve' })
  reads.length = 0
  t.strictSame(await own('bob'), [])
  t.strictSame(reads, ['get users', 'find invitations'])
  await invite('bob')
  reads.length = 0
  t.match(await own('bob'), [{ workspace: 'Team', role: 'viewer', invitedBy: { username: 'ann' } }])
  t.strictSame(reads, ['get users', 'find invitations', 'get workspaces', 'get users'])
})

t.test('only workspaces that a person made or accepted count toward the limit', async t => {
  const { invite, own, accept, ask } = await startTeam(t)
  const most = limits.people.workspacesPerUser
  for (let i = 0; i < most; i++) {
    await ask('create-workspace', { id: `mine${i}`, name: 'Mine', userId: i < most - 1 ? 'id-bob' : 'id-eve' })
  }
  const ids: string[] = []
  for (let i = 0; i < 2; i++) {
    await ask('create-workspace', { id: `more${i}`, name: 'More', userId: 'id-ann' })
    ids.push((await invite('bob', { workspaceId: `more${i}` })).id)
  }
  t.equal((await own('bob')).length, 2, 'invitations take no room')
  t.match(await accept('bob', ids[0]!), { id: 'more0' })
  await t.rejects(accept('bob', ids[1]!), { message: 'Too many workspaces' })
  t.equal((await own('bob')).length, 1, 'and it can be accepted later')
})

t.test('second invitation of a name replaces the first, and a retry returns the first response', async t => {
  const { invite, own, accept, pending, clock, store } = await startTeam(t)
  const first = await invite('bob', { id: 'team.one' })
  clock.advance(1)
  t.strictSame(await invite('bob', { id: 'team.one' }), first)
  const second = await invite('BOB', { id: 'team.two', role: 'owner' })
  t.strictSame(await pending(), [second])
  t.match(await own('bob'), [{ id: 'team.two', role: 'owner' }])
  await t.rejects(accept('bob', 'team.one'), missing, 'nobody accepts another role than the one that was shown')
  t.equal(await store.count('invitations', {}), 1)
})

t.test('invitation cannot be accepted after it has ended', async t => {
  const cases: [what: string, end: (world: Awaited<ReturnType<typeof startTeam>>) => Promise<unknown>][] = [
    ['was withdrawn', ({ ask }) => ask('withdraw-invitation', { workspaceId: 'team', invitationId: 'team.x' })],
    ['was declined', ({ ask }) => ask('decline-invitation', { userId: 'id-bob', invitationId: 'team.x' })],
    ['is 30 days old', async ({ clock }) => clock.advance(limits.people.invitationLifeMs)],
    ['lost its workspace', ({ ask }) => ask('delete-workspace', { id: 'd', workspaceId: 'team', force: true })],
    [
      'lost its inviter',
      async ({ ask }) => {
        await ask('add-member', { workspaceId: 'team', username: 'eve', role: 'owner' })
        await ask('change-role', { workspaceId: 'team', userId: 'id-ann', role: 'editor' })
        await ask('change-role', { workspaceId: 'team', userId: 'id-ann', role: 'owner', byAdministrator: true })
      },
    ],
    [
      'is for an account that was deleted, whose name somebody else has now',
      async ({ ask, addUser, clock }) => {
        await ask('delete-user', { userId: 'id-bob', force: true })
        clock.advance(1)
        await addUser('bob')
      },
    ],
  ]
  for (const [what, end] of cases) {
    const world = await startTeam(t)
    await world.invite('bob', { id: 'team.x' })
    t.equal((await world.own('bob')).length, 1)
    await end(world)
    t.strictSame(await world.own('bob'), [], what)
    await t.rejects(world.accept('bob', 'team.x'), missing, what)
    if (!what.includes('workspace')) t.notOk('bob' in (await world.roster()), what)
  }
})

t.test('person who was removed or demoted does not come back by an older invitation', async t => {
  for (const how of ['removed', 'demoted'] as const) {
    const { ask, invite, accept, roster, own } = await startTeam(t)
    await ask('add-member', { workspaceId: 'team', username: 'bob', role: 'editor' })
    await invite('bob', { id: 'team.x', role: 'owner' })
    if (how === 'removed') await ask('remove-member', { workspaceId: 'team', userId: 'id-bob' })
    else await ask('change-role', { workspaceId: 'team', userId: 'id-bob', role: 'viewer' })
    t.strictSame(await own('bob'), [], how)
    if (how === 'removed') await t.rejects(accept('bob', 'team.x'), missing)
    t.equal((await roster())['bob'], how === 'removed' ? undefined : 'viewer')
  }
})

t.test('accepted invitation never lowers a role', async t => {
  const { ask, invite, accept, roster } = await startTeam(t)
  await invite('bob', { id: 'team.x' })
  await ask('add-member', { workspaceId: 'team', username: 'bob', role: 'editor' })
  t.match(await accept('bob', 'team.x'), { role: 'editor' })
  t.equal((await roster())['bob'], 'editor')
})

t.test('invitations are refused for members, from others than owners, and beyond their bounds', async t => {
  const { ask, invite, pending, store } = await startTeam(t)
  await ask('add-member', { workspaceId: 'team', username: 'eve', role: 'viewer' })
  await t.rejects(invite('eve'), { message: 'Already a member' })
  await t.rejects(invite('bob', { inviterId: 'id-eve' }), { code: 'forbidden' })
  await t.rejects(invite('bob', { workspaceId: 'none' }), { message: 'Workspace not found' })
  await t.rejects(invite('no name!'), { message: 'Invalid username' })
  t.equal(await store.count('invitations', {}), 0, 'a refusal leaves no entry')
  await ask('create-workspace', { id: 'second', name: 'Second', userId: 'id-ann' })
  const { invitationsPerWorkspace, invitationsPerInviter } = limits.people
  t.equal(invitationsPerWorkspace, invitationsPerInviter)
  for (let i = 0; i < invitationsPerInviter; i++) await invite(`name-${i}`)
  await t.rejects(invite('one-more', { workspaceId: 'second' }), { message: 'Too many invitations', details: /^A person/ })
  await ask('change-role', { workspaceId: 'team', userId: 'id-eve', role: 'owner', byAdministrator: true })
  await t.rejects(invite('one-more', { inviterId: 'id-eve' }), { message: 'Too many invitations', details: /^A workspace/ })
  const [oldest] = await pending()
  await ask('withdraw-invitation', { workspaceId: 'team', invitationId: oldest!.id })
  await invite('one-more')
  t.equal((await pending()).length, invitationsPerWorkspace)
})

t.test('full workspace takes no further member by an invitation', async t => {
  const { invite, accept, store } = await startTeam(t)
  await invite('bob', { id: 'team.x' })
  const [team] = await store.get('workspaces', ['team'])
  const others = Array.from({ length: limits.people.membersPerWorkspace - 1 }, (_, i) => [`id-${i}`, 'viewer'] as const)
  await store.upsert('workspaces', [
    { ...team!, rev: team!.rev + 1, members: { ...Object.fromEntries(others), 'id-ann': 'owner' } },
  ])
  await t.rejects(accept('bob', 'team.x'), { message: 'Too many members' })
  await t.rejects(invite('eve'), { message: 'Too many members' })
})

t.test('next request finishes an invitation that stopped before or after any of its writes', async t => {
  for (const after of [false, true]) {
    for (let n = 1; n <= 4; n++) {
      const store = createMemoryStore()
      const { invite, own, accept, roster } = await startTeam(t, store)
      const dying = await start(t, dyingStore(store, n, after))
      const ask = { id: 'team.x', workspaceId: 'team', inviterId: 'id-ann', username: 'bob', role: 'viewer' } as const
      await dying.ask('invite', ask).catch(() => undefined)
      await invite('bob', { id: 'team.x' })
      t.match(await own('bob'), [{ id: 'team.x' }], `invite, write ${n}`)
      const dyingToo = await start(t, dyingStore(store, n, after))
      await dyingToo.ask('accept-invitation', { userId: 'id-bob', invitationId: 'team.x' }).catch(() => undefined)
      t.match(await accept('bob', 'team.x'), { role: 'viewer' }, `accept, write ${n}`)
      t.strictSame(await roster(), { ann: 'owner', bob: 'viewer' })
    }
  }
})

onEachStore('invitation is accepted once or ended, when all answer it at once', async (t, store, rounds) => {
  const { ask, invite, accept, roster, own } = await startTeam(t, store)
  for (let round = 0; round < rounds; round++) {
    const invitationId = `team.r${round}`
    await invite('bob', { id: invitationId })
    const [one, two, ended] = await Promise.allSettled([
      accept('bob', invitationId),
      accept('bob', invitationId),
      round % 2 === 0
        ? ask('withdraw-invitation', { workspaceId: 'team', invitationId })
        : ask('decline-invitation', { userId: 'id-bob', invitationId }),
    ])
    const isMember = 'bob' in (await roster())
    t.equal(one.status, two.status, 'both get the same answer')
    t.equal(one.status === 'fulfilled', isMember, `round ${round}`)
    const isEnded = ended.status === 'fulfilled' && (!('withdrawn' in ended.value) || ended.value.withdrawn === true)
    t.equal(isEnded, !isMember, `round ${round}: exactly one of them happened`)
    t.strictSame(await own('bob'), [])
    await ask('remove-member', { workspaceId: 'team', userId: 'id-bob' })
  }
})

t.test('only an owner deletes a workspace by its name, and its invitations go with it', async t => {
  const { ask, invite, store } = await startTeam(t)
  await ask('add-member', { workspaceId: 'team', username: 'eve', role: 'editor' })
  await invite('bob')
  const remove = (id: string, userId: string, name: string) =>
    ask('delete-workspace', { id, workspaceId: 'team', force: true, by: { userId, name } })
  await t.rejects(remove('d1', 'id-eve', 'Team'), { code: 'forbidden' })
  await t.rejects(remove('d2', 'id-ann', 'team'), { code: 'validation', message: 'Name differs' })
  const [before] = await store.get('workspaces', ['team'])
  t.equal(before!.deletedAt ?? null, null)
  const gone = await remove('d3', 'id-ann', 'Team')
  t.strictSame(await remove('d3', 'id-ann', 'Team'), gone, 'a retry returns the first response')
  const [after] = await store.get('workspaces', ['team'])
  t.notOk(after !== null && 'invitations' in after!)
})

t.test('data folder of a version without invitations opens', async t => {
  const path = join(t.testdir(), 'older.db')
  const first = await openSqliteStore(path)
  const world = await start(t, first)
  await world.addUser('ann')
  await world.ask('create-workspace', { id: 'team', name: 'Team', userId: 'id-ann' })
  await first.close()
  const file = new DatabaseSync(path)
  file.exec('DROP TABLE invitations')
  file.close()
  const second = await openSqliteStore(path)
  t.teardown(() => second.close())
  const { ask, addUser } = await start(t, second)
  await addUser('bob')
  await ask('invite', { id: 'team.x', workspaceId: 'team', inviterId: 'id-ann', username: 'bob', role: 'viewer' })
  t.match(await ask('list-invitations', { userId: 'id-bob' }), [{ id: 'team.x' }])
})
