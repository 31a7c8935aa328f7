// An installation of real processes as its operator sees it: a lost location appears in the webhook, /readyz, the list and the log. Alert
// rules and dashboard panels are compared with the served metrics.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { parse } from 'yaml'
import { declaredStreams } from '#shared/bus/declarations.ts'
import { programSettings } from '../../../infra/runtime/settings.ts'
import { doubledKeys } from '../../support/clients/strict-json.ts'
import { eventually, type Program, runProgram, temporaryFolder } from '../run-program.ts'

type Test = import('tap').Test

const root = join(import.meta.dirname, '..', '..', '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const secret = `whsec_${Buffer.from('o'.repeat(32)).toString('base64')}`

interface Hit {
  path: string
  headers: Record<string, string>
  body: string
}

/** Starts a server that is both receiver and website: it accepts every message, and fails every check. */
async function startReceiver(t: { teardown(run: () => unknown): void }) {
  const hits: Hit[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    hits.push({ path: request.url ?? '', headers: request.headers as Record<string, string>, body })
    response.writeHead(request.url === '/website' ? 503 : 204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  t.teardown(() => server.closeAllConnections())
  const at = (path: string) => hits.filter(hit => hit.path === path)
  const operator = () => at('/operator/geheim').map(({ body }) => JSON.parse(body) as { type: string; text: string })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, at, operator }
}

/** Starts the main program with a webhook for its operator. */
async function startMain(t: Parameters<typeof runProgram>[0], dataFolder: string, receiver: string) {
  const program = runProgram(t, ['start'], {
    DATA_DIR: dataFolder,
    OPERATOR_WEBHOOK_URL: `${receiver}/operator/geheim`,
    OPERATOR_WEBHOOK_SECRET: secret,
    WEBSITE_CONFIRM_AFTER: '1s',
  })
  const [, ops = ''] = await program.says(/metrics: (http:\S+)\/readyz/)
  const [, url = ''] = await program.says(/listens on (http:\S+?);/)
  const key = readFileSync(join(dataFolder, 'first-key'), 'utf8').trim()
  const api = async <T>(route: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const sent = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
    return ((await (await fetch(`${url}/api${route}`, sent)).json()) as { result: T }).result
  }
  return { program, ops, api }
}

function startProber(t: Parameters<typeof runProgram>[0], dataFolder: string): Program {
  const bus = JSON.parse(readFileSync(join(dataFolder, 'bus.json'), 'utf8'))
  const environment = { SERVICES: 'prober', LOCATION: 'hamburg', NATS_URL: bus.url, NATS_CREDENTIALS: bus.credentialsFile }
  return runProgram(t, ['start'], environment)
}

t.test('operator learns of a lost location from webhook, list and log', { timeout: 600_000 }, async t => {
  const whole = t
  const dataFolder = join(temporaryFolder(t), 'data')
  const receiver = await startReceiver(t)
  let main = await startMain(t, dataFolder, receiver.url)
  const command = (...args: string[]) => runProgram(t, args, { DATA_DIR: dataFolder }).ended
  const programs: Program[] = [main.program]
  const lines = () =>
    programs.flatMap(program =>
      program
        .stderr()
        .split('\n')
        .filter(line => line !== ''),
    )
  const said = (msg: string) =>
    lines()
      .map(line => JSON.parse(line))
      .filter(line => line.msg === msg)
  const prober = startProber(t, dataFolder)
  programs.push(prober)
  await prober.says(/runs/)
  const [workspace] = await main.api<{ id: string }[]>('/v2/workspaces')
  const destination = { name: 'Ops channel', destination_type: 'webhook', url: `${receiver.url}/people` }
  const { id: destinationId } = await main.api<{ id: number }>('/v2/notifications/destinations', destination)
  const request = { url: `${receiver.url}/website`, method: 'GET' }
  const monitor = { name: 'Shop', interval: 60, request, response: { statuses: [200] }, locations: ['local', 'hamburg'] }
  await main.api('/v2/monitoring/websites', { workspace_id: workspace?.id, ...monitor })
  await eventually('people are told', () => receiver.at('/people').length > 0)
  const readiness = async () => (await (await fetch(`${main.ops}/readyz`)).json()) as { ready: boolean; warnings: string[] }

  await t.test('location is reported once when its prober is killed, and appears in /readyz and in the list', async t => {
    await eventually('its prober was seen', async () => /hamburg"\} 1/.test(await (await fetch(`${main.ops}/metrics`)).text()))
    await eventually('it is noted', async () => (await command('location', 'list')).stdout.includes(' now '))
    const killedAt = performance.now()
    prober.child.kill('SIGKILL')
    await eventually('the operator is told', () => receiver.operator().length > 0 || performance.now() - killedAt < 15_000)
    await eventually('the operator is told', () => receiver.operator().length > 0)
    const tookMs = performance.now() - killedAt
    t.ok(tookMs > 12_000 && tookMs < 30_000, `after ${tookMs} ms`)
    const text = /^Location hamburg has had no live prober since 2\d{3}-.* UTC: 1 monitor is not checked from there\.$/
    t.match(receiver.operator(), [{ type: 'location.lost', text }])
    const [hit] = receiver.at('/operator/geheim')
    t.ok(new Webhook(secret).verify(hit?.body ?? '', hit?.headers ?? {}), 'signed as Standard Webhooks wants it')
    t.match(await readiness(), { ready: true, warnings: [text] })
    t.equal((await fetch(`${main.ops}/readyz`)).status, 200)
    const plain = await (await fetch(`${main.ops}/readyz`, { headers: { accept: 'text/plain' } })).text()
    t.match(plain, /^ready\nwarning: Location hamburg has had no live prober/)
    t.match((await command('location', 'list')).stdout, /^\w{4} +0 +2\d{3}-\d\d-\d\dT\S+Z +hamburg +hamburg$/m)
    t.match((await command('location', 'list')).stdout, /^\w{4} +1 +now +local +local$/m)
    t.match(JSON.parse((await command('location', 'list', '--json')).stdout), [
      { name: 'hamburg', active_workers_count: 0, last_seen_at: /Z$/ },
      { name: 'local', active_workers_count: 1 },
    ])
    t.match(said('location lost'), [{ level: 'warn', name: 'hamburg', monitors: 1 }])
  })

  await t.test('rules and dashboard name only metrics and labels that are served', async t => {
    const metrics = async () => (await fetch(`${main.ops}/metrics`)).text()
    await eventually('something was checked from here', async () =>
      /checks_total\{location="\w+",result="failed"\} [1-9]/.test(await metrics()),
    )
    const served = await servedBy(`${main.ops}/metrics`)
    t.ok(served.size > 60)
    checkRules(t, served)
    checkDashboard(t, served)
  })

  await t.test('restart repeats no report to the operator, and the return of a prober is reported', async t => {
    t.equal(main.program.child.kill('SIGTERM'), true)
    await main.program.ended
    main = await startMain(whole, dataFolder, receiver.url)
    programs.push(main.program)
    await eventually('it knows', async () => (await readiness()).warnings.length === 1)
    const again = startProber(whole, dataFolder)
    programs.push(again)
    await eventually('the operator is told', () => receiver.operator().length > 1)
    t.match(receiver.operator().slice(1), [{ type: 'location.back', text: 'Location hamburg has a live prober again.' }])
    t.strictSame((await readiness()).warnings, [])
  })

  await t.test('log has its events in strict JSON without a secret', async t => {
    const made = await command('key', 'create', '--description', 'deploy script')
    t.equal(made.code, 0, made.stderr)
    const [created] = said('api key created').slice(-1)
    t.match(created, { level: 'info', service: 'directory', description: 'deploy script', user: 'owner', keyId: /^\w{10}$/ })
    t.match(said('api key created')[0], { description: 'First key', user: 'owner' })
    t.match(said('monitor created'), [{ subject: 'Shop', subjectId: /^\w{10}$/ }])
    const [incident] = await main.api<{ id: string }[]>(`/v2/incidents?workspace_id=${workspace?.id}`)
    t.match(said('incident confirmed'), [{ subject: 'Shop', incident: incident?.id }])
    t.match(said('message delivered')[0], { subject: 'Shop', incident: incident?.id, destination: 'Ops channel', destinationId })
    t.equal(said('keeper ready').length, 2)
    programs.push(startProber(whole, dataFolder))
    await eventually('two probers meet', () => said('prober joined the location').length > 0)
    for (const line of lines()) t.strictSame(doubledKeys(line), [], line)
    t.notMatch(lines().join('\n'), /geheim|whsec_/)
  })
})

interface Served {
  /** Labels of all samples of the family. */
  labels: Set<string>
  values: Map<string, Set<string>>
}

/** Returns the labels of the series of a scrape, by the metric names that queries use. */
async function servedBy(address: string): Promise<Map<string, Served>> {
  const served = new Map<string, Served>()
  const text = await (await fetch(address)).text()
  const of = (name: string) => served.get(name) ?? { labels: new Set<string>(), values: new Map<string, Set<string>>() }
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    const names = type === 'histogram' ? ['_bucket', '_sum', '_count'].map(end => name + end) : [name]
    for (const one of names) served.set(one, of(one))
  }
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const family = of(name)
    served.set(name, family)
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      family.labels.add(label)
      family.values.set(label, (family.values.get(label) ?? new Set()).add(value))
    }
  }
  return served
}

