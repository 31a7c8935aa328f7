// The commands about locations, prober credentials, accounts and health, over generation 3 of the API, by keys of an administrator and of
// another person. Reference: docs/reference/v3.md, section 16.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { startApiWorld } from '../../support/worlds/api-world.ts'
import { command, json } from '../run-in-process.ts'
import { runProgram, temporaryFolder } from '../run-program.ts'

const world = await startApiWorld()
t.teardown(() => world.stop())
const { token: root } = await world.addPerson('root', {}, { admin: true })
const { token: owner } = await world.addPerson('olga', { w1: 'owner' })
const home = temporaryFolder(t)
const environment = { HOME: home, WATCHKEEPER_URL: world.address, WATCHKEEPER_API_KEY: root }
t.beforeEach(() => void Object.assign(process.env, environment))

t.test('location is created, renamed, listed and deleted', async t => {
  const de = await json('location create de --display-name Frankfurt')
  t.match(de, { name: 'de', display_name: 'Frankfurt', active_workers_count: 0, last_seen_at: null })
  t.strictSame(await json('location rename de eu'), { ...de, name: 'eu' })
  t.strictSame(await json(`location rename ${de.id} --display-name ''`), { ...de, name: 'eu', display_name: null })
  t.match((await command('location list')).stdout, new RegExp(`^${de.id} +0 +never +eu +eu$`, 'm'))
  await world.bus.bucket('presence').put(keys.proberPresence(de.id, 'p1'), {})
  await setImmediate()
  t.match((await command('location list')).stdout, new RegExp(`^${de.id} +1 +now +eu +eu$`, 'm'))
  const renamed = await command('location rename EU us')
  t.equal(renamed.stderr, `Its probers go on. Before they start again, set LOCATION_ID=${de.id} or LOCATION to the new name.\n`)
  t.equal(renamed.stdout, `Location ${de.id} is called "us" now, shown as "us".\n`)
  t.match(await command('location delete us'), { code: 4, stderr: 'A prober runs there; stop it first.\n' })
  await world.bus.bucket('presence').delete(keys.proberPresence(de.id, 'p1'))
  await setImmediate()
  t.strictSame(await json('location delete us'), { id: de.id, deleted: true })
  const cafe = await json("location create ' caf\u00e9 '")
  t.strictSame(await json("location rename 'cafe\u0301' ' pad '"), { ...cafe, name: 'pad' })
  t.strictSame(await json("location delete 'pad '"), { id: cafe.id, deleted: true }, 'a name is looked up as it is stored')
})

t.test('prober credentials go to a new file or to standard output, once, and are revoked by their description', async t => {
  const place = await json('location create hamburg')
  const file = join(home, 'hamburg.creds')
  const made = await command(`prober create HAMBURG --out ${file} --description rack`)
  t.match(made, { code: 0, stdout: /^Credentials \w+ for a prober of hamburg are in / })
  t.match(readFileSync(file, 'utf8'), new RegExp(`^secret of \\w+ in ${place.id}$`))
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.match(await command(`prober create hamburg --out ${file}`), { code: 2, stderr: /exists: name another one/ })
  t.match(await command(`prober create nowhere --out ${file}.new`), { code: 5, stderr: /^There is no location "nowhere"/ })
  t.match(await command(`prober create hamburg --out ${file}.new --description ${'x'.repeat(201)}`), { code: 4 })
  t.notOk(existsSync(`${file}.new`), 'a refusal leaves no file')
  t.match(await command('prober create hamburg'), { code: 0, stdout: /^secret of \w+ in \w+\n$/, stderr: /shown only now:$/m })
  t.match((await command('prober list')).stdout, /^\w{10} +hamburg +\d{4}-\d\d-\d\d +no +rack$/m)
  t.notMatch((await command('prober list --json')).stdout, /secret of/)
  const revoked = await json('prober delete rack')
  t.match(revoked, { location: 'hamburg', description: 'rack', revoked_at: /Z$/ })
  t.match(await command('prober delete rack'), { code: 5, stderr: /^There is no credentials "rack"/ })
  t.strictSame(await json(`prober delete ${revoked.id}`), revoked, 'by id also again')
  await json('location delete hamburg')
  t.match((await command('prober list')).stdout, new RegExp(`^\\w{10} +${place.id} \\(removed\\) `, 'm'))
})

