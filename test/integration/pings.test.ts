// Pings by the programs that people have, unchanged but for the host, to a whole installation. Reference: docs/reference/v3.md, section 17.
// A program that this machine lacks is skipped.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { startPreloaded } from '../support/worlds/preloaded-program.ts'

const installation = await startPreloaded(t, [], { KUMA_PUSH: 'on' })
const { url, workspace, api, command } = installation
const resources = `/v3/workspaces/${workspace}/resources`

const has = (program: string, ...words: string[]): boolean => spawnSync(program, words, { stdio: 'ignore' }).status === 0
const skipUnless = (isThere: boolean, what: string) => (isThere ? {} : { skip: `there is no ${what} here` })

interface Ended {
  code: number | null
  out: string
}

async function sh(script: string, environment: Record<string, string> = {}): Promise<Ended> {
  const child = spawn('sh', ['-c', script], {
    env: { PATH: process.env['PATH'] ?? '', HOME: installation.folder, ...environment },
  })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (out += chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out }
}

interface Entry {
  state: string
  source: string
  reason: string | null
  value: number | null
  labels: Record<string, string>
  body: { text: string; bytes: number } | null
}

let made = 0

/** Makes a Resource for heartbeats. Returns its ping address, its push address, and a function that reads its entries, oldest first. */
async function job() {
  const key = `job-${++made}`
  const { status, text } = await api('POST', resources, { template: 'heartbeat-check', key, name: key })
  if (status !== 201) throw new Error(text)
  const [address] = (await api('GET', `${resources}/${key}/ping-addresses`)).result
  const entries = async (): Promise<Entry[]> => (await api('GET', `${resources}/${key}/observations`)).result.toReversed()
  return { key, address: address.url as string, push: address.push_url as string, entries }
}

const shown = ({ state, labels }: Entry): string => [state, labels['phase'] ?? labels['exit_status'] ?? ''].join(' ').trim()

