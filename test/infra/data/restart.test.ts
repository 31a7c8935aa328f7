// A start after a killed process: the lock and the presence entry of the killed process, and signals that reach a process through npm. All
// programs are real processes.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { connectBus } from '#shared/bus/nats/nats.ts'
import { limits } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { beginningOf, lifeOf } from '../../../infra/runtime/data/process-life.ts'
import { compileCache, eventually, isAlive, natsServerPid, type Program, runProgram, temporaryFolder } from '../run-program.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const main = join(root, 'infra', 'cli', 'main.ts')
const executable = join(root, 'infra', 'cli', 'watchkeeper.js')
const environment = {
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
  PORT: '0',
  OPS_PORT: '0',
  ...compileCache(),
}

/** A website that records which of its paths were requested. */
async function startWebsite(t: { teardown(run: () => unknown): void }) {
  const asked = new Set<string>()
  const server = createServer((request, response) => {
    asked.add(request.url ?? '')
    response.end('fine')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.closeAllConnections())
  t.teardown(() => server.close())
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function apiOf(program: Program, dataFolder: string) {
  const [, url = ''] = await program.says(/listens on (http:\S+?);/)
  const key = readFileSync(join(dataFolder, 'first-key'), 'utf8').trim()
  return async <T>(route: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const sent = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
    const { result, error } = (await (await fetch(`${url}/api${route}`, sent)).json()) as { result: T; error: unknown }
    if (error) throw new Error(JSON.stringify(error))
    return result
  }
}

t.test('restart after kill -9 checks all monitors at once and counts no dead prober', async t => {
  const dataFolder = join(temporaryFolder(t), 'data')
  const website = await startWebsite(t)
  const first = runProgram(t, ['start'], { DATA_DIR: dataFolder })
  const api = await apiOf(first, dataFolder)
  const [workspace] = await api<{ id: string }[]>('/v2/workspaces')
  const paths = Array.from({ length: 24 }, (_, n) => `/${n}`)
  for (const path of paths) {
    const request = { url: `${website.url}${path}`, method: 'GET' }
    const monitor = { name: `monitor ${path}`, interval: 60, request, response: { statuses: [200] }, locations: ['local'] }
    await api('/v2/monitoring/websites', { workspace_id: workspace?.id, ...monitor })
  }
  await eventually('all are checked', () => website.asked.size === paths.length)

  first.child.kill('SIGKILL')
  await first.ended
  website.asked.clear()
  const second = runProgram(t, ['start'], { DATA_DIR: dataFolder })
  const after = await apiOf(second, dataFolder)
  const startedAt = performance.now()
  await second.says(/^To see what is wrong now:\n.*\n/m)
  const said = second.stdout()
  t.notMatch(said, /monitoring\/websites/, 'who has monitors is not told how to make the first')
  t.match(said, /^To be notified:$/m)
  t.match(said, `DATA_DIR=${dataFolder} ./watchkeeper member password owner`)
  const [location] = await after<{ active_workers_count: number }[]>('/v2/locations')
  t.equal(location?.active_workers_count, 1, 'one prober lives')
  await eventually('all are checked again', () => website.asked.size === paths.length)
  const tookMs = performance.now() - startedAt
  t.ok(
    tookMs < limits.presence.goneMs,
    `all were checked ${Math.round(tookMs)} ms after the start, before a dead prober would have been given up`,
  )

  const { url, credentialsFile } = JSON.parse(readFileSync(join(dataFolder, 'bus.json'), 'utf8'))
  const logger = createLogger('silent')
  const bus = await connectBus({ servers: url, credentialsFile, name: 'test', patienceMs: 5_000, logger, declare: false })
  t.teardown(() => bus.close())
  const present = (await bus.bucket('presence').list('>')).map(({ key }) => key.split('.')[0]).sort()
  // The presence entry of a dead gateway is ignored: keepers count only new heartbeats.
  const others = present.filter(kind => kind !== 'gateway')
  t.same(others, ['keeper', 'prober'], 'no keeper or prober of the first process is left')
})

const noProc = process.platform !== 'linux' && 'there is no /proc'
t.test('data folder of a killed process is free, even when the parent never reaps the process', { skip: noProc }, async t => {
  const dataFolder = join(temporaryFolder(t), 'data')
  // The shell is replaced by a program that never reaps its children.
  const script = '"$0" "$1" start >/dev/null & exec tail -f /dev/null'
  const parent = spawn('sh', ['-c', script, process.execPath, main], {
    env: { ...environment, DATA_DIR: dataFolder },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.teardown(() => parent.kill('SIGKILL'))
  await runs(parent)
  const holder = holderOf(dataFolder)
  process.kill(holder, 'SIGKILL')
  await eventually('it is a zombie', () => /\) Z /.test(readFileSync(`/proc/${holder}/stat`, 'utf8')))

  const next = runProgram(t, ['start'], { DATA_DIR: dataFolder })
  await next.says(/listens on/)
  t.match(readFileSync(`/proc/${holder}/stat`, 'utf8'), /\) Z /, 'the first one is still not collected')
})

const noPython = spawnSync('python3', ['--version']).error !== undefined && 'there is no python3'
t.test('killed process counts as ending, not ended, while one of its threads runs', { skip: noProc || noPython }, async t => {
  const ends = 'import ctypes,threading,time; threading.Thread(target=time.sleep,args=(60,)).start(); print(1,flush=True)'
  const child = spawn('python3', ['-c', `${ends}; ctypes.CDLL(None).pthread_exit(None)`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const pid = child.pid as number
  const beginning = await beginningOf(pid)
  t.equal(await lifeOf(pid, beginning), 'alive')
  t.equal(await lifeOf(pid, 'of another process with this number'), 'gone')
  await eventually('its main thread has ended', async () => (await lifeOf(pid, beginning)) === 'ending')
  child.kill('SIGKILL')
  await once(child, 'exit')
  t.equal(await lifeOf(pid, beginning), 'gone')
})

const noNpm = spawnSync('npm', ['--version']).error !== undefined && 'there is no npm'
for (const [name, send] of [
  ['SIGTERM to npm', (npm: ChildProcess) => npm.kill('SIGTERM')],
  ['Ctrl-C, which npm hands on a second time', (npm: ChildProcess) => process.kill(-(npm.pid as number), 'SIGINT')],
] as const) {
  t.test(`npm start ends in order and leaves no process after ${name}`, { skip: noNpm }, async t => {
    const dataFolder = join(temporaryFolder(t), 'data')
    // `detached` gives the process its own process group, as a terminal does.
    const options = { cwd: root, env: { ...environment, DATA_DIR: dataFolder }, detached: true }
    const npm = spawn('npm', ['start'], { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
    const said = await runs(npm)
    const holder = holderOf(dataFolder)
    const server = natsServerPid(dataFolder)
    t.teardown(() => isAlive(holder) && process.kill(holder, 'SIGKILL'))
    const ended = once(npm, 'exit')
    const startedAt = performance.now()
    send(npm)
    await ended
    t.ok(performance.now() - startedAt < limits.start.graceMs + 1_000, 'within the grace')
    t.match(said(), /"msg":"stopped"/, 'the program ended with grace')
    t.notOk(isAlive(holder), 'node is gone')
    t.notOk(isAlive(server), 'nats-server is gone')
  })
}

t.test('executable passes signals on when another Node runs the program', async t => {
  const dataFolder = join(temporaryFolder(t), 'data')
  const older = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}})`
  const wrapper = spawn(process.execPath, [`--import=data:text/javascript,${encodeURIComponent(older)}`, executable, 'start'], {
    env: { ...environment, DATA_DIR: dataFolder },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await runs(wrapper)
  const holder = holderOf(dataFolder)
  t.teardown(() => isAlive(holder) && process.kill(holder, 'SIGKILL'))
  t.not(holder, wrapper.pid, 'another process is the program')
  const server = natsServerPid(dataFolder)
  wrapper.kill('SIGINT')
  const [code] = await once(wrapper, 'exit')
  t.equal(code, 0)
  t.notOk(isAlive(holder), 'node is gone')
  t.notOk(isAlive(server), 'nats-server is gone')
})

const holderOf = (dataFolder: string): number => Number(readFileSync(join(dataFolder, 'lock'), 'utf8').split(' ')[0])

/** Resolves when the program below a child has started; returns also the lines that it logs later. */
async function runs(child: ChildProcess): Promise<() => string> {
  let said = ''
  child.stderr?.on('data', chunk => {
    said += chunk
  })
  await eventually('everything runs', () => said.includes('"msg":"everything runs"'))
  return () => said
}