t.test('account is created, changed, listed and deleted', async t => {
  const made = await runProgram(t, ['user', 'create', 'Ann', '--password'], environment, 'a good password\n').ended
  t.match(made, { code: 0, stdout: /^\w{10}\n$/, stderr: 'ann has an account, with a password. Its id:\n' })
  const id = made.stdout.trim()
  t.match(await json('user create bob --admin'), { username: 'bob', admin: true, has_password: false })
  t.match(await json('user change ANN --display-name Ann --admin yes'), { id, display_name: 'Ann', admin: true })
  t.equal((await command(`user change ${id} --disabled yes`)).stdout, 'User ann is changed.\n')
  t.match((await command('user list')).stdout, /^\w{10} +ann +admin +disabled +yes +\d{4}-\d\d-\d\d +Ann$/m)
  t.match(await json('user change ann --admin no --disabled no'), { admin: false, disabled: false })
  t.match(await command('user change root --disabled yes'), { code: 4, stderr: /cannot disable the own account/ })
  t.match(await command('user change ann'), { code: 2, stderr: /^Say what to change/ })
  await createDirectoryClient(world.hub.connect(), world.clock).ask('add-member', {
    workspaceId: 'w1',
    username: 'ann',
    role: 'viewer',
  })
  t.match(await command('user delete ann'), {
    code: 4,
    stderr: /^It has 1 membership and 0 keys, .* or delete it with force\.$/m,
  })
  t.equal((await command('user delete ann --force')).stdout, 'User ann is deleted.\n')
  t.match(await command('user delete ann'), { code: 5, stderr: /^There is no user "ann": \.\/watchkeeper user list shows them/ })
  t.match(await command('user create Bob'), { code: 4, stderr: 'There is a user "bob" already; choose another username.\n' })
})

t.test('health is a sentence, or a row for each condition', async t => {
  t.equal((await command('health')).stdout, 'Version 2.0.0: nothing needs the operator.\n')
  await world.store.insert('conditions', [
    {
      ...{ id: 'location_lost.x', rev: 1, writer: 'w', kind: 'location_lost', objectId: 'x', name: 'hamburg', raised: 1 },
      ...{ since: 1_000, changedAt: 1_000, seenAt: 1_000, count: 0, summary: 'No prober\u001b[2J lives.', unsent: [] },
      ...{ attempts: 0, claimedBy: null, dueAt: null },
    },
  ])
  t.match((await command('health')).stdout, /^1970-01-01T00:00:01.000Z +location lost +hamburg +No prober \[2J lives\.$/m)
  t.match(await json('health'), { version: '2.0.0', conditions: [{ kind: 'location_lost', name: 'hamburg' }] })
})

t.test('audit --installation with --url has the rows that belong to no workspace', async t => {
  await json('location create audited')
  await world.call('POST', '/api/v3/workspaces/w1/destinations', { token: owner, body: {} })
  const audit = `audit --installation --url ${world.address}`
  let rows: { path: string }[] = []
  for (let tries = 0; tries < 1_000 && rows.length === 0; tries++) {
    world.clock.advance(limits.audit.flushMs)
    await setImmediate()
    rows = await json(`${audit} --person ROOT --path /api/v3/locations --limit 1`)
  }
  t.match(rows, [{ method: 'POST', path: '/api/v3/locations', person: { name: 'root' }, made: { name: 'audited' } }])
  t.notOk((await json(audit)).some(({ workspace }: { workspace: string | null }) => workspace !== null))
  t.match(await command(`${audit} --person nobody`), { code: 5, stderr: /^There is no user "nobody": .* by id\.$/m })
  t.match(await command(`${audit} --workspace w1`), { code: 2, stderr: /^--installation with --workspace goes without --url/ })
})

t.test('person who does not administer the installation reads the locations alone', async t => {
  await json('location create seen')
  process.env['WATCHKEEPER_API_KEY'] = owner
  const refused = {
    code: 4,
    stdout: '',
    stderr: 'This needs an administrator of the installation (its person must administer the installation).\n',
  }
  for (const line of [
    ...['user list', 'user create x', 'user change root --admin no', 'user delete root', 'health', 'prober list'],
    ...['location create x', 'location rename seen x', 'location delete seen', 'prober create seen', 'prober delete x'],
    `audit --installation --url ${world.address}`,
  ])
    t.strictSame(await command(line), refused, line)
  t.match((await command('location list')).stdout, / seen$/m)
})
