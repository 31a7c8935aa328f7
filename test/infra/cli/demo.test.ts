// `npm start -- --demo` as a person runs it: the real command in a child process. It must leave no process and no file, however it ends.
import { readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { createWorld, jobs, sites } from '../../../infra/demo/world.ts'
import { eventually, isAlive, natsServerPid, runProgram, temporaryFolder } from '../run-program.ts'

const starting = /A whole installation starts/
const pages = /Watch it decide: +(http:\S+)\n.*Messages it sends: (http:\S+)\n/

/** Returns the process id of the bus server of the demo whose temporary files are in this folder. */
function busServerOf(folder: string): number {
  const [name = ''] = readdirSync(folder).filter(entry => entry.startsWith('watchkeeper-demo-'))
  return natsServerPid(join(folder, name))
}

const text = async (url: string) => (await fetch(url)).text()

t.test('demo shows eight monitors, sends its messages to a page, and leaves nothing behind', { timeout: 180_000 }, async t => {
  const folder = temporaryFolder(t)
  // Settings of a real installation in the environment must not reach the demo.
  const foreign = { NATS_URL: 'nats://127.0.0.1:9', MONGODB_URL: 'mongodb://127.0.0.1:9', SERVICES: 'prober', HOST: '0.0.0.0' }
  const program = runProgram(t, ['start', '--demo'], { TMPDIR: folder, DATA_DIR: join(folder, 'other'), ...foreign })
  const [, page = '', messages = ''] = await program.says(pages)
  const busServer = busServerOf(folder)
  t.ok(isAlive(busServer))

  // AUTH_DEV admits every visitor as a session does: not to generations 1 and 2.
  const roster = JSON.stringify(await (await fetch(new URL('/session/keys', page))).json())
  t.match(roster, /"keys"/, 'the visitor needs no sign-in')
  t.equal((await fetch(new URL('/api/v3/workspaces', page))).status, 200, 'nor does generation 3')
  const classic = await (await fetch(new URL('/api/v2/monitoring/websites', page))).json()
  t.match(classic, { error: { code: 1001 } }, 'generation 2 does')

  await program.says(/Shop is down\n +`status 503, expected 200`/)
  await eventually('the page shows the message', async () => /<h2>Shop is down<\/h2>/.test(await text(messages)))
  await program.says(/Shop is back up/)
  program.child.kill('SIGINT')
  const { code, stderr, stdout } = await program.ended
  t.equal(code, 0, stderr)
  t.equal(stderr, '')
  t.notMatch(stdout, /(Blog|Docs|Payments API|Checkout) is down/)
  t.same(readdirSync(folder), [], 'the data folder is gone')
  t.notOk(isAlive(busServer), 'the bus server is gone')
})

t.test('demo that is interrupted while it starts leaves nothing behind', { timeout: 120_000 }, async t => {
  const folder = temporaryFolder(t)
  const program = runProgram(t, ['start', '--demo'], { TMPDIR: folder })
  await program.says(starting)
  program.child.kill('SIGINT')
  t.match(await program.ended, { code: 0, stderr: '' })
  t.same(readdirSync(folder), [])
})

t.test('demo that cannot start ends with one sentence and an exit code, without a stack trace', { timeout: 120_000 }, async t => {
  const folder = temporaryFolder(t)
  const nowhere = join(folder, 'nowhere')
  const busy = createServer().listen(0, '127.0.0.1')
  t.teardown(() => busy.close())
  await new Promise(resolve => busy.once('listening', resolve))
  const { port } = busy.address() as { port: number }
  for (const { environment, code, says } of [
    { environment: { LOG_LEVEL: 'loud' }, code: 2, says: /^LOG_LEVEL must be one of/ },
    { environment: { PORT: String(port) }, code: 1, says: new RegExp(`${port}.*PORT`) },
    {
      environment: { PATH: nowhere, TOOLS_DIR: join(temporaryFolder(t), 'tools') },
      code: 1,
      says: /^There is no nats-server here /,
    },
  ]) {
    const ended = await runProgram(t, ['start', '--demo'], { TMPDIR: folder, ...environment }).ended
    t.equal(ended.code, code, ended.stderr)
    t.match(ended.stderr, says)
    t.notMatch(ended.stderr, /^\s+at /m)
    t.same(readdirSync(folder), [])
  }
  const ended = await runProgram(t, ['start', '--demo'], { TMPDIR: nowhere }).ended
  t.equal(ended.code, 1)
  t.match(ended.stderr, /^No folder can be made in .*nowhere \(ENOENT\): correct TMPDIR\.$/m)
})

t.test('shop of the demo stays down until its message has come, however late', async t => {
  let at = 0
  const world = createWorld(() => at)
  const status = (path: string) => world.behaviourOf(path)?.status
  t.strictSame(
    sites.map(({ path }) => status(path)),
    sites.map(() => 200),
  )
  at = 25_000
  t.equal(status('shop'), 503)
  at = 3_600_000
  t.equal(status('shop'), 503, 'without a message it stays down')
  world.hear({ title: 'Shop is down' })
  world.hear({ title: 'Blog is down' })
  at += 19_999
  t.equal(status('shop'), 503)
  at += 1
  t.equal(status('shop'), 200)
  at += 60_000
  t.equal(status('shop'), 200, 'without a message it stays up')
  world.hear({ title: 'Shop is back up' })
  at += 25_000
  t.equal(status('shop'), 503)
  t.equal(status('nothing'), undefined)
})

t.test('second job of the demo works, fails, falls silent and works again', async t => {
  let at = 0
  const world = createWorld(() => at)
  const [steady, failing] = jobs.map(({ key }) => key) as [string, string]
  for (const [instant, expected] of [
    [0, { state: 'ok' }],
    [60_000, { state: 'problem', reason: 'No space left on db-2' }],
    [90_000, null],
    [150_000, { state: 'ok' }],
  ] as const) {
    at = instant
    t.strictSame(world.reportOf(failing), expected, `after ${instant} ms`)
    t.strictSame(world.reportOf(steady), { state: 'ok' })
  }
})
