// Bounds of what an agent reads: the definitions of all tools, and the largest reply of each tool. Also cancelled calls, and input that is
// no JSON. The server runs in this process in front of an API that returns what the test says.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { ApiClient, ApiReply } from '#shared/api-v3/client.ts'
import { ApiUnreachable } from '#shared/api-v3/errors.ts'
import type { ApiRequest } from '#shared/api-v3/exchange.ts'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { boundedTo } from '../../services/mcp/bounded.ts'
import { runTool } from '../../services/mcp/run-tool.ts'
import { serveMcp } from '../../services/mcp/serve.ts'
import { tools } from '../../services/mcp/tools.ts'

const most = clientLimits.toolReplyBytes
const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const instant = (i: number): string => new Date(Date.UTC(2026, 0, 5) + i * 1000).toISOString()
const line = 'x'.repeat(200)

const evidence = (i: number) => ({
  inputs: many(16, n => ({ signal: `signal-${n}`, status: 'problem', value: i, at: instant(i), reason: line })),
  omitted: 0,
  truncated: false,
})
const incident = {
  ...{ id: 'i1', resource: { id: 'r1', key: 'r1', name: 'R' }, rule: 'failing', lifecycle: 'open', confirmation: 'confirmed' },
  ...{ condition: 'problem', explanation: line, closed_reason: null, opened_at: instant(0), confirmed_at: instant(1) },
  ...{ closed_at: null, effective_at: instant(0), acknowledgement: null, action: line, next: null, verdict: line },
  history: many(500, i => ({ at: instant(i), event: 'verdict', from: 'pending', to: 'problem', evidence: evidence(i) })),
  history_omitted: 2_000,
  path: many(500, i => ({ at: instant(i), state: 'problem' })),
  path_omitted: 2_000,
}
const labels = Object.fromEntries(many(16, i => [`label-${i}`, 'y'.repeat(128)]))
const resource = {
  ...{ id: 'r1', key: 'r1', name: 'R', template: 'host@1', meta: { list: many(64, () => line) }, labels, maintenance: null },
  signals: many(200, i => ({
    id: `s${i}`,
    key: `s${i}`,
    kind: 'event',
    states: many(64, n => ({ labels: { n: `${n}` }, value: n })),
  })),
  rules: many(64, i => ({ key: `rule-${i}`, signals: many(16, n => `s${n}`), status: 'problem', explanation: line.repeat(5) })),
}
const option = (i: number) => ({ key: `o${i}`, label: line, help: line, type: 'enum', options: many(10, n => `${n}`) })
const comparison = (i: number) => ({ signal: `s${i}`, field: 'status', operator: 'eq', operand: 'problem' })
const template = {
  ...{ id: 'host@1', key: 'host', version: 1, name: 'Host', summary: line },
  fields: many(64, i => ({ key: `f${i}`, type: 'enum', help: line, options: many(64, () => 'z'.repeat(128)) })),
  signals: many(64, i => ({ key: `s${i}`, kind: 'event', help: line })),
  rules: many(64, i => ({ key: `r${i}`, action: line, help: line, decision: { any: many(16, comparison) } })),
}
const delivery = (i: number) => ({ at: instant(i), event: 'problem', status: 'failed', reason: line.repeat(2) })
const logged = (i: number) => ({
  id: `o${i}`,
  signal: 's',
  state: 'problem',
  at: instant(i),
  labels,
  body: { text: 'b'.repeat(16_000) },
})
const destination = (i: number) => ({ id: `d${i}`, name: line, type: 'slack', enabled: true })
const item = (i: number) => ({
  id: `r${i}`,
  key: `r${i}`,
  name: line,
  template: 'host@1',
  labels,
  open_incident: { explanation: line },
})
const batch = {
  accepted: 490,
  rejected: 10,
  results: many(500, index =>
    index < 490 ? { index, status: 'accepted', resource: 'r1' } : { index, status: 'rejected', error: line },
  ),
}
const preview = {
  template,
  warnings: many(64, () => line),
  rules: many(64, i => ({
    key: `r${i}`,
    evidence: evidence(i),
    incidents: many(20, n => ({ opened_at: instant(n), history: many(20, () => line) })),
  })),
}

