// Monitors of names and of hosts that are pinged in a real installation, against a name server of the test: what is found, judged and
// shown, and that generations 1 and 2 know nothing of them.
import { readFileSync } from 'node:fs'
import t from 'tap'
import { eventually } from '../infra/run-program.ts'
import { answerTo, startNameServer } from '../prober/name-server.ts'
import { startPreloaded } from '../support/worlds/preloaded-program.ts'

const { workspace, api, command } = await startPreloaded(t, [])
const [{ id: location }] = (await api('GET', '/v3/locations')).result
const resources = `/v3/workspaces/${workspace}/resources`
const name = 'shop.example'
const nameServer = await startNameServer(asked => [{ bytes: answerTo(asked, [{ type: 'A', name, data: '192.0.2.1' }]) }])
t.teardown(() => nameServer.stop())
const server = nameServer.address

const watched = { locations: [location], confirm_after: 0 }
const make = (key: string, template: string, meta: object) =>
  api('POST', resources, { template, key, name: key, meta: { ...meta, ...watched } })
const monitors: [key: string, meta: object, status: 'ok' | 'problem', value: RegExp, cause: RegExp | null][] = [
  ['fine', { name, server, expected: ['192.0.2.1'] }, 'ok', /^\d+$/, null],
  ['moved', { name, server, expected: ['192.0.2.2'] }, 'problem', /^null$/, /^A is 192\.0\.2\.1, expected 192\.0\.2\.2/],
  ['elsewhere', { name, server: '169.254.169.254' }, 'problem', /^null$/, /^Not checked: EGRESS rules close this address/],
]
for (const [key, meta, status, value, cause] of monitors) {
  t.test(`name ${key}: ${status}`, async t => {
    t.match(await make(key, 'dns-check', meta), {
      status: 201,
      result: { template: 'dns-check@1', meta: { interval_seconds: 300 } },
    })
    const shown = async () => (await api('GET', `${resources}/${key}`)).result
    await eventually(`${key} is checked`, async () => (await shown()).rules[0].status !== null)
    t.match(await shown(), { rules: [{ key: 'availability', status }] })
    const [newest] = (await api('GET', `${resources}/${key}/observations`)).result
    t.equal(newest.state, status)
    t.match(String(newest.value), value)
    const causes = (await api('GET', `/v3/workspaces/${workspace}/incidents`)).result.map(
      ({ cause: said }: { cause: string }) => said,
    )
    if (cause !== null)
      t.ok(
        causes.some((said: string) => cause.test(said)),
        `${causes}`,
      )
  })
}

const notPermitted = 'this prober may not ping (net.ipv4.ping_group_range)'
const mayPing = readFileSync('/proc/sys/net/ipv4/ping_group_range', 'utf8').trim() !== '1\t0'
t.test('a host is pinged, or the prober says that it may not', async t => {
  t.match(await make('host', 'ping-check', { host: '127.0.0.1' }), {
    status: 201,
    result: { meta: { interval_seconds: 60, count: 3 } },
  })
  const body = { template: 'ping-check', meta: { host: '127.0.0.1', locations: [location] } }
  const { result } = await api('POST', `/v3/workspaces/${workspace}/checks/try`, body)
  t.match(result, [mayPing ? { outcome: 'passed', value: Number } : { outcome: 'no_answer', error: notPermitted, value: null }])
})

const watch = {
  ...{ key: 'watch', version: 1, name: 'Watch' },
  fields: [
    { key: 'host', type: 'string', required: true },
    { key: 'places', type: 'location_list', required: true },
  ],
  signals: [
    {
      ...{ key: 'echo', kind: 'check', every_seconds: 10, locations: { meta: 'places' } },
      check: { type: 'icmp', host: { meta: 'host' } },
    },
  ],
  rules: [
    {
      ...{ key: 'down', action: 'Look.', wait: { confirm_after: 0, recover_after: 0 }, unknown: 'no_data' },
      decision: { signal: 'echo', field: 'status', operator: 'eq', operand: 'problem' },
    },
  ],
}

t.test('check that no prober of its Location can make is left out, and said everywhere (v3 3.22 and 6.12)', async t => {
  if (mayPing) return t.pass('skipped: this machine permits pings')
  t.equal((await api('POST', `/v3/workspaces/${workspace}/templates`, watch)).status, 201)
  const meta = ['--meta', 'host=127.0.0.1', '--meta', `places=${location}`]
  const made = await command(['resource', 'create', 'Machine', '--template', 'watch', ...meta])
  t.match(made, { code: 0, stdout: 'machine\n' })
  t.match(made.stderr, `Warning: local cannot make this check: ${notPermitted}.`)
  const detail = await api('GET', `${resources}/machine`)
  t.match(detail.result, {
    checks: [{ signal: 'echo', locations: [{ id: location, state: null, cannot: notPermitted }] }],
    rules: [{ status: 'no_data', explanation: `echo cannot be checked (${notPermitted})`, open_incident: null }],
  })
  const kinds: { type: string; unable: object[] }[] = (await api('GET', '/v3/checks')).result
  t.match(kinds.find(({ type }) => type === 'icmp')?.unable, [{ location: { id: location }, cannot: notPermitted }])
  t.strictSame(
    kinds.filter(({ type }) => type !== 'icmp').flatMap(({ unable }) => unable),
    [],
  )
})

t.test('refused answer names its field and stores nothing', async t => {
  for (const [template, meta, field] of [
    ['dns-check', { name, server: 'ns1.example' }, 'server'],
    ['dns-check', { name: 'a b' }, 'name'],
    ['ping-check', { host: 'https://shop.example/' }, 'host'],
  ] as const) {
    t.match(await make('no', template, meta), { status: 422, error: { details: { field } } })
  }
  t.equal((await api('GET', `${resources}/no`)).status, 404)
})

t.test('command line makes one, and shows what it watches', async t => {
  const answers = ['--meta', `name=${name}`, '--meta', 'record=MX', '--meta', `locations=${location}`]
  t.match(await command(['resource', 'create', 'Mail', '--template', 'dns-check', ...answers]), { code: 0, stdout: 'mail\n' })
  t.match((await command(['check', 'kinds'])).stdout, /^dns +name +string .*\n(.+\n)*icmp +host +string /m)
})

t.test('generations 1 and 2 show none of them', async t => {
  for (const path of ['/v1/rules', '/v2/monitoring/websites', '/v2/incidents', '/v2/subjects']) {
    t.strictSame((await api('GET', `${path}?workspace_id=${workspace}`)).result, [], path)
  }
})
