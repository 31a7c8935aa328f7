// The commands about people over the bus, as separate processes, against a directory on real NATS and SQLite.
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { WriteStream } from 'node:tty'
import { Registry } from 'prom-client'
import t from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import { limits } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { hashToken } from '#shared/tokens/api-token.ts'
import { exitCodes } from '../../../infra/runtime/start-error.ts'
import { startDirectory } from '../../../services/directory/app.ts'
import { keyDocument } from '../../../services/directory/keys/keys.ts'
import { bootstrap } from '../../../services/directory/people/bootstrap.ts'
import { startTestBus } from '../../support/bus/nats.ts'
import { auditBlocks, auditRow } from '../../support/store/audit-rows.ts'
import { command, json, words } from '../run-in-process.ts'
import { runProgram } from '../run-program.ts'

const clock = createSystemClock()
const nats = await startTestBus()
const storePath = join(t.testdir(), 'people.db')
const store = await openSqliteStore(storePath)
const bus = await nats.connect('directory')
const logger = createLogger('silent')
const { workspaceId } = await bootstrap({ store, clock }, { location: 'local' })
const directory = await startDirectory({ bus, clock, store, logger, metrics: new Registry() })
const { ask } = createDirectoryClient(bus, clock)
t.teardown(async () => {
  await directory.stop()
  await nats.stop()
  await store.close()
  clock.stop()
})

const environment = { NATS_URL: nats.url, NATS_TOKEN: nats.token }
Object.assign(process.env, environment)

/** Runs a command as a separate process. */
const runApart = (line: string, input?: string) => runProgram(t, words(line), environment, input).ended

const signIn = async (username: string, password: string) => {
  const session = {
    id: `s${Math.trunc(clock.monotonic() * 1_000)}`,
    tokenHash: '0'.repeat(54) + String(Math.trunc(clock.now() % 1e10)).padStart(10, '0'),
  }
  return (await ask('sign-in', { username, password, client: 'here', session })).outcome
}

t.test('people are created, get roles and passwords, and are removed', async t => {
  const added = await command("member create Ann --display-name 'Ann Other' --role viewer")
  t.equal(added.code, 0, added.stderr)
  t.equal(added.stdout, 'ann has an account and is viewer in "Default". A password comes by: ./watchkeeper member password ann\n')
  t.match(await json('member create bob --admin'), { username: 'bob', admin: true, has_password: false })

  const [, ann] = await json('member list')
  t.match(await json('member list'), [{ username: 'owner' }, { username: 'ann', display_name: 'Ann Other' }, { username: 'bob' }])
  const listed = await command('member list --workspace Default')
  t.match(listed.stdout, /^username +role +state +name\nann +viewer +Ann Other\nowner +owner$/m)
  t.match(await json('member role ann editor'), { username: 'ann', role: 'editor' })
  t.match(await json('member delete ann --workspace Default'), { username: 'ann', workspace_id: workspaceId })
  t.match(await command('member delete ann --workspace Default'), { code: 5, stderr: 'ann is no member of "Default".\n' })

  const set = await runApart('member password ann', 'a good password\nand what follows\n')
  t.equal(set.stdout, 'The password of ann is set.\n', set.stderr)
  t.notMatch(set.stdout + set.stderr, 'a good password')
  t.equal(await signIn('ann', 'a good password'), 'signed-in')
  t.match(await json(`member disable ${ann.id}`), { username: 'ann', disabled: true }, 'by id')
  t.equal(await signIn('ann', 'a good password'), 'disabled')
  t.match(await json('member enable ANN'), { disabled: false }, 'in any case')
  t.match(await json('member admin bob no'), { admin: false })
})

t.test('last administrator cannot be removed without --force', async t => {
  const kept = { code: 4, stderr: /^Last administrator: Nobody could administer .*: make another user administrator first\.$/m }
  for (const line of ['member disable owner', 'member admin owner no']) t.match(await command(line), kept, line)
  await json('member admin bob yes')
  t.match(await json('member admin owner no'), { admin: false }, 'another one is left')
  t.match(await command('member disable bob'), kept)
  t.match(await json('member admin bob no --force'), { admin: false })
  t.match(await json('member disable bob'), { disabled: true }, 'who is no administrator is none that is left')
  t.match(await json('member enable bob'), { disabled: false })
  t.match(await json('member admin owner yes'), { admin: true }, 'the command line gives the right back')
})