/** Labels that Prometheus itself gives to every series. */
const targetLabels = ['instance', 'job']
/** Label values that the first scrape may lack. The first scrape must contain all other values. */
const knownValues: Record<string, readonly string[]> = {
  'watchkeeper_notifier_conditions.kind': [
    'location_lost',
    'key_expiring',
    'storage_full',
    'destination_failing',
    'dead_letters',
    'proxy_untrusted',
    'clock_set',
  ],
}

type Node = ReturnType<typeof parser.parse>['topNode']

/** Fails if the expression is no valid PromQL or names an absent series. Returns the labels that the result may have. */
function checkExpression(t: Test, expression: string, served: ReadonlyMap<string, Served>, where: string): Set<string> {
  const text = (node: Node) => expression.slice(node.from, node.to)
  const labels = new Set<string>(targetLabels)
  const grouped: string[] = []
  const visit = (node: Node): void => {
    if (node.type.isError) t.fail(`${where}: ${expression} is no PromQL at ${node.from}`)
    if (node.name === 'VectorSelector') checkSelector(text(node))
    if (node.name === 'GroupingLabels') grouped.push(...node.getChildren('LabelName').map(text))
    for (let child = node.firstChild; child; child = child.nextSibling) visit(child)
  }
  const checkSelector = (selector: string) => {
    const [, name = '', matchers = ''] = /^([\w:]+)(?:\{(.*)\})?$/.exec(selector) ?? []
    if (name === 'up') return void labels.add('instance')
    const family = served.get(name)
    t.ok(family, `${where}: ${name} is served`)
    for (const label of family?.labels ?? []) labels.add(label)
    for (const [, label = '', operator, value = ''] of matchers.matchAll(/(\w+)(=~|!=|!~|=)"([^"]*)"/g)) {
      if (targetLabels.includes(label)) continue
      t.ok(family?.labels.has(label), `${where}: ${name} has the label ${label}`)
      const values = knownValues[`${name}.${label}`] ?? [...(family?.values.get(label) ?? [])]
      const isCode = label === 'code' || name === 'watchkeeper_directory_asks_total'
      if (operator === '=' && !isCode) t.ok(values.includes(value), `${where}: ${name} may have ${label}="${value}"`)
    }
  }
  visit(parser.parse(expression).topNode)
  for (const label of grouped) t.ok(labels.has(label), `${where}: what is grouped by ${label} has it`)
  return grouped.length > 0 ? new Set(grouped) : labels
}