t.test('curl pings as crontabs call it (v3 17.1 to 17.4)', skipUnless(has('curl', '--version'), 'curl'), async t => {
  const { address, entries } = await job()
  const usual = 'curl -fsS -m 10 --retry 5 -o /dev/null'
  const lines: [script: string, shown: string, method: string][] = [
    [`${usual} ${address}/start`, 'no_data start', 'GET'],
    [`${usual} ${address}`, 'ok', 'GET'],
    [`${usual} --http1.0 ${address}/`, 'ok', 'GET'],
    [`${usual} -I ${address}`, 'ok', 'HEAD'],
    [`${usual} ${address}/fail`, 'problem', 'GET'],
    [`${usual} --data-raw "$(head -c 30000 /dev/zero | tr '\\0' x)" ${address}/log`, 'no_data log', 'POST'],
    [`printf 'disk\\nfull\\n' | ${usual} --data-binary @- ${address}/fail`, 'problem', 'POST'],
    [`head -c 3000000 /dev/zero | ${usual} -T - ${address}`, 'ok', 'PUT'],
    [`false; ${usual} ${address}/$?`, 'problem 1', 'GET'],
    [`true; ${usual} ${address}/$?`, 'ok 0', 'GET'],
  ]
  for (const [script] of lines) t.strictSame(await sh(script), { code: 0, out: '' }, script)
  const found = await entries()
  t.strictSame(
    found.map(entry => [shown(entry), entry.labels['method']]),
    lines.map(([, shown, method]) => [shown, method]),
  )
  t.strictSame(new Set(found.map(({ source }) => source)), new Set(['ping']))
  t.match(found[5]?.body, { text: /^x{10000}$/, bytes: 30_000 })
  t.match(found[6], { reason: /full/, body: { text: 'disk\nfull\n', bytes: 10 } })
  t.match(found[7]?.body, { bytes: 3_000_000 })
  t.match(found[0]?.labels['agent'], /^curl\//)
  const unknown = await sh(`${usual} ${url}/ping/00000000-0000-4000-8000-000000000000`)
  t.match(unknown, { code: 22, out: /404/ })
})

t.test('wget pings with --spider (v3 17.2)', skipUnless(has('wget', '--version'), 'wget'), async t => {
  const { address, entries } = await job()
  t.strictSame(await sh(`wget -q --spider -T 10 -t 5 ${address}`), { code: 0, out: '' })
  t.strictSame(await sh(`wget -q -O - ${address}/start`), { code: 0, out: 'OK' })
  t.strictSame((await entries()).map(shown), ['ok', 'no_data start'])
})

t.test('start and success of one run give its duration, by a ping key (v3 17.2, 17.7)', async t => {
  const key = (await command(['ping-key', 'create', '--description', 'jobs'])).stdout.trim()
  t.match(key, /^[A-Za-z0-9_-]{22}$/)
  const run = '0b7a1d6e-0000-4000-8000-00000000000a'
  const ping = (tail: string) => fetch(`${url}/ping/${key}/nightly${tail}`)
  t.equal((await ping(`/start?rid=${run}`)).status, 404)
  t.equal((await ping(`/start?create=1&rid=${run}`)).status, 201)
  t.equal((await ping(`?create=1&rid=${run}`)).status, 200)
  const [start, end] = (await api('GET', `${resources}/nightly/observations`)).result.toReversed() as Entry[]
  t.match(start, { state: 'no_data', labels: { phase: 'start', run } })
  t.match(end, { state: 'ok', labels: { run } })
  t.type(end?.value, 'number')
  const shownKeys = JSON.parse((await command(['ping-key', 'list', '--json'])).stdout)
  t.match(shownKeys, [{ key, description: 'jobs' }])
  t.match(await command(['ping-key', 'delete', 'jobs']), { code: 0 })
  t.equal((await ping('')).status, 404)
})

t.test('command prints the ping address of a Resource and replaces it (v3 17.5)', async t => {
  const { key, address } = await job()
  t.equal((await command(['resource', 'ping-address', key])).stdout.trim(), address)
  const rotated = (await command(['resource', 'ping-address', key, '--rotate'])).stdout.trim()
  t.not(rotated, address)
  t.equal((await fetch(address)).status, 404)
  t.equal((await fetch(rotated)).status, 200)
  t.match(await command(['resource', 'ping-address', key, '--signal', 'none']), { code: 5 })
})

t.test('push of Uptime Kuma reports (v3 17.9)', async t => {
  const { push, entries } = await job()
  t.strictSame(await (await fetch(`${push}?status=up&msg=OK&ping=1500`)).json(), { ok: true })
  t.strictSame(await (await fetch(`${push}?status=down&msg=full`, { method: 'POST' })).json(), { ok: true })
  t.match(await entries(), [
    { state: 'ok', value: 1.5 },
    { state: 'problem', reason: /full/ },
  ])
})

t.test(
  'runitor reports a command, with a UUID and with a ping key (v3 17.1, 17.7)',
  skipUnless(has('sh', '-c', 'command -v runitor'), 'runitor'),
  async t => {
    const { address, entries } = await job()
    const uuid = address.split('/').at(-1)
    const runitor = `runitor -api-url ${url}/ping`
    t.match(await sh(`${runitor} -uuid ${uuid} -- sh -c 'echo hello; exit 3'`), { code: 3 })
    t.strictSame((await entries()).map(shown), ['no_data start', 'problem 3'])
    const { key } = (await api('POST', `/v3/workspaces/${workspace}/ping-keys`, {})).result
    t.match(await sh(`${runitor} -ping-key ${key} -slug from-runitor -create -- echo hello`), { code: 0 })
    const log = (await api('GET', `${resources}/from-runitor/observations`)).result.toReversed() as Entry[]
    t.match(log.map(shown), ['no_data start', 'ok 0'])
  },
)

/** Runs the hook of borgmatic as borgmatic does, for all states that it knows. */
const borgmatic = `
import logging, sys
from borgmatic.hooks.monitoring import healthchecks as hook, monitor
config = {'ping_url': sys.argv[1], 'create_slug': True, 'states': ['start', 'log', 'finish', 'fail'], 'send_logs': True}
logging.getLogger().setLevel(logging.INFO)
hook.initialize_monitor(config, {}, 'test.yaml', logging.INFO, False)
for _ in range(5000):
    logging.getLogger().info('a line of output that is long enough')
for state in (monitor.State.START, monitor.State.LOG, monitor.State.FINISH, monitor.State.FAIL):
    hook.ping_monitor(config, {}, 'test.yaml', state, logging.INFO, False)
`

t.test(
  'hook of borgmatic reports start, log, finish and fail, and makes the Resource (v3 17.7)',
  skipUnless(has('python3', '-c', 'from borgmatic.hooks.monitoring import healthchecks'), 'borgmatic'),
  async t => {
    const { key } = (await api('POST', `/v3/workspaces/${workspace}/ping-keys`, {})).result
    const python = spawnSync('python3', ['-c', borgmatic, `${url}/ping/${key}/from-borgmatic`], { encoding: 'utf8' })
    t.equal(python.status, 0, python.stderr)
    const log = (await api('GET', `${resources}/from-borgmatic/observations`)).result.toReversed() as Entry[]
    t.strictSame(log.map(shown), ['no_data start', 'no_data log', 'ok', 'problem'])
    const { text = '', bytes = 0 } = log[3]?.body ?? {}
    t.ok(bytes > 90_000 && bytes <= 100_000, `a body of ${bytes} bytes`)
    t.equal(text.length, 10_000)
  },
)