t.test('account is deleted with keys and memberships, unless it is the last owner of a workspace', async t => {
  await json(`member create zoe --workspace ${workspaceId}`)
  const { id } = await json('key create --user zoe')
  const refused = await command('member delete zoe')
  t.match(refused, {
    code: 4,
    stderr: /^Account is used: It has 1 membership and 1 key, .* or delete it with force\.$/m,
  })
  t.equal((await json('key list --user zoe')).length, 1, 'a refusal changes nothing')
  t.match((await command('member delete zoe --force')).stdout, 'zoe is deleted, with 1 key and 1 membership.\n')
  t.match(await command('member delete zoe'), { code: 5 })
  t.match(await command(`key delete ${id}`), { code: 5 })

  await json('member create yan')
  await json("workspace create 'of yan' --owner yan")
  t.match(await command('member delete yan --force'), { code: 4, stderr: /^Last owner: Nobody else owns "of yan" \(\w+\): make/ })
  t.match(await json("workspace delete 'of yan'"), { name: 'of yan' }, 'with nothing in it, it needs no force')
  t.match((await command('member delete yan')).stdout, 'yan is deleted, with 0 keys and 0 memberships.\n')
})

t.test('workspace is found by id, by exact name, or by name in any case; an ambiguous name is refused with the ids', async t => {
  const make = async (name: string) => (await json(`workspace create '${name}'`)).id as string
  const [twin, other, upper] = [await make('Twin'), await make('Twin'), await make('TWIN')]
  const named = await make(twin)
  t.strictSame(await command(`workspace rename Twin x`), {
    code: 2,
    stdout: '',
    stderr: `"Twin" fits 2 workspaces: ${twin} (Twin), ${other} (Twin). Name one by its id.\n`,
  })
  t.match(await command('workspace rename tWIN x'), { code: 2, stderr: /^"tWIN" fits 3 workspaces: / })
  t.match(await json('workspace rename TWIN TWO'), { id: upper }, 'just as it is called goes before any case')
  t.match(await json(`workspace rename ${twin} Three`), { id: twin }, 'an id goes before a name')
  t.match(await json('workspace rename three three'), { id: twin }, 'the only one in any case')
  t.match(await command("workspace rename '' x"), { code: 5, stderr: /^There is no workspace ""/ })
  for (const id of [twin, other, upper, named]) t.match(await json(`workspace delete ${id}`), { id })
})

const typesAtTerminal = `
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
seen = b''
for answer in sys.argv and os.environ['TYPED'].split('|'):
    while not seen.endswith(b': '): seen += os.read(terminal, 1000)
    sys.stdout.buffer.write(seen); seen = b''
    os.write(terminal, answer.encode() + b'\\r')
try:
    while True:
        chunk = os.read(terminal, 1000)
        if not chunk: break
        sys.stdout.buffer.write(chunk)
except OSError: pass
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`

