// The program as a person runs it: real child processes, a real nats-server, a real data folder, HTTP on loopback.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { createDirectoryClient, createNotifierClient } from '#shared/bus/clients/clients.ts'
import { connectBus } from '#shared/bus/nats/nats.ts'
import { limits } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { settingGroups } from '../../infra/runtime/all-settings.ts'
import { eventually, isAlive, natsServerPid, runProgram, temporaryFolder } from './run-program.ts'

const root = join(import.meta.dirname, '..', '..')
const declaredNames = settingGroups.flatMap(({ declared }) => Object.keys(declared))

/** Opens a port, so that it is in use. */
async function takenPort(test: { teardown(run: () => unknown): void }): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  test.teardown(() => server.close())
  return (server.address() as AddressInfo).port
}

async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

t.test('start that cannot succeed ends with one error message and an exit code, without a stack trace', async t => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const dying = join(folder, 'dying')
  mkdirSync(dying)
  const complaint = 'case "$1" in --version) echo "nats-server: v2.15.1";; *) echo "[1] [FTL] no disk today" >&2; exit 1;; esac\n'
  writeFileSync(join(dying, 'nats-server'), `#!/bin/sh\n${complaint}`)
  chmodSync(join(dying, 'nats-server'), 0o755)
  const taken = String(await takenPort(t))
  const nobody = await closedPort()
  const bus = `nats://127.0.0.1:${nobody}`
  const own = (name: string) => ({ DATA_DIR: join(folder, name) })
  for (const path of ['k', 'l/watchkeeper.db']) mkdirSync(join(folder, path), { recursive: true })
  writeFileSync(join(folder, 'k', 'watchkeeper.db'), 'no database'.repeat(500))

  const cases: { name: string; environment: Record<string, string>; code: number; says: RegExp }[] = [
    { name: 'a number that is none', environment: { PORT: 'abc' }, code: 2, says: /^PORT must be a whole number.*"abc"/ },
    {
      name: 'a duration that is none',
      environment: { WEBSITE_CONFIRM_AFTER: 'soon' },
      code: 2,
      says: /^WEBSITE_CONFIRM_AFTER must be/,
    },
    {
      name: 'a block that is none',
      environment: { EGRESS_DENY: '10.0.0.0/33' },
      code: 2,
      says: /^EGRESS_DENY must list CIDR blocks .* "10.0.0.0\/33" is none/,
    },
    { name: 'an unknown word', environment: { LOG_LEVEL: 'loud' }, code: 2, says: /^LOG_LEVEL must be one of/ },
    {
      name: 'an unknown service',
      environment: { SERVICES: 'gateway,kepper' },
      code: 2,
      says: /^SERVICES does not know "kepper"/,
    },
    { name: 'no service', environment: { SERVICES: ',' }, code: 2, says: /^SERVICES must name at least one/ },
    {
      name: 'services apart without a shared store',
      environment: { SERVICES: 'keeper,gateway', NATS_URL: bus },
      code: 2,
      says: /set MONGODB_URL/,
    },
    { name: 'a prober without a bus', environment: { SERVICES: 'prober' }, code: 2, says: /set NATS_URL/ },
    {
      name: 'a gateway apart without the salt',
      environment: { SERVICES: 'gateway', NATS_URL: bus },
      code: 2,
      says: /^SQIDS_SALT must be set/,
    },
    {
      name: 'a certificate that is not there',
      environment: { ...own('f'), NATS_TLS_CERT: join(folder, 'none'), NATS_TLS_KEY: file },
      code: 2,
      says: /none can't be read \(ENOENT\): correct NATS_TLS_CERT\.$/m,
    },
    {
      name: 'an authority of the bus that is none',
      environment: { SERVICES: 'prober', NATS_URL: bus, NATS_CA_FILE: file },
      code: 2,
      says: /file holds no certificate as PEM: correct NATS_CA_FILE\.$/m,
    },
    {
      name: 'a certificate for the bus without its key',
      environment: { SERVICES: 'prober', NATS_URL: bus, NATS_CERT_FILE: file },
      code: 2,
      says: /^NATS_CERT_FILE and NATS_KEY_FILE belong together/,
    },
    {
      name: 'an authority for the embedded bus',
      environment: { NATS_CA_FILE: file },
      code: 2,
      says: /^NATS_CA_FILE is for the bus that NATS_URL names/,
    },
    {
      name: 'a tools folder that is a file',
      environment: { ...own('g'), TOOLS_DIR: file },
      code: 2,
      says: /is not a folder: correct TOOLS_DIR\.$/m,
    },
    {
      name: 'a tools folder that cannot be made',
      environment: { ...own('h'), PATH: dying.replace('dying', 'nothing'), TOOLS_DIR: '/proc/watchkeeper' },
      code: 1,
      says: /the tools folder \/proc\/watchkeeper can't be written \(\w+\): .* correct TOOLS_DIR/,
    },
    {
      name: 'a secret that is not there',
      environment: {
        ...own('i'),
        OIDC_ISSUER: 'https://id.example',
        OIDC_CLIENT_ID: 'x',
        OIDC_CLIENT_SECRET_FILE: join(folder, 'none'),
      },
      code: 2,
      says: /none can't be read \(ENOENT\): correct OIDC_CLIENT_SECRET_FILE\.$/m,
    },
    {
      name: 'an option that no database knows',
      environment: { ...own('j'), MONGODB_URL: `mongodb://keeper:geheim@127.0.0.1:${nobody}/x?geheim=1` },
      code: 1,
      says: /malformed: correct MONGODB_URL\.$/m,
    },
    {
      name: 'a data file that is none',
      environment: own('k'),
      code: 1,
      says: /^The file .*watchkeeper\.db is damaged .*: restore it from a backup, or move it away and start with --accept-loss to begin anew\.$/m,
    },
    {
      name: 'a data file that is a folder',
      environment: own('l'),
      code: 1,
      says: /watchkeeper\.db is a folder where a file of the embedded store must be: move it away\.$/m,
    },
    { name: 'a data folder that is a file', environment: { DATA_DIR: file }, code: 1, says: /is not a folder: correct DATA_DIR/ },
    {
      name: 'a data folder that cannot be made',
      environment: { DATA_DIR: '/proc/watchkeeper' },
      code: 1,
      says: /can't be written \(\w+\): correct DATA_DIR/,
    },
    {
      name: 'a taken HTTP port',
      environment: { ...own('a'), PORT: taken },
      code: 1,
      says: /^Port \d+ on 127.0.0.1 is taken: set PORT /,
    },
    { name: 'a taken ops port', environment: { ...own('b'), OPS_PORT: taken }, code: 1, says: /is taken: set OPS_PORT / },
    {
      name: 'an address of another machine',
      environment: { ...own('m'), HOST: '192.0.2.1' },
      code: 1,
      says: /correct HOST or PORT/,
    },
    {
      name: 'no nats-server anywhere',
      environment: { ...own('c'), PATH: dying.replace('dying', 'nothing'), TOOLS_DIR: join(folder, 'tools') },
      code: 1,
      says: /^There is no nats-server here .* install nats-server/m,
    },
    {
      name: 'a nats-server that dies',
      environment: { ...own('d'), PATH: `${dying}:/usr/bin:/bin` },
      code: 1,
      says: /^The embedded nats-server did not start: no disk today/,
    },
    {
      name: 'a bus that does not answer',
      environment: { SERVICES: 'prober', NATS_URL: bus },
      code: 1,
      says: /^The bus at .*127.0.0.1:\d+ does not answer/,
    },
    {
      name: 'a store that does not answer',
      environment: { ...own('e'), MONGODB_URL: `mongodb://keeper:geheim@127.0.0.1:${nobody}/x` },
      code: 1,
      says: /^The store did not answer within 10 s/,
    },
  ]
  await Promise.all(
    cases.map(async ({ name, environment, code, says }) => {
      const ended = await runProgram(t, ['start'], { LOG_LEVEL: 'silent', ...own('other'), ...environment }).ended
      t.equal(ended.code, code, `${name}: exit code`)
      t.match(ended.stderr, says, `${name}: sentence`)
      t.notMatch(ended.stderr, /^\s+at |node:internal|geheim/m, `${name}: no stack, no secret`)
      t.equal(ended.stderr.trim().split('\n').length, 1, `${name}: one line`)
      t.notMatch(ended.stdout, /listens/, `${name}: it never said that it listens`)
    }),
  )
})