interface Rule {
  alert: string
  expr: string
  for?: string
  labels: { severity: string }
  annotations: { summary: string; description: string }
}

function checkRules(t: Test, served: ReadonlyMap<string, Served>): void {
  const rules = rulesOf('infra/prometheus/rules.yaml')
  t.ok(rules.length >= 20)
  checkEach(t, rules, served)
  for (const kind of knownValues['watchkeeper_notifier_conditions.kind'] ?? []) {
    t.ok(
      rules.some(({ expr }) => expr.includes(`kind="${kind}"`)),
      `${kind} has an alert`,
    )
  }
}

const rulesOf = (path: string): Rule[] =>
  (parse(read(path)) as { groups: { name: string; rules: Rule[] }[] }).groups.flatMap(group => group.rules)

function checkEach(t: Test, rules: readonly Rule[], served: ReadonlyMap<string, Served>): void {
  t.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length, 'names are unique')
  for (const { alert, expr, for: wait = '0s', labels, annotations } of rules) {
    const resulting = checkExpression(t, expr, served, alert)
    t.match(alert, /^Watchkeeper[A-Za-z]+$/)
    t.match(wait, /^\d+[smh]$/, `${alert} waits for a duration`)
    t.match(labels.severity, /^(critical|warning|info)$/, `${alert} has a severity`)
    for (const sentence of [annotations.summary, annotations.description]) {
      t.ok(sentence.length > 0, `${alert} says what it is`)
      for (const [, label = ''] of sentence.matchAll(/\$labels\.(\w+)/g))
        t.ok(resulting.has(label), `${alert} has the label ${label}`)
    }
  }
}

/**
 * Metrics and labels of the exporters, as their sources and documents have them: `collector/jsz.go`, `collector/healthz.go` and the tests of `varz` of
 * nats-io/prometheus-nats-exporter; `exporter/metrics.go` and the README of percona/mongodb_exporter.
 */
