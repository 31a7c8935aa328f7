// The commands of the documentation, run as written on real installations: on a new one, and on one with workspaces and objects of the same
// names. Only addresses, and input that a person types, are replaced.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createClient, startProgram } from './system.ts'

type Test = import('tap').Test

const root = join(import.meta.dirname, '../..')
const password = 'correct horse battery'

interface Page {
  name: string
  /** Sections whose commands run; absent: all sections. */
  sections?: string[]
  /** Blocks that are not run, each with its reason. `part` is a text that the block contains. */
  left?: [part: string, reason: string][]
  /** Patterns of the page's responses, one for each request. */
  results?: object[]
}

/** Tested pages, in reading order, because later pages use the objects of earlier pages. */
const pages: Page[] = [
  {
    name: 'getting-started.md',
    left: [
      ['npm start', 'it runs already'],
      ['INCIDENT_ID', 'there is no incident'],
    ],
    results: [
      { id: 'heartbeat@1' },
      { key: 'backup', template: 'heartbeat@1' },
      { observation: String },
      { key: 'shop', template: 'website-check@1', meta: { interval_value: 1, locations: [String] } },
      [],
    ],
  },
  { name: 'README.md', results: [] },
  {
    name: 'custom-subjects.md',
    results: [
      { id: 'nightly-backup', kind: 'subject' },
      { id: 'run', signal_kind: 'custom_heartbeat', meta: { host: 'db1' } },
      { id: 'backup-fails', policy_version: 1 },
      { name: 'Backups', destination_type: 'webhook' },
      { status: 'problem', accepted: true, labels: { host: 'db1' }, value: 97.5 },
      [{ rule_id: 'backup-fails', status: 'pending' }],
      { active: true },
      { active: true },
      { active: true },
      { active: false },
      { recorded: true, rule_id: 'backup-fails' },
    ],
  },
  {
    name: 'notifications.md',
    results: [
      { message: 'Test message delivered' },
      { selections: [{ destination_name: 'Ops channel' }, { destination_name: 'Pager', alert_kinds: ['problem', 'no_data'] }] },
      { selections: [{ destination_name: 'Ops channel' }, { destination_name: 'Pager' }] },
      { selections: [], fallback: 'workspace_default' },
      {
        selections: [
          { destination_name: 'PagerDuty: trigger', alert_kinds: ['problem', 'no_data'] },
          { destination_name: 'PagerDuty: resolve', alert_kinds: ['recovery'] },
        ],
      },
      [],
      [{ destination_name: 'Ops channel', alert_kind: 'problem', status: 'delivered' }],
    ],
  },
  {
    name: 'observation-addresses.md',
    results: [{ id: 'nightly-job@1' }, { observation: '2026-10-05', created_signal: false }, { created_signal: false }],
  },
  { name: 'templates.md', results: [] },
  {
    name: 'observing-jobs.md',
    results: [{ id: 'daily-job@1' }, { observation: String, created_signal: false }],
  },
  { name: 'configuration-as-files.md', results: [{ document: /^kind: Destination/m, objects: 6 }] },
  {
    name: 'keys-and-audit.md',
    results: [{ id: 'database@1' }, { access: ['read', 'acknowledge'] }, { card: 4111 }],
  },
  {
    name: 'from-generation-2-to-3.md',
    results: [
      { name: 'Shop', kind: 'website_monitor' },
      { id: 'nightly-backup' },
      { id: 'run' },
      { id: 'backup-fails' },
      { observation: String, created_signal: false },
    ],
  },
  { name: 'people.md' },
  {
    name: 'session-api.md',
    left: [['OIDC_ISSUER', 'settings, no commands']],
    results: [{ user: { username: 'owner' } }, { user: { username: 'owner', admin: true } }],
  },
  {
    name: 'probers.md',
    left: [
      ['NATS_LISTEN', 'a start, which needs a certificate'],
      ['SERVICES=prober', 'the other machine'],
    ],
  },
  {
    name: 'looking-after-it.md',
    sections: ['Back up, restore, move', 'Silence for an hour', 'Another key, another password'],
    results: [{ user: { username: 'owner' } }, { active: true }],
  },
  {
    name: 'mcp.md',
    left: [['claude mcp add', 'a host, which is not installed']],
    results: [{ serverInfo: { name: 'watchkeeper' } }, { structuredContent: { result: [{ name: 'For agents' }] } }],
  },
  { name: 'operator.md', left: [['OPERATOR_WEBHOOK_URL', 'settings, no commands']] },
  { name: 'commands.md' },
]