t.test('wrong command or option ends with exit code 2 and an error message', async t => {
  for (const args of [['strat'], ['start', '--quick'], ['key', 'delete'], ['member', 'role', 'ann', 'king']]) {
    const ended = await runProgram(t, args, { DATA_DIR: temporaryFolder(t) }).ended
    t.equal(ended.code, 2, args.join(' '))
    t.match(ended.stderr, /error:/)
    t.notMatch(ended.stderr, /^\s+at /m)
  }
})

t.test('--help lists every setting of every service with default, unit and meaning, and the exit codes', async t => {
  const { code, stdout } = await runProgram(t, ['start', '--help']).ended
  t.equal(code, 0)
  t.ok(
    declaredNames.includes('WEBSITE_CONFIRM_AFTER') && declaredNames.includes('OPS_PORT') && declaredNames.includes('LOCATION'),
  )
  for (const { declared } of settingGroups) {
    for (const [name, setting] of Object.entries(declared)) {
      t.match(stdout, `    ${name}=${setting.default || 'unset'}`, `${name} with its default`)
      t.ok(setting.meaning.length > 10, `${name} has a meaning`)
    }
  }
  for (const name of new Set(declaredNames)) t.equal(stdout.split(`    ${name}=`).length, 2, `${name} stands there once`)
  t.match(stdout, /WEBSITE_CONFIRM_AFTER=2m \(duration.*\)\n +How long/)
  t.match(stdout, /Exit codes:/)
})