t.test(
  'password is asked for twice on a terminal and not shown',
  { skip: spawnSync('python3', ['-c', 'import pty']).status === 0 ? false : 'no python3 to make a terminal' },
  async t => {
    const type = async (...typed: string[]) => {
      const program = join(import.meta.dirname, '../../../infra/cli/main.ts')
      const env = { PATH: process.env['PATH'] ?? '', ...environment, TYPED: typed.join('|') }
      const args = ['-c', typesAtTerminal, process.execPath, program, 'member', 'password', 'owner']
      const child = spawn('python3', args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
      const closed = new Promise<number | null>(resolve => child.once('close', resolve))
      let shown = ''
      for await (const chunk of child.stdout) shown += chunk
      return { code: await closed, shown }
    }
    const set = await type('typed by hand', 'typed by hand')
    t.match(set, { code: 0, shown: /New password: \s+Once more: \s+The password of owner is set/ })
    t.notMatch(set.shown, 'typed by hand')
    t.equal(await signIn('owner', 'typed by hand'), 'signed-in')
    const differs = await type('something else', 'something new')
    t.match(differs, { code: 2, shown: 'The two passwords differ; nothing was changed.' })
    t.equal(await signIn('owner', 'typed by hand'), 'signed-in')
  },
)

t.test('workspaces are added, renamed, listed and removed', async t => {
  const { id } = await json("workspace create 'Second one' --owner bob")
  t.strictSame(await json("workspace rename 'Second one' Second"), { id, name: 'Second' })
  // Ann's first sign-in created the second workspace with the name Default.
  t.match(await json('workspace list'), [
    { name: 'Default', members: 1 },
    { name: 'Default', members: 1 },
    { id, name: 'Second', members: 1 },
  ])
  t.match((await command('workspace list')).stdout, new RegExp(`^${id} +1 +\\d{4}-\\d\\d-\\d\\d +Second$`, 'm'))
  t.match(await json('member create ann --workspace Second --role owner'), { username: 'ann', role: 'owner' })
})

t.test('scoped key is created for one workspace with the named actions (v3 2.6)', async t => {
  const [workspace] = await json('workspace list')
  const made = await json(`key create --workspace ${workspace.id} --actions observe,acknowledge`)
  t.match(made, { access: ['read', 'acknowledge', 'observe'], workspace: workspace.id, token: /^wk_/ })
  t.match(await json(`key create --workspace ${workspace.id} --actions ''`), { access: ['read'], workspace: workspace.id })
  t.match(await json('key create'), { access: ['full'], workspace: null })
  t.match((await command('key list')).stdout, new RegExp(`read acknowledge observe +${workspace.id}`))
  const rows: [string, RegExp][] = [
    ['key create --workspace Default', /--actions/],
    ['key create --actions fly', /"fly" is no action of a key: acknowledge, maintenance, observe, templates, resources are/],
  ]
  for (const [line, sentence] of rows) t.match(await command(line), { code: 2, stderr: sentence }, line)
})

t.test('audit of one or all workspaces is printed newest first, including deleted workspaces (v3 11.5)', async t => {
  const ann = await json('member create auditor')
  const [first, second, gone] = [
    await json("workspace create 'Audit one'"),
    await json("workspace create 'Audit two'"),
    await json("workspace create 'Audit three'"),
  ]
  const at = Date.UTC(2026, 9, 5, 12)
  const path = `/api/v3/workspaces/${first.id}/templates`
  const auditor = { workspaceId: first.id, personId: ann.id, personName: 'Auditor', path, userAgent: 'evil\u009b2J' }
  const row = (number: number, more: object) => auditRow(at + number, { ...auditor, ...more })
  const rows = [
    row(1, {}),
    row(2, { workspaceId: second.id, keyId: null, keyPrefix: null, path: `/session/workspaces/${second.id}` }),
    row(3, { workspaceId: null, personId: 'left', personName: 'Left', path: '/session/keys' }),
    row(4, { personId: null, personName: null, keyId: null, keyPrefix: null, addressId: 'a1', path: '/in/…' }),
    row(5, { workspaceId: gone.id }),
  ]
  await ask('record-audit', { blocks: auditBlocks(rows) })
  await json(`workspace delete ${gone.id} --force`)
  const found = async (options: string) =>
    (await json(`audit --installation ${options}`)).map((one: { at: string }) => Date.parse(one.at) - at)
  t.strictSame(await found(''), [5, 4, 3, 2, 1])
  t.strictSame(await found('--limit 2'), [5, 4])
  t.strictSame(await found("--workspace 'audit one'"), [4, 1])
  t.strictSame(await found(`--workspace ${gone.id}`), [5], 'a deleted one by its id')
  t.strictSame(await found('--person auditor'), [5, 2, 1])
  t.strictSame(await found('--person left'), [3], 'somebody who is gone by id')
  t.strictSame(await found('--path /templates'), [5, 1])
  t.strictSame(await found('--since 2026-10-05T12:00:00.002Z --until 2026-10-05T14:00:00.004+02:00'), [3, 2])
  t.strictSame((await json('audit --installation --limit 1 --workspace "Audit one"'))[0], {
    at: '2026-10-05T12:00:00.004Z',
    person: null,
    key: null,
    address: { id: 'a1' },
    destination: null,
    workspace: first.id,
    method: 'POST',
    path: '/in/…',
    status: 201,
    user_agent: 'evil\u009b2J',
    made: null,
  })
  const { stdout } = await command('audit --installation --limit 4')
  t.match(stdout, /^at +person +by +workspace +method +path +status +user agent$/m)
  t.match(stdout, /Auditor +session +Audit two +POST/)
  t.match(stdout, /address a1 +Audit one +POST +\/in\/… +201 +evil 2J$/m)
  t.match(stdout, new RegExp(`key wk_1234… +${gone.id} `), 'the id of a workspace that has no name any more')
})

t.test('list of all keys says that older keys are left out', async t => {
  const { listed } = limits.directory
  const key = (i: number) => {
    const made = { id: `many${i}`, userId: 'nobody', description: '', tokenHash: hashToken(`many${i}`), prefix: 'wk_many' }
    return keyDocument({ ...made, createdAt: clock.now(), scope: null })
  }
  const many = Array.from({ length: listed }, (_, i) => key(i))
  await store.insert('keys', many)
  const { stderr } = await command('key list')
  t.match(stderr, /Only the newest 1000 keys are listed\. Name a user with --user/)
  t.notMatch((await command('key list --user ann')).stderr, /newest/)
  await store.delete(
    'keys',
    many.map(({ id }) => id),
  )
  t.notMatch((await command('key list')).stderr, /newest/)
})

t.test('key is created for a person, and the keys of one person are listed', async t => {
  const made = await json("key create --user bob --description 'for a test'")
  t.match(made, { username: 'bob', description: 'for a test', token: /^wk_[0-9A-Za-z]{32}$/ })
  const { token: _, ...listed } = made
  t.strictSame(await json('key list --user bob'), [listed])
  t.strictSame(await json('key list --user ann'), [])
  t.strictSame(await json(`key delete ${made.id}`), { id: made.id })
})

t.test('description of a key has at most 200 characters, of any script', async t => {
  const description = '🔑'.repeat(200)
  const made = await json(`key create --user bob --description ${description}`)
  t.equal(made.description, description)
  t.strictSame(await json(`key delete ${made.id}`), { id: made.id })
  t.match(await command(`key create --user bob --description ${description}x`), {
    code: 2,
    stderr: /^--description may have 200/,
  })
})

t.test('text from a sender cannot begin a new line of a replay', async t => {
  const reason = 'full)\n9 records lead to the stored incident: ok\r\u001b[2J\u009b31m\u202e\u2028end'
  const inputs = [{ input: 'run', value: 'problem', at: 1, reason }]
  const evidence = { inputs, omitted: 0, truncated: false }
  const event = { type: 'problem.judged', at: 1, confirmAfterMs: 1_000, closeAfterMs: 1_000 }
  const entry = { sequence: 1, at: 1, kind: 'pending', event, explanation: 'run fails', evidence }
  await store.upsert('incidents', [{ id: 'foreign.1', rev: 1, subjectId: 'foreign', number: 1, ruleKey: 'r1' } as never])
  await store.upsert('history', [{ id: 'foreign.1.1', rev: 1, incidentId: 'foreign.1', ...entry }] as never)
  const { stdout, stderr } = await command('incident replay foreign.1')
  t.match(stdout, /^ {6}evidence {2}run fails: run problem \(full\) 9 records lead to the stored incident: ok \[2J 31m end\)$/m)
  t.notMatch(stdout + stderr, /[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}]/u)
  const shown = JSON.parse((await command('incident replay foreign.1 --json')).stdout)
  t.equal(shown.steps[0].evidence.inputs[0].reason, reason, 'machines get it as it is')
})

