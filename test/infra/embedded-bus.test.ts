// The nats-server that an installation without a bus address starts: its failures and restarts while the program runs.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { startEmbeddedBus } from '../../infra/runtime/bus/embedded-bus.ts'
import { createHandClock } from '../support/hand-clock.ts'

/** A fake nats-server: greets every client, and after SIGUSR2 reports a full disk as a nats-server does. */
const fakeServer = `#!${process.execPath}
if (process.argv[2] === '--version') console.log('nats-server: v2.15.1')
else {
  const port = Number(/port: (-?\\d+)/.exec(require('node:fs').readFileSync(process.argv[3], 'utf8'))[1])
  const server = require('node:net').createServer(socket => socket.on('error', () => {}).end('INFO {}'))
  server.listen(Math.max(0, port), '127.0.0.1', () =>
    console.error('[1] [INF] Listening for client connections on 127.0.0.1:' + server.address().port))
  process.on('SIGUSR2', () =>
    console.error("[1] [ERR] JetStream stream 'A > KV_leases' critical write error: write 1.blk: no space left on device"))
  process.on('SIGTERM', () => process.exit())
}
`

const serverPid = async (dataFolder: string) =>
  Number((await readFile(join(dataFolder, 'bus', 'nats-server.pid'), 'utf8')).trim().split(' ')[2])

/** Returns a logger, and a function that resolves when a matching message is logged. */
function listen() {
  const heard: string[] = []
  const stream = new Writable({
    write: (line, _, done) => {
      heard.push(String(line))
      done()
    },
  })
  const says = async (sentence: RegExp) => {
    while (!heard.some(line => sentence.test(line))) await turn()
  }
  return { logger: pino(stream), says }
}

async function start(t: Test) {
  const folder = await mkdtemp(join(tmpdir(), 'watchkeeper-embedded-'))
  await writeFile(join(folder, 'nats-server'), fakeServer, { mode: 0o755 })
  const path = process.env['PATH']
  process.env['PATH'] = `${folder}:${path}`
  const clock = createHandClock()
  const { logger, says } = listen()
  const dataFolder = join(folder, 'data')
  await mkdir(dataFolder)
  const options = { dataFolder, toolsFolder: join(folder, 'tools'), host: '127.0.0.1', port: 0, tls: null, acceptLoss: false }
  const bus = await startEmbeddedBus({ ...options, clock, logger, print: () => undefined })
  t.teardown(async () => {
    process.env['PATH'] = path
    await bus.stop()
    await rm(folder, { recursive: true, force: true })
  })
  return { dataFolder, clock, says, bus }
}

t.test('bus server that could not write continues until the disk has free space, then restarts', async t => {
  const { dataFolder, clock, says } = await start(t)
  const first = await serverPid(dataFolder)
  // The embedded bus writes this file to test the disk. A folder at the same path makes the write fail.
  const full = join(dataFolder, `bus.json.${process.pid}.draft`)
  await mkdir(full)
  process.kill(first, 'SIGUSR2')
  await says(/bus server cannot write/)
  for (let tries = 0; tries < 3; tries++) {
    clock.advance(limits.start.busRestartMsMax)
    for (let turns = 0; turns < 50; turns++) await turn()
  }
  t.equal(await serverPid(dataFolder), first)
  t.ok(process.kill(first, 0))

  await rm(full, { recursive: true })
  const again = says(/bus server runs again/)
  let runs = false
  void again.then(() => {
    runs = true
  })
  while (!runs) {
    clock.advance(limits.start.busRestartMs)
    await turn()
  }
  t.not(await serverPid(dataFolder), first)
})

t.test('bus server that could not write does not prevent the end of its program', async t => {
  const { dataFolder, says, bus } = await start(t)
  process.kill(await serverPid(dataFolder), 'SIGUSR2')
  await says(/bus server cannot write/)
  await bus.stop()
  await t.rejects(readFile(join(dataFolder, 'bus.json')), { code: 'ENOENT' })
})

t.test('bus server that could not write does not prevent the end of its program during the search for disk space', async t => {
  const { dataFolder, clock, says, bus } = await start(t)
  await mkdir(join(dataFolder, `bus.json.${process.pid}.draft`))
  process.kill(await serverPid(dataFolder), 'SIGUSR2')
  await says(/bus server cannot write/)
  clock.advance(limits.start.busRestartMsMax)
  // Waits until the search that follows the pause has begun. A second pause would never end, and would fail the test.
  await Promise.resolve()
  await bus.stop()
  await t.rejects(readFile(join(dataFolder, 'bus.json')), { code: 'ENOENT' })
})