/** The largest result of each tool's own request, by tool. */
const largest: Readonly<Record<string, unknown>> = {
  list_workspaces: many(100, i => ({ id: `w${i}`, name: line, role: 'owner' })),
  get_overview: {
    resources: {},
    incidents: {},
    rules: many(200, i => ({ rule: `r${i}`, open: i })),
    rules_omitted: 7,
    oldest: many(10, () => incident),
  },
  create_workspace: { id: 'w1', name: 'W', role: 'owner' },
  list_resources: many(50, item),
  ...Object.fromEntries(['get', 'create', 'archive', 'label', 'rebind'].map(verb => [`${verb}_resource`, resource])),
  try_check: many(8, i => ({ location: { id: `l${i}`, name: line }, outcome: 'failed', error: line, phases: { total_ms: i } })),
  export_configuration: { document: line.repeat(2_000) },
  apply_configuration: {
    state: 'applied',
    steps: many(500, i => ({ result: 'changed', kind: 'Resource', name: `r${i}`, what: line })),
  },
  list_check_kinds: many(8, i => ({ type: `t${i}`, help: line, options: many(24, option) })),
  list_templates: many(50, i => ({ ...template, id: `t${i}@1`, key: `t${i}` })),
  publish_template: template,
  preview_template: preview,
  list_observations: many(50, logged),
  send_observation: { resource: 'r1', signal: 's1', observation: 'o1', created_signal: false },
  send_test_observation: { resource: 'r1', signal: 's1', observation: 'o1', created_signal: false },
  send_observations: batch,
  list_incidents: many(50, i => ({ ...incident, id: `i${i}`, history: [], path: [], explanation: line.repeat(3) })),
  get_incident: incident,
  explain_incident: incident,
  get_incident_responses: many(16, () => ({ signal: 's1', location: 'l1', headers: [line], body: line.repeat(4) })),
  list_incident_deliveries: many(50, delivery),
  acknowledge_incident: incident,
  start_maintenance: resource,
  end_maintenance: resource,
  list_destinations: many(100, destination),
  list_channels: many(20, i => ({ type: `c${i}`, help: line, fields: many(8, option) })),
  create_destination: destination(0),
  update_destination: destination(0),
  delete_destination: { id: 'd1', deleted: true },
  test_destination: { status: 'failed', reason: line },
  list_destination_deliveries: many(50, delivery),
}

const args: Readonly<Record<string, unknown>> = {
  ...{
    resource: 'r1',
    incident: 'i1',
    destination: 'd1',
    template: 'host',
    name: 'n',
    key: 'k',
    type: 'slack',
    url: 'https://x.example',
  },
  ...{
    signal: 's',
    state: 'ok',
    minutes: 5,
    labels: {},
    manifest: {},
    meta: {},
    document: 'kind: Destination',
    observations: [{ resource: 'r1', signal: 's', state: 'ok' }],
  },
}

/** API that returns `own` for the request of the tool, in pages if it is a list, and fitting objects for the requests of an explanation. */
function apiOf(own: unknown): ApiClient {
  const reply = ({ path, query = {} }: ApiRequest): ApiReply => {
    if (own === incident && path.endsWith('/deliveries')) return { result: many(200, delivery), nextCursor: 'older' }
    if (own === incident && path.includes('/resources/')) return { result: resource, nextCursor: null }
    if (own === incident && path.includes('/templates/')) return { result: template, nextCursor: null }
    if (!Array.isArray(own) || query['limit'] === undefined) return { result: own, nextCursor: null }
    const from = query['cursor'] === undefined ? 0 : Number(query['cursor'])
    const to = from + Number(query['limit'])
    return { result: own.slice(from, to), nextCursor: to < own.length ? String(to) : null }
  }
  return { call: async request => reply(request) } as ApiClient
}

const key = { access: ['full'], workspace: { id: 'w1' } }

async function call(name: string, own: unknown, more: object = {}) {
  const tool = tools.find(one => one.name === name)
  if (tool === undefined) throw new Error(`there is no tool ${name}`)
  const wanted = Object.fromEntries((tool.arguments.required ?? []).map(argument => [argument, args[argument]]))
  const signal = new AbortController().signal
  return runTool(tool, { ...wanted, ...more }, { api: apiOf(own), key, signal, onFailure: (_, error) => t.fail(String(error)) })
}

t.test('reply of every tool has at most 16 KiB of JSON and sentences, whatever the API returns', async t => {
  t.strictSame(Object.keys(largest).toSorted(), tools.map(({ name }) => name).toSorted())
  for (const [name, own] of Object.entries(largest)) {
    const { content, structuredContent, isError } = await call(name, own)
    t.notOk(isError, `${name}: ${content[0]?.text}`)
    t.ok(content.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) <= most, name)
    t.equal(content.at(-1)?.text, JSON.stringify(structuredContent), name)
  }
})

t.test('warnings of a request are sentences before the result (v3 6.12)', async t => {
  const tool = tools.find(one => one.name === 'create_resource')
  if (tool === undefined) return t.fail('there is no such tool')
  const warnings = [{ field: 'locations', text: 'No prober runs at fra' }]
  const api = { call: async () => ({ result: resource, nextCursor: null, warnings }) } as unknown as ApiClient
  const signal = new AbortController().signal
  const sent = { template: 'heartbeat', name: 'Backup' }
  const { content } = await runTool(tool, sent, { api, key, signal, onFailure: (_, error) => t.fail(String(error)) })
  t.equal(content[0]?.text, 'Warning (locations): No prober runs at fra.')
  t.equal(content.length, 2)
})