/** Pages whose commands cannot run in this test. */
const untried = {
  'running-it.md': 'containers, systemd and a reverse proxy',
  'running-a-cluster.md': 'containers',
  'moving.md': 'a cluster; test/integration/move.test.ts moves to one and back',
  'upgrading.md': 'a backup of an older version; test/upgrade opens one',
}

t.test('commands of every page are run, or the reason against it is listed', async t => {
  const names = readdirSync(join(root, 'docs')).filter(name => name.endsWith('.md'))
  const withCommands = names.filter(name => blocksOf({ name }).length > 0)
  t.strictSame(withCommands.sort(), [...pages.map(({ name }) => name), ...Object.keys(untried)].sort())
})

/** Returns the blocks of commands, also those within lists. */
function blocksOf({ name, sections }: Page): string[] {
  const page = readFileSync(join(root, 'docs', name), 'utf8')
  const parts = page.split(/^## /m).filter(part => sections?.some(title => part.startsWith(`${title}\n`)) ?? true)
  if (sections !== undefined) t.equal(parts.length, sections.length, `${name} has its sections`)
  return parts.flatMap(part => [...part.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, block = '']) => block))
}

/** Returns the lines of schedulers (crontab, CI, systemd) that report a job. In this test the job succeeds. */
function scheduledOf({ name }: Page): string[] {
  const page = readFileSync(join(root, 'docs', name), 'utf8')
  const lines = [...page.matchAll(/\/opt\/watchkeeper(\/watchkeeper observe .* -- ).+$/gm)]
  return lines.map(([, command = '']) => `.${command}true`)
}

const literal = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Returns the blocks of output as patterns. `…` matches text that differs from run to run. */
function outputsOf({ name }: Page): { text: string; pattern: RegExp }[] {
  const page = readFileSync(join(root, 'docs', name), 'utf8')
  return [...page.matchAll(/^( *)```text\n([\s\S]*?)^ *```$/gm)].map(([, indent = '', block = '']) => {
    const text = block.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    return { text, pattern: new RegExp(text.split('…').map(literal).join('.*')) }
  })
}

interface Place {
  folder: string
  baseUrl: string
  opsUrl: string
  farEnd: string
  monitorId: string
}

/** Ends each response with a line break, because the test cannot see otherwise where a response ends. */
const prelude = `set -euo pipefail
curl() { command curl "$@" && echo; }
`

function scriptOf(page: Page, place: Place): string {
  const blocks = blocksOf(page)
  for (const [part] of page.left ?? [])
    t.ok(
      blocks.some(block => block.includes(part)),
      `${page.name} has a block with ${part}`,
    )
  const run = blocks.filter(block => !page.left?.some(([part]) => block.includes(part)))
  return `${prelude}key=$(cat .data/first-key)\n${[...run, ...scheduledOf(page)].join('\n')}`
    .replaceAll(/http:\/\/(localhost|127\.0\.0\.1):2517/g, place.baseUrl)
    .replaceAll('http://127.0.0.1:9090', place.opsUrl)
    .replaceAll(
      /https:\/\/(example\.org|hooks\.example\.com|hooks\.slack\.com|events\.pager\.example|events\.pagerduty\.com)\//g,
      place.farEnd,
    )
    .replaceAll('"password":"…"', `"password":"${password}"`)
    .replaceAll('MONITOR_ID', place.monitorId)
    .replaceAll(/^\.\/watchkeeper member password .*$/gm, line => `${line} <<< '${password}'`)
}