t.test('setting that several services share is declared with the same text in each service', async t => {
  for (const name of new Set(declaredNames)) {
    const defaults = settingGroups.flatMap(({ declared }) => (declared[name] ? [declared[name].default] : []))
    t.equal(new Set(defaults).size, 1, name)
  }
})

const noFull = !existsSync('/dev/full') && 'there is no /dev/full'
t.test('command exits with an error when it could not print', { skip: noFull }, async t => {
  const full = openSync('/dev/full', 'w')
  t.teardown(() => closeSync(full))
  const main = join(root, 'infra/cli/main.ts')
  const { status, stderr } = spawnSync(process.execPath, [main, 'machines'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  })
  t.equal(status, 1)
  t.match(stderr, /^Standard output can't be written \(ENOSPC\): not everything was printed\.$/m)
})

t.test('./watchkeeper runs by its path and by a link, and ends with its exit code', async t => {
  const folder = temporaryFolder(t)
  const link = join(folder, 'wk')
  symlinkSync(join(root, 'watchkeeper'), link)
  for (const command of ['./watchkeeper', join(root, 'watchkeeper'), link]) {
    const ended = spawnSync(command, ['--version'], { cwd: root, encoding: 'utf8' })
    t.equal(ended.status, 0, ended.stderr)
    t.equal(ended.stdout, '2.0.0\n')
  }
  const nobody = spawnSync(link, ['key', 'list'], { cwd: folder, encoding: 'utf8', env: { PATH: process.env['PATH'] } })
  t.equal(nobody.status, 3)
  t.match(nobody.stderr, /^Watchkeeper can't be reached \(nothing runs on the data folder .*\.data\): start it, or set DATA_DIR/)
  const fresh = join(folder, 'fresh')
  for (const path of ['watchkeeper', 'infra/cli/watchkeeper.js', 'package.json']) cpSync(join(root, path), join(fresh, path))
  const bare = spawnSync(join(fresh, 'watchkeeper'), ['key', 'list'], { encoding: 'utf8' })
  t.match(bare, { status: 1, stderr: `The packages are not here yet: run npm ci in ${fresh}, which brings what is missing.\n` })
  const strange = spawnSync('sh', ['-c', './watchkeeper key list'], { cwd: folder, encoding: 'utf8' })
  t.equal(strange.status, 127, 'in another folder there is no such command, and nothing is fetched')
})

t.test('installation starts, serves, survives its bus server, and ends in order', async t => {
  const dataFolder = join(temporaryFolder(t), 'data')
  const ofMonitors = await closedPort()
  const program = runProgram(t, ['start'], { DATA_DIR: dataFolder, MONITOR_METRICS_PORT: String(ofMonitors) })
  const [, url = ''] = await program.says(/listens on (http:\S+?);/)
  const [, ops = ''] = await program.says(/metrics: (http:\S+)\/readyz/)
  await program.says(/api\/openapi\/\n/)
  const key = readFileSync(join(dataFolder, 'first-key'), 'utf8').trim()
  const api = async (route: string) => {
    const response = await fetch(`${url}/api${route}`, { headers: { authorization: `Bearer ${key}` } })
    return (await response.json()) as { result: unknown; error: unknown }
  }

  await t.test('first key works, is readable only by this user, and is never printed', async t => {
    t.equal(statSync(join(dataFolder, 'first-key')).mode & 0o777, 0o600)
    t.equal(statSync(join(dataFolder, 'bus.json')).mode & 0o777, 0o600)
    t.equal(statSync(dataFolder).mode & 0o777, 0o700)
    for (const name of readdirSync(dataFolder)) t.equal(statSync(join(dataFolder, name)).mode & 0o077, 0, name)
    t.same(await api('/version'), { result: '2.0.0', error: null, meta: null })
    t.notMatch(program.stdout() + program.stderr(), key)
  })

  await t.test(
    'printed commands work when they are pasted into a shell',
    { skip: spawnSync('curl', ['--version']).error ? 'no curl' : false },
    async t => {
      const commands = program
        .stdout()
        .split('\n')
        .filter(line => line.startsWith('  curl'))
      t.notMatch(commands.join('\n'), '/v2/', 'all are of generation 3')
      t.equal(commands.length, 6, 'a destination, a Template, a Resource, its Observation, a website, and the incidents')
      for (const command of commands) {
        const shell = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] })
        let answer = ''
        for await (const chunk of shell.stdout) answer += chunk
        const { error, result } = JSON.parse(answer) as { error: unknown; result: unknown }
        t.equal(error, null, command)
        t.ok(result, command)
      }
      const { result } = (await api('/v2/notifications/destinations')) as { result: { name: string }[] }
      t.equal(result.length, 1)
      const [, workspace = ''] = /[/](workspaces[/]\w+)[/]resources/.exec(commands.join('\n')) ?? []
      const website = (await api(`/v3/${workspace}/resources/website`)) as { result: { template: string; meta: object } }
      t.match(website.result, { template: 'website-check@1', meta: { locations: [/^\w+$/], interval_value: 1 } })
    },
  )

  await t.test('port for operators serves liveness, readiness and counters', async t => {
    t.equal((await fetch(`${ops}/livez`)).status, 200)
    const json = await fetch(`${ops}/readyz`)
    t.equal(json.status, 200)
    t.same(await json.json(), { ready: true, reasons: [], warnings: [] })
    t.equal(await (await fetch(`${ops}/readyz`, { headers: { accept: 'text/plain' } })).text(), 'ready\n')
    t.equal((await fetch(`${ops}/other`)).status, 404)
    t.equal((await fetch(`${ops}/livez`, { method: 'POST' })).status, 405)
    const metrics = await (await fetch(`${ops}/metrics`)).text()
    t.match(metrics, /^process_resident_memory_bytes /m)
    const documented = readFileSync(join(root, 'infra/metrics.md'), 'utf8')
    const names = [...metrics.matchAll(/^# TYPE (watchkeeper_\w+) /gm)].map(match => match[1])
    t.ok(names.length > 10)
    for (const name of names) t.match(documented, `\`${name}\``, `${name} is documented`)
  })

  await t.test('metrics of monitors are served on a port of their own', async t => {
    const response = await fetch(`http://127.0.0.1:${ofMonitors}/metrics/monitors`)
    t.equal(response.status, 200)
    t.match(await response.text(), /^watchkeeper_monitors_left_out 0$/m)
    t.equal((await fetch(`${ops}/metrics/monitors`)).status, 404)
  })

  await t.test('keys are created, listed and deleted by command', async t => {
    const command = (...args: string[]) => runProgram(t, ['key', ...args], { DATA_DIR: dataFolder }).ended
    const made = await command('create', '--json', '--description', 'for a test')
    t.equal(made.code, 0, made.stderr)
    const { id, token } = JSON.parse(made.stdout)
    const use = async () => {
      const answer = await fetch(`${url}/api/version`, { headers: { authorization: `Bearer ${token}` } })
      return (await answer.json()) as { result: unknown; error: { code: number } | null }
    }
    t.match(await use(), { result: '2.0.0' })
    const listed = await command('list')
    t.match(listed.stdout, new RegExp(`^${id}.* for a test$`, 'm'))
    t.notMatch(listed.stdout, '\u001b', 'no colours where there is no terminal')
    t.notMatch(listed.stdout, token)
    t.equal((await command('delete', id)).code, 0)
    await eventually('the deleted key is refused', async () => (await use()).error?.code === 1003)
    const again = await command('delete', id)
    t.equal(again.code, 5)
    t.match(again.stderr, /^There is no key "/)
  })

  await t.test('secret of a destination is created, rotated and removed, and signs messages', async t => {
    const command = (...args: string[]) => runProgram(t, ['destination', 'secret', ...args], { DATA_DIR: dataFolder }).ended
    const hits: { headers: Record<string, string>; body: string }[] = []
    const receiver = createHttpServer(async (request, response) => {
      hits.push({ headers: request.headers as Record<string, string>, body: await readText(request) })
      response.end()
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    t.teardown(() => receiver.close())
    const { url: busUrl, credentialsFile } = JSON.parse(readFileSync(join(dataFolder, 'bus.json'), 'utf8'))
    const logger = createLogger('silent')
    const bus = await connectBus({ servers: busUrl, credentialsFile, name: 'test', patienceMs: 5_000, logger, declare: false })
    const clock = createSystemClock()
    t.teardown(async () => {
      clock.stop()
      await bus.close()
    })
    const { ask } = createDirectoryClient(bus, clock)
    const [workspace] = ((await api('/v2/workspaces')) as { result: { id: string }[] }).result
    const workspaceId = workspace?.id as string
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const fields = { name: 'Signed', url, type: 'webhook' as const, channel: '', default: false, transformationId: null }
    await ask('create-destination', { ...fields, workspaceId, id: 'signeddest' })
    const names = ['signeddest', '--workspace', workspaceId] as const

    const none = await command(...names, '--rotate')
    t.match(
      none.stderr,
      /^Messages to "Signed" are signed\. Its secret is shown only now:$/m,
      'nothing signs along where there was none',
    )
    t.equal((await command(...names, '--remove')).code, 0)
    const first = await command(...names)
    t.equal(first.code, 0, first.stderr)
    t.match(first.stdout, /^whsec_[A-Za-z0-9+/=]{44}\n$/, 'the secret alone')
    t.match(first.stderr, 'Messages to "Signed" are signed. Its secret is shown only now:')
    const again = await command(...names)
    t.equal(again.code, 4)
    t.match(again.stderr, /^Destination has a secret: Rotate it/)
    const rotated = await command(...names, '--rotate', '--grace', '1h', '--json')
    const { secret } = JSON.parse(rotated.stdout)
    t.strictSame(JSON.parse(rotated.stdout), { id: 'signeddest', workspace: workspaceId, secret })
    t.same(await createNotifierClient(bus, clock).sendTest({ destinationId: 'signeddest' }), { delivered: true })
    const [hit] = hits
    for (const valid of [first.stdout.trim(), secret]) {
      t.ok(new Webhook(valid).verify(hit?.body ?? '', hit?.headers ?? {}), 'both verify what arrives')
    }
    t.match((await command(...names, '--remove')).stdout, 'Messages to "Signed" are no longer signed.')
    t.match(JSON.parse((await command(...names, '--remove', '--json')).stdout), { removed: false })
    for (const args of [
      [...names, '--remove', '--rotate'],
      [...names, '--grace', '1h'],
      [...names, '--rotate', '--grace', '31d'],
      [...names, '--rotate', '--grace', '721h'],
      [],
    ]) {
      t.equal((await command(...args)).code, 2, args.join(' '))
    }
    t.equal((await command('999', '--workspace', workspaceId)).code, 5)
    t.equal((await command('signed', '--workspace', 'default', '--rotate')).code, 0, 'by names in any case')
    t.notMatch(program.stdout() + program.stderr(), /whsec_/, 'no log has it')
  })

  await t.test('second process is refused because the data folder is in use, before its port is checked', async t => {
    const ended = await runProgram(t, ['start'], { DATA_DIR: dataFolder, PORT: new URL(url).port }).ended
    t.equal(ended.code, 1)
    t.match(ended.stderr, new RegExp(`is in use by process ${program.child.pid}`))
  })

  await t.test('prober alone in a process joins over the bus', async t => {
    const bus = JSON.parse(readFileSync(join(dataFolder, 'bus.json'), 'utf8'))
    const environment = { SERVICES: 'prober', LOCATION: 'elsewhere', NATS_URL: bus.url, NATS_CREDENTIALS: bus.credentialsFile }
    const prober = runProgram(t, ['start'], environment)
    await prober.says(/Watchkeeper 2.0.0 runs/)
    const workers = async () => {
      const { result } = (await api('/v2/locations')) as { result: { name: string; active_workers_count: number }[] }
      return result.find(location => location.name === 'elsewhere')?.active_workers_count
    }
    await eventually('the new location has its worker', async () => (await workers()) === 1)
    const [seed = ''] = /^SU[A-Z2-7]{56}$/m.exec(readFileSync(bus.credentialsFile, 'utf8')) ?? []
    t.notMatch(prober.stdout() + prober.stderr(), seed)
    prober.child.kill('SIGTERM')
    t.equal((await prober.ended).code, 0)
  })

  await t.test('dead bus server is restarted, and the services continue', async t => {
    const before = natsServerPid(dataFolder)
    process.kill(before, 'SIGKILL')
    await eventually('it is not ready, and says why', async () => {
      const answer = await fetch(`${ops}/readyz`)
      return answer.status === 503 && ((await answer.json()) as { reasons: string[] }).reasons.length > 0
    })
    await eventually('it is ready again', async () => (await fetch(`${ops}/readyz`)).status === 200)
    t.not(natsServerPid(dataFolder), before)
    t.match(await api('/v2/workspaces'), { error: null, result: [{ name: 'Default' }] })
  })

  await t.test('SIGTERM ends all processes in time with code 0', async t => {
    const server = natsServerPid(dataFolder)
    program.child.kill('SIGTERM')
    const ended = await program.ended
    t.equal(ended.code, 0, ended.stderr)
    t.notOk(isAlive(server), 'the bus server is gone')
    t.same(
      readdirSync(dataFolder).sort(),
      ['bus', 'first-key', 'secrets.key', 'start-lock', 'watchkeeper.db', 'watchkeeper.db-lock', 'watchkeeper.db-mark'],
      'nothing is left but data and the empty files that are locked',
    )
    const after = await runProgram(t, ['key', 'list'], { DATA_DIR: dataFolder }).ended
    t.equal(after.code, 3, 'a command says that nothing runs')
    t.match(after.stderr, /^Watchkeeper can't be reached/)
  })
})

t.test('kill -9 leaves no bus server running, and the next start finds its data', async t => {
  const dataFolder = join(temporaryFolder(t), 'data')
  const first = runProgram(t, ['start'], { DATA_DIR: dataFolder })
  await first.says(/listens on/)
  const server = natsServerPid(dataFolder)
  const key = readFileSync(join(dataFolder, 'first-key'), 'utf8')
  t.ok(isAlive(server))
  first.child.kill('SIGKILL')
  await first.ended
  await eventually('the bus server is gone', () => !isAlive(server))

  const second = runProgram(t, ['start'], { DATA_DIR: dataFolder })
  const [, url = ''] = await second.says(/listens on (http:\S+?);/)
  t.equal(readFileSync(join(dataFolder, 'first-key'), 'utf8'), key, 'no other first key is made')
  const answer = await fetch(`${url}/api/v2/workspaces`, { headers: { authorization: `Bearer ${key.trim()}` } })
  t.match(await answer.json(), { error: null, result: [{ name: 'Default', role: 'owner' }] })

  const [, place = '', destination = ''] = await second.says(/(\/api\/v3\/workspaces\/\w+\/destinations) -d '(.*)'\n/)
  t.equal((await runProgram(t, ['workspace', 'create', 'Second'], { DATA_DIR: dataFolder }).ended).code, 0)
  const made = await fetch(`${url}${place}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.trim()}` },
    body: destination,
  })
  t.match(
    await made.json(),
    { error: null, result: { default: true } },
    'what is printed works for a person of two workspaces, too',
  )
  second.child.kill('SIGINT')
  t.equal((await second.ended).code, 0, 'SIGINT ends it as SIGTERM does')
})

t.test('first start stores the compiled sources while it runs, for the starts after a kill', async t => {
  const folder = temporaryFolder(t)
  const [compiled, dataFolder] = [join(folder, 'compiled'), join(folder, 'data')]
  // Says on standard error when the program has tried to mark the folder, which it does last.
  const preloaded = `import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const { writeFileSync: write } = fs
    fs.writeFileSync = (path, ...rest) => {
      try { return write(path, ...rest) }
      finally { if (String(path).endsWith('stored-by-start')) process.stderr.write('tried to mark the folder') }
    }
    syncBuiltinESMExports()`
  const options = { NODE_COMPILE_CACHE: compiled, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preloaded)}` }
  const own = { DATA_DIR: dataFolder, PORT: '0', OPS_PORT: '0', ...options }
  const program = join(root, 'infra', 'cli', 'watchkeeper.js')
  const run = () => {
    const child = spawn(process.execPath, [program, 'start'], {
      env: { ...process.env, ...own },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    t.teardown(() => child.kill('SIGKILL'))
    const said = { out: '', err: '' }
    child.stdout.on('data', chunk => {
      said.out += chunk
    })
    child.stderr.on('data', chunk => {
      said.err += chunk
    })
    const stored = () => eventually('it has tried to mark the folder', () => said.err.includes('tried to mark the folder'))
    return { child, said, stored }
  }
  const kill = async ({ child }: ReturnType<typeof run>) => {
    child.kill('SIGKILL')
    await once(child, 'exit')
    await eventually('the bus server is gone', () => !isAlive(natsServerPid(dataFolder)))
  }
  const first = run()
  await first.stored()
  const marks = () => globSync('*/stored-by-start', { cwd: compiled })
  t.equal(marks().length, 1, 'the folder is marked')
  const [mark = ''] = marks()
  const sources = globSync('services/{directory,gateway,keeper}/**/*.ts', { cwd: root })
  const cached = readdirSync(compiled, { recursive: true }).length
  t.ok(cached > sources.length, `${cached} files for the ${sources.length} sources of three services and for packages`)
  await kill(first)

  rmSync(join(compiled, mark))
  symlinkSync(join(folder, 'absent', 'file'), join(compiled, mark))
  const second = run()
  await second.stored()
  const readiness = /(http:\S+\/readyz)/
  await eventually('the second start is complete', () => readiness.test(second.said.out))
  const [, ready = ''] = readiness.exec(second.said.out) ?? []
  await eventually('a start that cannot mark its folder goes on', async () => (await fetch(ready)).status === 200)
  await kill(second)
})

t.test('warning of Node is logged, except a warning about experimental features', async t => {
  const warning = (name: string) => `process.emitWarning('of-${name}','${name}')`
  const onSignal = `process.on('SIGUSR2',()=>{${warning('ExperimentalWarning')};${warning('DeprecationWarning')}})`
  const environment = { DATA_DIR: join(temporaryFolder(t), 'data'), NODE_OPTIONS: `--import=data:text/javascript,${onSignal}` }
  const program = runProgram(t, ['start'], environment)
  await program.says(/listens on/)
  program.child.kill('SIGUSR2')
  await eventually('it is warned', () => program.stderr().includes('"message":"of-DeprecationWarning'))
  t.notMatch(program.stderr(), /"message":"of-ExperimentalWarning/)
  program.child.kill('SIGTERM')
  t.equal((await program.ended).code, 0)
})

t.test('second signal ends the program at once', async t => {
  const dataFolder = join(temporaryFolder(t), 'data')
  const program = runProgram(t, ['start'], { DATA_DIR: dataFolder })
  await program.says(/listens on/)
  const server = natsServerPid(dataFolder)
  process.kill(server, 'SIGSTOP')
  t.teardown(() => isAlive(server) && process.kill(server, 'SIGKILL'))
  const firstAt = performance.now()
  program.child.kill('SIGTERM')
  await eventually('it is stopping', () => program.stderr().includes('"stopping"'))
  await eventually('another one is a second one', () => performance.now() - firstAt > limits.start.sameSignalMs + 100)
  program.child.kill('SIGTERM')
  t.equal((await program.ended).code, 1)
  t.notMatch(program.stderr(), /not everything ended in time/, 'it does not use up the grace')
})