t.test('large Incident keeps the newest entries of its history, and counts the others', async t => {
  const { structuredContent = {} } = await call('get_incident', incident)
  const { history, history_omitted, path, path_omitted, id } = structuredContent['result'] as typeof incident
  t.equal(id, 'i1')
  t.ok(history.length > 0 && path.length > 0)
  t.strictSame(path.at(-1), incident.path.at(-1))
  t.equal(history.at(-1)?.at, incident.history.at(-1)?.at)
  t.strictSame([history.length + history_omitted, path.length + path_omitted], [2_500, 2_500])
})

t.test(
  'page that is too large is read again with as many items as fit, and its cursor continues behind the last of them',
  async t => {
    for (const [name, all] of [
      ['list_resources', many(50, item)],
      ['list_templates', many(50, i => ({ id: `t${i}@1`, key: `t${i}`, version: 1, summary: line.repeat(4) }))],
      ['list_incident_deliveries', many(50, delivery)],
    ] as const) {
      const read: unknown[] = []
      let cursor: unknown
      do {
        const { structuredContent = {} } = await call(name, all, cursor === undefined ? {} : { cursor })
        t.notOk('result_omitted' in structuredContent, name)
        read.push(...(structuredContent['result'] as unknown[]))
        cursor = structuredContent['next_cursor']
      } while (cursor !== undefined)
      t.strictSame(read, all, name)
    }
  },
)

t.test('list without a cursor says how many items are left out, and a batch keeps the refused ones', async t => {
  const { structuredContent: list = {} } = await call('list_observations', many(50, logged))
  t.equal((list['result'] as unknown[]).length + Number(list['result_omitted']), 50)
  const { structuredContent: sent = {} } = await call('send_observations', batch)
  const { results, results_omitted } = sent['result'] as typeof batch & { results_omitted: number }
  t.equal(results.length + results_omitted, 500)
  t.equal(results.filter(({ status }) => status === 'rejected').length, 10)
})

t.test('bounded value fits for any JSON, and stays whole if it fits', t => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 1, max: 60 }), (value, times) => {
      const whole = { result: many(times, i => ({ i, value, text: line.repeat(i) })) }
      const cut = boundedTo(whole, 8_000)
      return sizeOf(whole) <= 8_000 ? cut === whole : sizeOf(cut) <= 8_000 || sizeOf(value) > 2_000
    }),
    { numRuns: 200 },
  )
  t.end()
})

/** Starts the server in this process. */
function serve(t: Test, api: ApiClient) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const failures: unknown[] = []
  const onFailure = (_tool: string, error: unknown) => void failures.push(error)
  const connection = serveMcp({ api, key, version: '1', input, output, onFailure, onBadMessage: () => undefined })
  t.teardown(() => connection.close())
  const lines = createInterface({ input: output })[Symbol.asyncIterator]()
  const write = (message: unknown) => void input.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
  const read = async () => JSON.parse((await lines.next()).value as string)
  const ask = async (id: number, method: string, params: object = {}) => {
    write({ jsonrpc: '2.0', id, method, params })
    return read()
  }
  const open = () =>
    ask(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } })
  return { write, read, ask, open, failures, connection }
}

t.test('definitions of tools have fewer than 200 tokens each in the mean, at four bytes a token', async t => {
  const server = serve(t, apiOf(null))
  await server.open()
  const { result } = await server.ask(2, 'tools/list')
  t.equal(result.tools.length, tools.length)
  const tokens = sizeOf(result.tools) / 4 / tools.length
  t.ok(tokens < 200, `${tokens} tokens`)
})

t.test('line that is no JSON gets the error -32700 without an id, and the next request gets its response', async t => {
  const server = serve(t, apiOf(null))
  await server.open()
  for (const broken of ['no JSON', '{"half":', '7 8']) {
    server.write(broken)
    t.match(await server.read(), { jsonrpc: '2.0', id: null, error: { code: -32_700 } }, broken)
  }
  server.write('')
  server.write('   ')
  t.match(await server.ask(2, 'ping'), { id: 2, result: {} })
})

t.test('call that the client cancels is not logged as an unreachable API', async t => {
  const asked = Promise.withResolvers<void>()
  const aborted = Promise.withResolvers<void>()
  const call: ApiClient['call'] = async (_request, signal) => {
    asked.resolve()
    if (signal !== undefined && !signal.aborted) await once(signal, 'abort')
    aborted.resolve()
    throw new ApiUnreachable('http://localhost', 'This operation was aborted')
  }
  const server = serve(t, { call } as ApiClient)
  await server.open()
  server.write({ jsonrpc: '2.0', method: 'notifications/initialized' })
  server.write({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'get_overview', arguments: {} } })
  await asked.promise
  server.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2, reason: 'changed my mind' } })
  await aborted.promise
  await server.connection.idle()
  t.strictSame(server.failures, [])
})
