// Move of an installation from its folder to MongoDB and NATS and back, with real processes, while it works. The command is killed by kill -9 at
// instants that a seed chooses, and run again. Nothing is lost, nobody is told twice, and the old side refuses every start.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { minute } from '#shared/limits/limits.ts'
import { type Ended, eventually, type Program, runProgram, temporaryFolder } from '../infra/run-program.ts'
import { Random } from '../simulation/random.ts'
import { startTestBus } from '../support/bus/nats.ts'
import { sharedMongodb } from '../support/store/secantus.ts'

type Settings = Record<string, string>

/** The last release, whose code the history of the repository has. */
const release = { version: '2.0.0', commit: 'ab2ce6eac8bfe7151873ed8603b14048e40abe35' }

/** Longest time until a check that follows a change: the interval is a minute. */
const twoChecksMs = 2 * minute

interface Received {
  path: string
  key: string
}

const seed = Number(process.env['SEED'] ?? 1)

t.test(
  `installation moves to a cluster and back, and the command is killed in between: seed ${seed}`,
  { timeout: 600_000 },
  async t => {
    const mongodbUrl = await sharedMongodb(t)
    if (mongodbUrl === null) return t.comment('skipped: no server of the MongoDB wire protocol')
    const random = new Random(seed, 'move')
    const testBus = await startTestBus()
    t.teardown(() => testBus.stop())
    const world = await startWorld(t)
    const folder = join(temporaryFolder(t), 'data')
    const home: Settings = { DATA_DIR: folder }
    const cluster: Settings = {
      DATA_DIR: join(temporaryFolder(t), 'cluster'),
      MONGODB_URL: mongodbUrl,
      NATS_URL: testBus.url,
      NATS_TOKEN: testBus.token,
    }
    const first = await start(t, home)
    const key = readFileSync(join(folder, 'first-key'), 'utf8').trim()
    const made = await furnish(first.call(key), world.url)
    await eventually('everything is told that can be', () => world.received.some(({ path }) => path === '/late'))
    const before = await content(first.call(key), made)
    t.equal(before.open.length, 2)

    const moving = (settings: Settings, words: string[]) => runProgram(t, ['move', '--json', ...words], settings)
    const there = { ...cluster, DATA_DIR: folder }
    const report = await moveWhileItRuns(t, { random, begin: () => moving(there, ['--to']), running: first.program })
    t.ok(report.collections['subjects']?.count === 2 && report.collections['deliveries']?.count, 'counts and digests are said')
    t.notMatch(JSON.stringify(report), testBus.token, 'no secret is printed')
    const isComplete = async (again: Program) => {
      const { code, stdout, stderr } = await again.ended
      t.equal(code, 0, stderr)
      t.match(JSON.parse(stdout || '{}'), { installation_id: report.installation_id, stood_still_ms: null })
    }
    await isComplete(moving(there, ['--to']))
    const startEarlier = earlierProgram(t)
    if (startEarlier === null) t.comment(`the repository here lacks the commit of version ${release.version}`)
    else {
      const byBus = /the bus is that of an installation that was moved to mongodb:\/\/\S+ and nats:\/\/\S+ on /
      t.match(startEarlier(home), { status: 1, stderr: byBus }, 'version 2.0.0 is kept away, too')
      t.match(startEarlier(home, '--accept-loss'), { status: 1, stderr: /was written in layout 1000000/ })
    }
    t.match(await runProgram(t, ['start'], home).ended, {
      code: 4,
      stderr: /^The installation in \S+data was moved to mongodb:\/\/\S+ and nats:\/\/\S+ on [\d-]+, and is not used any longer/m,
    })

    const handed = Object.fromEntries(
      readFileSync(join(folder, 'cluster.env'), 'utf8')
        .split('\n')
        .map(line => line.split('=')),
    )
    t.match(await runProgram(t, ['start'], { ...cluster, ...handed, SQIDS_SALT: 'another' }).ended, {
      code: 1,
      stderr: /^SQIDS_SALT is another/m,
    })
    world.lateStatus(200)
    const second = await start(t, { ...cluster, ...handed })
    t.same(await content(second.call(key), made), before, 'nothing is lost')
    await eventually('what was under way arrives', () => world.accepted('/late').length === 1, twoChecksMs)

    const newFolder = join(temporaryFolder(t), 'new')
    const back = await moveWhileItRuns(t, {
      random,
      begin: () => moving({ ...cluster, ...handed }, ['--to', newFolder]),
      running: second.program,
    })
    t.equal(back.installation_id, report.installation_id)
    await isComplete(moving({ ...cluster, ...handed }, ['--to', newFolder]))
    t.match(await runProgram(t, ['start'], { ...cluster, ...handed }).ended, { code: 4, stderr: /was moved to \S+new on / })
    if (startEarlier !== null)
      t.match(startEarlier({ ...cluster, ...handed }), { status: 1, stderr: /an installation that was moved to \S+new on / })
    const third = await start(t, { DATA_DIR: newFolder })
    t.same(await content(third.call(key), made), before)
    world.setUp(true)
    await eventually('its recovery is told', () => world.accepted('/hook').length === 3, twoChecksMs)
    const keys = world.received.filter(({ path }) => path === '/hook').map(({ key }) => key)
    t.equal(new Set(keys).size, keys.length, 'nobody is told twice')
    t.notMatch(third.program.stdout(), /begins anew/)
  },
)