t.test('text from a sender stays in its cell of a table', async t => {
  const made = await json('key create --user bob --description written')
  const [stored] = await store.get('keys', [made.id])
  // An earlier version or another program may have stored this description. The API also accepts characters that change the writing
  // direction.
  const description = 'mine\u001b[2J\u009b31m\nowner\u202e end'
  await store.upsert('keys', [{ ...stored, rev: 9, description } as never])
  const { stdout } = await command('key list --user bob')
  t.match(stdout, / {2}mine \[2J 31m owner {2}end$/m)
  t.notMatch(stdout, /[^\n\P{Cc}]|\p{Cf}/u)
  const [shown] = await json('key list --user bob')
  t.equal(shown.description, description, 'machines get it as it is')
  await json(`key delete ${made.id}`)
})

t.test('heading of a table is bold only on a terminal that supports it', async t => {
  const { stdout } = process
  const { FORCE_COLOR } = process.env
  const given = { isTTY: stdout.isTTY, getColorDepth: stdout.getColorDepth }
  t.teardown(() => {
    Object.assign(stdout, given)
    if (FORCE_COLOR !== undefined) process.env['FORCE_COLOR'] = FORCE_COLOR
  })
  for (const [isTTY, environment, isBold] of [
    [true, { TERM: 'xterm' }, true],
    [true, { TERM: 'dumb' }, false],
    [true, { TERM: 'xterm', NO_COLOR: '1' }, false],
    [false, { TERM: 'xterm' }, false],
  ] as const) {
    delete process.env['FORCE_COLOR']
    Object.assign(stdout, { isTTY, getColorDepth: () => WriteStream.prototype.getColorDepth(environment) })
    const { stdout: printed } = await command('workspace list')
    t.equal(printed.startsWith('\u001b[1mid '), isBold, JSON.stringify([isTTY, environment]))
  }
})

t.test('replay names a damaged record of an incident', async t => {
  const entry = (sequence: number) => ({ id: `damaged.1.${sequence}`, rev: 1, incidentId: 'damaged.1', sequence, at: 1 })
  await store.upsert('incidents', [{ id: 'damaged.1', rev: 1, subjectId: 'damaged' } as never])
  await store.upsert('history', [entry(1), entry(2), entry(3)] as never)
  const database = new DatabaseSync(storePath)
  t.teardown(() => database.close())
  const damage = (table: string, id: string) =>
    database.prepare(`UPDATE ${table} SET body = '{"event":{"type"' WHERE id = ?`).run(id)
  const sentence = (record: string) => `The record ${record} is damaged and can't be read: restore the store from a backup.\n`
  damage('history', 'damaged.1.2')
  t.same(await command('incident replay damaged.1'), { code: 1, stdout: '', stderr: sentence('history damaged.1.2') })
  damage('incidents', 'damaged.1')
  t.same(await command('incident replay damaged.1 --json'), { code: 1, stdout: '', stderr: sentence('incidents damaged.1') })
})

t.test('refused command prints one message on standard error and ends with the exit code of the refusal', async t => {
  const table: [line: string, code: number, sentence: RegExp][] = [
    ['member create bob', 4, /^There is a user "bob" already\.$/],
    [
      'member create bob --admin --workspace Second',
      4,
      /^There is a user "bob" already, and --admin is for a new account: .\/watchkeeper member admin bob yes gives the right\.$/,
    ],
    [
      "member create bob --display-name 'Bob' --workspace Second",
      4,
      /^There is a user "bob" already, and --display-name is for a new account: .\/watchkeeper user change bob --display-name changes the name\.$/,
    ],
    [
      "member create bob --admin --display-name '' --role viewer --workspace Second",
      4,
      /^There is a user "bob" already, and --admin and --display-name are for a new account: .* gives the right; .* the name\.$/,
    ],
    ["member create 'b b'", 4, /^Invalid username: A username has 1 to 64 /],
    ['member create new --workspace nowhere', 5, /^There is no workspace "nowhere": .\/watchkeeper workspace list shows them\.$/],
    [
      'member role bob viewer',
      2,
      /^Say which workspace: --workspace with an id or a name\. .\/watchkeeper workspace list shows them\.$/,
    ],
    ['member role bob king --workspace Second', 2, /'king' is invalid .* Allowed choices are owner, editor, viewer\./],
    [
      `member role owner viewer --workspace ${workspaceId}`,
      4,
      /^Last owner: A workspace keeps an owner: make another member owner first, or delete the workspace\.$/,
    ],
    ['member delete nobody --workspace Second', 5, /^There is no user "nobody": .\/watchkeeper member list shows them\.$/],
    ['member delete bob --workspace Second --force', 2, /^--force goes without --workspace/],
    ['member password nobody', 5, /^There is no user "nobody"/],
    ['member admin bob maybe', 2, /'maybe' is invalid .* Allowed choices are yes, no\./],
    ['member', 2, /Usage: .\/watchkeeper member/],
    ['member create', 2, /missing required argument 'username'/],
    ["workspace create ''", 4, /^Invalid name: A workspace's name has 1 to 60 characters/],
    ['key create --user nobody', 5, /^There is no user "nobody"/],
    ['key delete gone', 5, /^There is no key "gone": .\/watchkeeper key list shows them\.$/],
    ['destination secret gone --workspace Second', 5, /^There is no destination "gone"/],
    ['audit --installation --workspace x --url http://127.0.0.1', 2, /^--installation with --workspace goes without --url/],
    ['destination create x --workspace Second', 2, /^Say where messages go: --to <url>, or --set <key=value>\.$/],
    ['incident replay gone', 5, /^There is no incident "gone"/],
    ['audit --installation --workspace gone', 5, /^There is no workspace "gone"/],
    [
      'audit --installation --person gone',
      5,
      /^There is no user "gone": \.\/watchkeeper member list shows them; name a person who has left by id\.$/,
    ],
    ['audit --limit 0', 2, /It must be 1 to 10000\./],
    ['audit --limit 10001', 2, /It must be 1 to 10000\./],
    ['audit --since 2026-10-05T12:00:00', 2, /It must be an RFC 3339 instant with a zone/],
    ['audit --until tomorrow', 2, /It must be an RFC 3339 instant with a zone/],
  ]
  t.match(await command('member list --workspace Default'), { code: 2, stderr: /^"Default" fits 2 workspaces: / })
  const stored = async () => [await json('member list'), await json('member list --workspace Second')]
  const before = await stored()
  for (const [line, code, sentence] of table) {
    const ended = await command(line)
    t.equal(ended.code, code, line)
    t.match(ended.stderr.trim(), sentence, line)
    t.equal(ended.stdout, '', line)
  }
  t.strictSame(await stored(), before, 'nothing was stored')
  const short = await runApart('member password bob', 'short\n')
  t.equal(short.code, 4)
  t.equal(short.stderr, 'Invalid password: A password has 8 to 1024 characters.\n')
  const nothing = await runApart('member password bob')
  t.equal(nothing.code, exitCodes.usage)
  t.match(nothing.stderr, /^No password came: type it on a terminal/)
  const nobody = await runProgram(t, ['member', 'list'], { NATS_URL: 'nats://127.0.0.1:1' }).ended
  t.equal(nobody.code, 3)
})

t.test('help names every command', async t => {
  for (const [noun, verbs] of [
    ['user', ['create', 'list', 'change', 'delete']],
    ['member', ['create', 'list', 'delete', 'role', 'password', 'disable', 'enable', 'admin']],
    ['workspace', ['create', 'list', 'rename', 'delete']],
    ['location', ['create', 'list', 'rename', 'delete']],
    ['key', ['create', 'list', 'delete']],
    ['prober', ['create', 'list', 'delete']],
    ['destination', ['create', 'list', 'show', 'change', 'test', 'deliveries', 'delete', 'secret']],
    ['incident', ['list', 'show', 'explain', 'ack', 'replay', 'inspect']],
  ] as const) {
    const { code, stdout } = await command(`${noun} --help`)
    t.equal(code, 0)
    for (const verb of verbs) t.match(stdout, new RegExp(`^ +${verb} .*`, 'm'), `${noun} ${verb}`)
  }
})

t.test('invitation is created, listed, accepted, declined and withdrawn', async t => {
  await json('member create ivy')
  const { id } = await json("workspace create 'With guests'")
  const invite = (username: string) => json(`invitation create ${username} --workspace ${id} --role viewer`)
  const made = await invite('ivy')
  t.match(made, { username: 'ivy', role: 'viewer', invited_by: 'owner' })
  t.match(await invite('unknown'), { username: 'unknown', role: 'viewer', invited_by: 'owner' }, 'the same without an account')
  const sent = await json(`invitation list --workspace ${id}`)
  t.match(sent, [made, { username: 'unknown' }])
  t.match(await json('invitation list --user ivy'), [
    { id: made.id, workspace: 'With guests', role: 'viewer', invited_by: 'owner' },
  ])
  t.match(await command('invitation list'), { code: 2, stderr: /--user or --workspace/ })
  t.match(await command(`invitation accept ${made.id} --user bob`), { code: 5, stderr: /^Invitation not found: / })
  const accepted = await command(`invitation accept ${made.id} --user ivy`)
  t.equal(accepted.stdout, 'ivy is viewer in "With guests" now.\n', accepted.stderr)
  t.match(await json(`member list --workspace ${id}`), [{ username: 'ivy', role: 'viewer' }, { username: 'owner' }])
  t.match(await command(`invitation create ivy --workspace ${id}`), { code: 4, stderr: /^Already a member: / })
  t.match(await command(`invitation create zed --workspace ${id} --by ivy`), { code: 4, stderr: /^Forbidden: Only an owner/ })
  t.match(await json(`invitation delete ${sent[1].id} --workspace ${id}`), { id: sent[1].id })
  t.match(await command(`invitation delete ${sent[1].id} --workspace ${id}`), { code: 5 })
  await json(`member delete ivy --workspace ${id}`)
  const again = await invite('ivy')
  t.match(await command(`invitation decline ${again.id} --user ivy`), {
    code: 0,
    stdout: `Invitation ${again.id} is declined.\n`,
  })
  t.strictSame(await json('invitation list --user ivy'), [])
  t.match(await json(`invitation list --workspace ${id}`), [{ id: again.id }], 'owners are not told')
})