async function runPage(t: Test, page: Page, place: Place): Promise<void> {
  // Commands print addresses that begin with PUBLIC_URL.
  const env = { PATH: process.env['PATH'] ?? '', HOME: place.folder, PUBLIC_URL: place.baseUrl }
  const child = spawn('bash', ['-c', scriptOf(page, place)], { cwd: place.folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', chunk => {
    stdout += chunk
  })
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  const [code] = await once(child, 'close')
  t.equal(code, 0, `${page.name}: ${stderr}${stdout}`)
  // `observe` ends with the exit code of its command, also if its report was refused.
  t.notMatch(stderr, 'The report was not sent', page.name)
  for (const { text, pattern } of outputsOf(page)) t.match(stdout, pattern, `${page.name} prints ${text}`)
  const answers = stdout.split('\n').filter(line => line.startsWith('{'))
  const read = answers.map(line => JSON.parse(line) as { result?: unknown; error?: unknown; user?: unknown })
  for (const [i, answer] of read.entries()) t.notOk(answer.error, `${page.name}: ${answers[i]}`)
  const results = read.map(answer => ('result' in answer ? answer.result : answer))
  if (page.results) {
    t.equal(results.length, page.results.length, `${page.name}: answers`)
    t.match(results, page.results, page.name)
  }
}