const ofNats = ['server_id']
const ofJetStream = ['server_id', 'server_name', 'cluster', 'domain', 'meta_leader', 'is_meta_leader']
const ofStreams = [...ofJetStream, 'account', 'account_id', 'stream_name', 'stream_leader', 'is_stream_leader']
const ofMembers = ['member_idx', 'member_state']
const exported: Record<string, string[]> = {
  gnatsd_varz_connections: ofNats,
  gnatsd_varz_slow_consumers: ofNats,
  gnatsd_healthz_status: ofNats,
  jetstream_server_total_message_bytes: ofJetStream,
  jetstream_server_max_storage: ofJetStream,
  jetstream_stream_consumer_count: ofStreams,
  jetstream_stream_total_bytes: ofStreams,
  jetstream_stream_limit_bytes: ofStreams,
  mongodb_up: [],
  mongodb_rs_members_health: ofMembers,
  mongodb_rs_members_state: ofMembers,
  mongodb_rs_members_optimeDate: ofMembers,
  mongodb_ss_connections: ['conn_type'],
  mongodb_dbstats_fsUsedSize: ['database'],
  mongodb_dbstats_fsTotalSize: ['database'],
}
const exportedValues: Record<string, string[]> = {
  conn_type: ['current', 'available'],
  member_state: ['PRIMARY', 'SECONDARY'],
  stream_leader: [''],
}

t.test('rules for NATS and MongoDB are PromQL over metrics that their exporters have, and lead somewhere', async t => {
  const served = new Map(
    Object.entries(exported).map(([name, labels]) => {
      const values = new Map(Object.entries(exportedValues).map(([label, known]) => [label, new Set(known)]))
      return [name, { labels: new Set(labels), values }] as const
    }),
  )
  const rules = rulesOf('infra/prometheus/cluster-rules.yaml')
  checkEach(t, rules, served)
  const named = rules.map(({ expr }) => expr).join(' ')
  for (const name of served.keys()) t.match(named, name, `${name} is used`)
  for (const stream of declaredStreams)
    t.match(stream, /^(OBSERVATIONS|KV_(leases|presence|checks|check-pages|revocations|installation))$/)
  t.match(named, `< ${declaredStreams.length}`, 'a missing stream is noticed')
  const all = [...rules, ...rulesOf('infra/prometheus/rules.yaml')].map(({ alert }) => alert)
  t.equal(new Set(all).size, all.length, 'both files can be used together')
})

interface Panel {
  id: number
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { refId: string; expr: string; legendFormat: string }[]
}

t.test('scrape configuration of the guide fits the rules and the default port', t => {
  const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(read('docs/operator.md')) ?? []
  const { scrape_configs, rule_files } = parse(text) as { scrape_configs: object[]; rule_files: string[] }
  const port = programSettings.OPS_PORT.default
  t.match(scrape_configs, [{ job_name: 'watchkeeper', static_configs: [{ targets: [`127.0.0.1:${port}`] }] }])
  t.match(read('infra/prometheus/rules.yaml'), 'job="watchkeeper"')
  t.strictSame(rule_files, ['rules.yaml'])
  const blocks = [...read('docs/operator.md').matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block = '']) => parse(block))
  const jobs = blocks.flatMap(block => (block.scrape_configs ?? []).map((job: { job_name: string }) => job.job_name))
  t.strictSame(jobs, ['watchkeeper', 'nats', 'mongodb'], 'jobs have the names that the rules expect')
  t.strictSame(blocks[1].rule_files, ['rules.yaml', 'cluster-rules.yaml'])
  t.end()
})

function checkDashboard(t: Test, served: ReadonlyMap<string, Served>): void {
  const { panels, templating } = JSON.parse(read('infra/grafana/watchkeeper.json')) as {
    panels: Panel[]
    templating: { list: { name: string; type: string }[] }
  }
  t.match(templating.list, [{ name: 'datasource', type: 'datasource' }])
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length, 'ids are unique')
  for (const [i, { gridPos: one, title }] of panels.entries()) {
    t.ok(one.x + one.w <= 24, `${title} fits`)
    for (const { gridPos: other, title: second } of panels.slice(i + 1)) {
      const isApart =
        one.x + one.w <= other.x || other.x + other.w <= one.x || one.y + one.h <= other.y || other.y + other.h <= one.y
      t.ok(isApart, `${title} and ${second} do not overlap`)
    }
  }
  for (const { title, targets = [], type } of panels) {
    t.ok(type === 'row' || targets.length > 0, `${title} shows something`)
    for (const { expr, legendFormat } of targets) {
      const resulting = checkExpression(t, expr.replaceAll('$__rate_interval', '5m'), served, title)
      for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        t.ok(resulting.has(label), `${title} has the label ${label}`)
    }
  }
}