/** Returns a function that starts the program of the last release, and waits for its end; null: the repository lacks its code. */
function earlierProgram(t: Test) {
  const root = join(import.meta.dirname, '../..')
  const folder = join(temporaryFolder(t), release.version)
  const parts = ['services', 'shared', 'machines', 'infra', 'package.json']
  const code = spawnSync('git', ['archive', release.commit, ...parts], { cwd: root, maxBuffer: 2 ** 28 })
  if (code.status !== 0) return null
  mkdirSync(folder)
  spawnSync('tar', ['-x', '-C', folder], { input: code.stdout })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const environment = { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0', OPS_PORT: '0' }
  return (settings: Settings, ...words: string[]) =>
    spawnSync(process.execPath, ['infra/cli/main.ts', 'start', ...words], {
      cwd: folder,
      env: { ...environment, TOOLS_DIR: join(root, '.tools'), ...settings },
      encoding: 'utf8',
      timeout: 60_000,
    })
}

interface MoveReport {
  installation_id: string
  collections: Record<string, { count: number; digest: string }>
}

interface MoveOptions {
  random: Random
  begin(): Program
  /** The installation. It is stopped when the command asks for it. */
  running: Program
}

/** Runs the command until it succeeds, and kills it up to three times. Returns what it prints at the end. */
async function moveWhileItRuns(t: Test, { random, begin, running }: MoveOptions): Promise<MoveReport> {
  const how = random.pick(['SIGTERM', 'SIGKILL'] as const)
  const kills = Array.from({ length: 3 }, () => random.integer(700, 6_000))
  for (let isStopped = false; ; ) {
    const command = begin()
    let isOver = false
    const ended = command.ended.finally(() => (isOver = true))
    const killMs = kills.pop()
    const kill = killMs === undefined ? null : pause(killMs).then(() => command.child.kill('SIGKILL'))
    if (!isStopped) {
      await eventually('it asks for the stop', () => isOver || /Stop .* now/.test(command.stderr()))
      if (/Stop .* now/.test(command.stderr()) && (!isOver || kills.length === 0)) {
        running.child.kill(how)
        await running.ended
        isStopped = true
      }
    }
    const { code, signal, stdout, stderr }: Ended = await ended
    await kill
    if (signal === 'SIGKILL') continue
    t.equal(code, 0, stderr)
    if (code !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as MoveReport
  }
}

type Call = <T>(path: string, body?: object) => Promise<T>

async function start(t: Test, settings: Settings) {
  const program = runProgram(t, ['start'], settings)
  const [, url = ''] = await program.says(/listens on (http:\S+?);/)
  const call =
    (key: string): Call =>
    async <T>(path: string, body?: object): Promise<T> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const sent = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
      const response = await fetch(`${url}/api${path}`, sent)
      const text = await response.text()
      const { result, data, error } = JSON.parse(text || '{}')
      if (error || !response.ok) throw new Error(`${path}: ${text}`)
      return result ?? data
    }
  return { program, call }
}

interface Made {
  workspaceId: string
}

/** Makes a website that fails, a subject with an open problem, and a receiver that accepts nothing yet. */
async function furnish(call: Call, world: string): Promise<Made> {
  const [workspace] = await call<{ id: string }[]>('/v2/workspaces')
  const workspace_id = workspace?.id ?? ''
  const destinations: number[] = []
  for (const path of ['hook', 'late']) {
    const destination = { workspace_id, name: path, destination_type: 'webhook', url: `${world}/${path}` }
    destinations.push((await call<{ id: number }>('/v2/notifications/destinations', destination)).id)
  }
  const [location] = await call<{ id: string }[]>('/v2/locations')
  const v3 = `/v3/workspaces/${workspace_id}`
  const answers = { url: `${world}/site`, interval_value: 1, locations: [location?.id], confirm_after: 1, recover_after: 1 }
  await call(`${v3}/resources`, { template: 'website-check', key: 'site', name: 'Site', meta: answers })
  const inWorkspace = `?workspace_id=${workspace_id}`
  await call('/v2/subjects', { workspace_id, name: 'Nightly backup' })
  const subject = '/v2/subjects/nightly-backup'
  await call(`${subject}/delivery${inWorkspace}`, {
    selections: destinations.map(id => ({ destination_id: id, alert_kinds: ['problem', 'no_data', 'recovery'] })),
  })
  await call(`${subject}/signals${inWorkspace}`, { name: 'Run', kind: 'event' })
  await call(`${subject}/rules${inWorkspace}`, {
    name: 'Backup fails',
    document: {
      inputs: [{ signal: 'run', mode: 'status' }],
      decision: { need: 'any' },
      wait: { confirm_after: '0s', close_after: '0s' },
    },
  })
  await call(`${subject}/signals/run/observations${inWorkspace}`, { status: 'problem', error: 'disk full' })
  await eventually('two incidents are open', async () => (await call<unknown[]>(`${v3}/incidents?lifecycle=open`)).length === 2)
  await eventually('the website is down', async () => {
    const incidents = await call<{ status: string }[]>(`${v3}/incidents?lifecycle=open`)
    return incidents.every(({ status }) => status !== 'unconfirmed')
  })
  return { workspaceId: workspace_id }
}

/** Returns what must be the same after a move. */
async function content(call: Call, { workspaceId }: Made) {
  const v3 = `/v3/workspaces/${workspaceId}`
  const open = await call<{ id: string; opened_at: string }[]>(`${v3}/incidents?lifecycle=open`)
  const resources = await call<{ id: string; name: string }[]>(`${v3}/resources`)
  return {
    open: open.map(({ id, opened_at }) => [id, opened_at]).sort(),
    resources: resources.map(({ id, name }) => [id, name]).sort(),
  }
}

async function startWorld(t: Test) {
  const received: (Received & { status: number })[] = []
  let [isUp, late] = [false, 503]
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request
    for await (const _ of request);
    const status = path === '/late' ? late : path === '/site' && !isUp ? 503 : 200
    if (path !== '/site') received.push({ path, key: String(headers['idempotency-key']), status })
    response.writeHead(status).end('a page')
  }).listen(0, '127.0.0.1')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise(resolve => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    accepted: (path: string) => received.filter(one => one.path === path && one.status === 200),
    lateStatus: (status: number) => {
      late = status
    },
    setUp: (up: boolean) => {
      isUp = up
    },
  }
}