/** Starts an installation in its own folder, in which a person can type the same commands as in the program's folder. */
async function startPlace(t: Test) {
  const folder = mkdtempSync(join(tmpdir(), 'watchkeeper-docs-'))
  symlinkSync(join(root, 'watchkeeper'), join(folder, 'watchkeeper'))
  mkdirSync(join(folder, '.data'))
  const receiver = createServer((request, response) => {
    request.resume()
    request.on('end', () => response.end('ok'))
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const program = await startProgram({ DATA_DIR: join(folder, '.data') })
  t.teardown(async () => {
    await program.stop()
    receiver.closeAllConnections()
    receiver.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  })
  const [, baseUrl = ''] = /listens on (\S+?);/.exec(program.output()) ?? []
  const [, opsUrl = ''] = /metrics: (http:\S+)\/readyz/.exec(program.output()) ?? []
  const client = createClient(baseUrl, readFileSync(join(folder, '.data', 'first-key'), 'utf8').trim())
  const farEnd = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  return { folder, baseUrl, opsUrl, farEnd, client }
}

type Client = ReturnType<typeof createClient>

/** Creates a workspace with objects of the same names as on the pages. */
async function makeTwin(client: Client, command: (...words: string[]) => string, name: string): Promise<string> {
  const workspaceId = command('workspace', 'create', name)
  const place = `?workspace_id=${workspaceId}`
  await client.post('/v2/subjects', { workspace_id: workspaceId, name: 'Nightly backup' })
  await client.post('/v2/subjects', { workspace_id: workspaceId, name: 'Queue' })
  const subject = '/v2/subjects/nightly-backup'
  await client.post(`${subject}/signals${place}`, { name: 'Run', kind: 'heartbeat' })
  // The interval is so long that no input falls silent while the commands run.
  const inputs = [{ signal: 'run', mode: 'status', no_data_after: '240h' }]
  const document = { inputs, decision: { need: 'any' }, wait: { confirm_after: '240h', close_after: '240h' } }
  await client.post(`${subject}/rules${place}`, { name: 'Backup fails', document })
  await client.post(`${subject}/signals/run/observations${place}`, { status: 'problem' })
  for (const destination of ['on call', 'Backups', 'Ops channel', 'Pager'])
    await client.post(`/v2/notifications/destinations${place}`, {
      name: destination,
      destination_type: 'webhook',
      url: 'http://127.0.0.1:9/',
    })
  return workspaceId
}

/** Returns everything that the pages could change by mistake in the wrong workspace. */
async function contentsOf(client: Client, workspaceId: string) {
  const place = `?workspace_id=${workspaceId}`
  const read = (path: string) => client.get(`/v2${path}${place}`)
  return {
    subjects: await read('/subjects'),
    rules: await read('/subjects/nightly-backup/rules'),
    incidents: await read('/subjects/nightly-backup/incidents'),
    maintenance: await read('/subjects/nightly-backup/maintenance'),
    delivery: await read('/subjects/queue/delivery'),
    destinations: await read('/notifications/destinations'),
    deliveries: await read('/notifications/deliveries'),
    monitors: await read('/monitoring/websites'),
  }
}

/** Compares the rule of docs/custom-subjects.md, which has an input for each shard, with a rule that has a single input. */
async function hideShard(t: Test, client: Client): Promise<void> {
  const page = readFileSync(join(root, 'docs', 'custom-subjects.md'), 'utf8')
  const [, written = ''] = /```json\n(\{\n {2}"inputs"[\s\S]*?)```/.exec(page) ?? []
  const [workspace] = await client.get<{ id: string }[]>('/v2/workspaces')
  const { id } = await client.post<{ id: string }>('/v2/subjects', { workspace_id: workspace?.id, name: 'Shards' })
  const path = (part: string) => `/v2/subjects/${id}/${part}?workspace_id=${workspace?.id}`
  await client.post(path('signals'), { name: 'Run', kind: 'heartbeat' })
  await client.post(path('rules'), { name: 'Any shard', document: JSON.parse(written) })
  const inputs = [{ signal: 'run', mode: 'status' }]
  await client.post(path('rules'), { name: 'All in one', document: { inputs, decision: { need: 'any' } } })
  await client.post(path('signals/run/observations'), { status: 'problem', labels: { shard: 'a' } })
  await client.post(path('signals/run/observations'), { status: 'ok', labels: { shard: 'b' } })
  const incidents = await client.get<{ rule_id: string; status: string }[]>(path('incidents'))
  t.strictSame(Object.fromEntries(incidents.map(({ rule_id, status }) => [rule_id, status])), {
    'any-shard': 'pending',
    'all-in-one': 'recovering',
  })
}

const tools = ['bash', 'curl', 'jq'].filter(tool => spawnSync(tool, ['--version']).error)
const skip = tools.length > 0 && `no ${tools.join(' and no ')}`

/**
 * Names on the pages, and one name that sorts before them and one that sorts after them. A command that takes the first or last name is
 * wrong.
 */
const names = ['Aviary', 'Backups', 'Operations', 'Web shop', 'Zoo']

/** Readers of these pages have a new installation. The commands of the other pages must work among other workspaces. */
const firstPages = pages.filter(({ name }) => ['getting-started.md', 'README.md', 'custom-subjects.md'].includes(name))

for (const [twins, read] of [
  [[], firstPages],
  [names, pages],
] as const) {
  const where =
    twins.length === 0 ? 'a new installation' : 'an installation of workspaces that have the same things by the same names'
  t.test(`commands of the documentation run as written in ${where}`, { skip, timeout: 600_000 }, async t => {
    const { client, ...place } = await startPlace(t)
    const command = (...words: string[]) => {
      const ended = spawnSync('sh', ['-c', './watchkeeper "$@"', 'sh', ...words], { cwd: place.folder, encoding: 'utf8' })
      t.equal(ended.status, 0, ended.stderr)
      return ended.stdout.trim()
    }
    const ids: string[] = []
    for (const name of twins) ids.push(await makeTwin(client, command, name))
    const before = await Promise.all(ids.map(id => contentsOf(client, id)))
    const home = command('workspace', 'create', 'Monitored')
    const { id: monitorId } = await client.post<{ id: string }>('/v2/monitoring/websites', {
      workspace_id: home,
      name: 'silent',
      interval: 60,
      locations: [],
      request: { url: place.farEnd, method: 'GET' },
      response: { statuses: [200] },
    })
    for (const page of read) await t.test(page.name, t => runPage(t, page, { ...place, monitorId }))
    if (twins.length === 0) await t.test('reports on a signal with different labels share one reading', t => hideShard(t, client))
    const key = readFileSync(join(place.folder, '.data', 'first-key'), 'utf8').trim()
    const now = createClient(place.baseUrl, key)
    for (const [i, id] of ids.entries()) t.strictSame(await contentsOf(now, id), before[i], `nothing touched "${twins[i]}"`)
  })
}
