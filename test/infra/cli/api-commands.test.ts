// The commands that use generation 3 of the API, as separate processes against one running installation and against faulty servers.
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { startProgram } from '../../integration/system.ts'
import { type Ended, eventually, runProgram, temporaryFolder } from '../run-program.ts'

const folder = temporaryFolder(t)
const data = join(folder, 'data')
const home = join(folder, 'home')
mkdirSync(home)
const program = await startProgram({ DATA_DIR: data, LOG_LEVEL: 'debug' })
t.teardown(() => program.stop())
const { url } = JSON.parse(readFileSync(join(data, 'api.json'), 'utf8')) as { url: string }
const local = { DATA_DIR: data, HOME: home }
const firstKey = readFileSync(join(data, 'first-key'), 'utf8').trim()
const remote = { HOME: home, DATA_DIR: join(folder, 'nothing'), WATCHKEEPER_URL: url, WATCHKEEPER_API_KEY: firstKey }

const words = (line: string) => [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
const run = (line: string, environment: Record<string, string> = local, input?: string): Promise<Ended> =>
  runProgram(t, words(line), environment, input).ended
async function done(line: string, environment: Record<string, string> = local): Promise<string> {
  const { code, stdout, stderr } = await run(line, environment)
  if (code !== 0) throw new Error(`${line} ended with ${code}: ${stderr}`)
  return stdout
}
const json = async (line: string, environment?: Record<string, string>) => JSON.parse(await done(`${line} --json`, environment))

/** Sends a request as a plain client; throws if the request is refused. */
async function asked(path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${firstKey}` }
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(`${url}/api/v3${path}`, { headers, ...sent })
  const { result, error } = (await response.json()) as { result: unknown; error: unknown }
  if (error !== null) throw new Error(JSON.stringify(error))
  return result
}
const [{ id: workspaceId }] = (await asked('/workspaces')) as [{ id: string }]
await asked(`/workspaces/${workspaceId}/templates`, {
  key: 'job',
  version: 1,
  name: 'Job',
  fields: [
    { key: 'team', type: 'string' },
    { key: 'most', type: 'integer', default: 5 },
  ],
  signals: [{ key: 'run', kind: 'event' }],
  rules: [
    {
      key: 'fails',
      action: 'Look at the log.',
      wait: { confirm_after: 0, recover_after: 600 },
      decision: { signal: 'run', field: 'status', operator: 'eq', operand: 'problem' },
    },
  ],
})

/** Starts a server that sends the same response to every request; returns its URL. */
async function serve(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('commands on the installation machine create one key of the owner, reuse it, and replace a refused key', async t => {
  const file = join(data, 'command-line-key')
  await done('resource list')
  const first = readFileSync(file, 'utf8').trim()
  t.match(first, /^wk_/)
  t.equal(statSync(file).mode & 0o777, 0o600)
  await done('status')
  const ofCommands = async () =>
    (await json('key list')).filter(({ description }: { description: string }) => description === 'command line on this machine')
  t.match(await ofCommands(), [{ username: 'owner', access: ['full'] }])
  t.equal(readFileSync(file, 'utf8').trim(), first, 'it is made once')
  const [{ id }] = await ofCommands()
  await done(`key delete ${id}`)
  t.strictSame(await json('resource list'), [])
  const second = readFileSync(file, 'utf8').trim()
  t.not(second, first)
  t.equal((await ofCommands()).length, 1)
  for (const secret of [first, second, firstKey]) t.notOk(program.output().includes(secret), 'no key is logged')
})

t.test('Resource is created, listed, changed, shown by id, key and name, and archived', async t => {
  const made = await run("resource create 'Nightly backup' --template job --meta team=core --meta most=7 --label env=prod")
  t.match(made, { code: 0, stdout: 'nightly-backup\n', stderr: /^Resource "Nightly backup" of job@1 is made\. Its key:$/m })
  await done('resource create Other --template job@1 --key other')
  const [shown] = await json('resource list --template job --meta team=core --label env=prod')
  t.match(shown, { key: 'nightly-backup', meta: { team: 'core', most: 7 }, labels: { env: 'prod' } })
  t.equal((await json('resource list --state all')).length, 2)
  for (const name of [shown.id, 'nightly-backup', "'nightly BACKUP'"]) {
    t.match(await json(`resource show ${name}`), { id: shown.id, rules: [{ key: 'fails' }] }, name)
  }
  t.match(await done('resource list'), /^key +template +incident +name\n.*nightly-backup +job@1 +Nightly backup$/ms)
  t.match(await done('resource list --wide'), /env=prod/)
  const changed = await json("resource change nightly-backup --name 'Backup' --label env= --label site=b --meta most=")
  t.match(changed, { name: 'Backup', labels: { site: 'b' }, meta: { most: 5 } })
  t.notOk('env' in changed.labels)
  await done("resource create 'Backup' --template job --key backup-2")
  const twice = await run('resource show Backup')
  t.match(twice, { code: 2, stderr: /^"Backup" fits 2 Resources: \w+ \(Backup\), \w+ \(Backup\)\. Name one by its id\.$/m })
  t.match(await json('resource archive backup-2'), { archived_at: /Z$/ })
  t.match(await run('resource archive backup-2'), { code: 4 })
  t.match(await run('resource show nix'), {
    code: 5,
    stderr: 'There is no Resource "nix": ./watchkeeper resource list shows them.\n',
  })
  t.match(await run('resource create x --template nope'), {
    code: 5,
    stderr: /^There is no Template nope \(field template\)\.$/m,
  })
  t.match(await run('resource create x --template job --meta most=many'), { code: 4, stderr: /most/ })
})

t.test('watch makes a monitor of any kind of check, and check try makes the check once (v3 6.10)', async t => {
  const server = await serve(t, (_request, response) => void response.end('fine'))
  const { host, port } = new URL(server)
  for (const [line, template, meta] of [
    [
      `http ${server}/ --every 30s --set contains=fine --set bearer=env:BEARER`,
      'http-check@1',
      { url: `${server}/`, interval_seconds: 30 },
    ],
    [`tcp ${host} --every 1h`, 'tcp-check@1', { host: '127.0.0.1', port: Number(port), interval_seconds: 3_600 }],
    ['certificate shop.example --set days=7', 'certificate-check@1', { target: 'shop.example', days: 7 }],
    ['dns shop.example --set record=MX', 'dns-check@1', { name: 'shop.example', record: 'MX', interval_seconds: 300 }],
    ['ping 192.0.2.1 --location LOCAL', 'ping-check@1', { host: '192.0.2.1' }],
  ] as const) {
    const [what] = line.split(' ')
    t.equal(await done(`watch ${line} --name 'By ${what}' --label by=watch`, { ...local, BEARER: 'abc' }), `by-${what}\n`)
    t.match(await json(`resource show by-${what}`), { template, meta, labels: { by: 'watch' } })
  }
  t.equal(await done('watch http shop.example'), 'shop-example\n', 'the target is the name')
  t.match(await json('resource show shop-example'), { meta: { url: 'https://shop.example' } })
  for (const [line, stderr] of [
    ['watch tcp shop.example', /^"shop.example" is no target of tcp/],
    ['watch nothing shop.example', /Allowed choices are http, certificate, tcp, dns, ping/],
    ['watch http shop.example --every soon', /such as 30s/],
    ['watch http shop.example --set bearer=abc', /^bearer is a secret, .*: --set bearer=env:<VARIABLE>/],
  ] as const) {
    t.match(await run(line), { code: 2, stderr }, line)
  }
  t.match(await run('watch http shop.example --every 1s --key other'), { code: 4, stderr: /interval_seconds/ })

  t.match(
    await done(`check try http ${server}/ --set contains=fine`),
    /^local +reachability +passed +[\d.]+ ms +200\nlocal +certificate +cannot +the address is not https/m,
  )
  const failing = await run(`check try http ${server}/ --set contains=other`)
  t.match(failing, {
    code: 4,
    stdout: /failed .*body does not contain "other"/,
    stderr: /^The check passed from 0 of 1 locations/,
  })
  t.match(await json(`check try tcp ${host}`), [{ outcome: 'passed', location: { name: 'local' } }])

  const made = ['by-http', 'by-tcp', 'by-certificate', 'by-dns', 'by-ping', 'shop-example']
  for (const key of made) await asked(`/workspaces/${workspaceId}/resources/${key}/archive`, {})
})

t.test('monitor, maintenance and template commands have the effect of the v3 routes', async t => {
  t.equal(await done("monitor create 'My shop' http://127.0.0.1:9/ --every 1h --meta statuses=200,204"), 'my-shop\n')
  t.match(await json('monitor show my-shop'), {
    template: 'website-check@1',
    meta: { interval_value: 1, interval_unit: 'HOUR', statuses: [200, 204], url: 'http://127.0.0.1:9/' },
  })
  t.strictSame(
    (await json('monitor list')).map(({ key }: { key: string }) => key),
    ['my-shop'],
  )
  t.match(await json('monitor list --search SHOP'), [{ key: 'my-shop', kind: 'website', watched: /127/, status: String }])
  t.match(await done('monitor list --search my'), /^my-shop +(unknown|pending) .* {2}My shop {2}\S/m)
  t.strictSame(await json('monitor list --search nothing --status trouble'), [])
  const found = await json('resource list --search my')
  t.match(found, [{ key: 'my-shop' }], 'Resources of every kind are searched')
  t.match(await run('monitor list --search x --state all'), { code: 2, stderr: /no other filter/ })
  t.match(await run('monitor list --status broken'), { code: 2 })
  const figures = { id: found[0].id, key: 'my-shop', name: 'My shop', p95: null, uptime_since: String }
  t.match(await json('monitor figures'), [figures])
  t.match(await json("monitor figures 'My shop'"), [figures])
  t.match(await done('monitor figures my-shop'), /^my-shop .*\d{4}-\d\d-\d\d {2}My shop$/m)
  t.match(await run('monitor figures nowhere'), { code: 5, stderr: /^There is no monitor "nowhere"/ })
  t.match(await json('monitor change my-shop --meta method=HEAD'), { meta: { method: 'HEAD' } })
  const [{ id: locationId }] = (await asked('/locations')) as [{ id: string }]
  t.match(await json('monitor change my-shop --location LOCAL'), { meta: { method: 'HEAD', locations: [locationId] } })
  const answers = 'monitor change my-shop --method POST --statuses 200,204 --expected-text fine --confirm-after 0'
  t.match(await json(answers), { meta: { method: 'POST', statuses: [200, 204], expected_text: 'fine', confirm_after: 0 } })
  t.match(await run('monitor change my-shop --data plain'), { code: 2, stderr: /^data is a secret, .*: --data env:<VARIABLE>/ })
  t.match(await run('monitor change my-shop --data env:NONE'), { code: 2, stderr: /^--data: the environment has no NONE/ })
  t.match(await json('check kinds'), [
    { type: 'http', options: [{ key: 'url', required: true }] },
    { type: 'tls' },
    { type: 'tcp' },
    { type: 'dns' },
    { type: 'icmp' },
  ])
  t.match(await done('check kinds'), /^http +body +secret +secret +Body/m)
  t.match(await run('monitor change my-shop --location nowhere'), { code: 5, stderr: /^There is no location "nowhere"/ })
  t.match(await run('monitor change my-shop'), { code: 2, stderr: /^Say what to change/ })
  t.match(await run('monitor create x http://127.0.0.1:9/ --location nowhere'), {
    code: 5,
    stderr: /^There is no location "nowhere"/,
  })
  t.match(await json('maintenance start other 90m'), { maintenance: { by: 'owner' } })
  t.match(await json('maintenance show other'), { until: String })
  t.match(await json('maintenance end other'), { maintenance: null })
  t.match(await run('maintenance end other'), { code: 4 })
  t.match(await run('maintenance start other 90s'), { code: 2, stderr: /whole minutes/ })
  t.match(await json('monitor archive my-shop'), { archived_at: String })
  t.match(await done('template list'), /^website-check@1 .*\n(?:[a-z]+-check@1 .*\n)*job@1 +run +fails +Job$/m)
  t.match(await json('template show job'), { id: 'job@1', fields: [{ key: 'team' }, { key: 'most', type: 'integer' }] })
  t.match(await run('template show nope'), { code: 5 })
})

t.test('Incident is listed, shown, explained, acknowledged, and counted by status', async t => {
  t.match(await done('status --check'), /"Default": nothing is wrong\.$/m)
  const reported = await json("observe other run --state problem --value 3 --reason 'disk full' --label host=db1")
  t.match(reported, { observation: String, signal: String })
  const [incident] = await json('incident list')
  t.match(incident, { resource: { key: 'other' }, rule: 'fails', workspace: { id: workspaceId } })
  const shown = await done('incident show other')
  t.match(
    shown,
    /● problem\.judged\n {2}▼ \[pending\] since .*\n {2}│ hold\.elapsed\n {2}▼ \[problem\] since .*\n {2}┆ ▷ a reminder is sent at \S+Z/,
  )
  const text = await done(`incident explain ${incident.id}`)
  t.match(text, /^Rule fails of Other \(other\) reads: run problem\./m)
  t.match(text, /disk full/)
  t.match(text, /^Nobody has taken it on\.$/m)
  t.match(text, /^The next reminder is sent at \S+Z\.$/m)
  t.match(await json('incident ack other'), { acknowledgement: { by: 'owner', via: 'api' } })
  t.match(await run('incident ack other'), { code: 4, stderr: /taken on by owner\.$/m })
  t.match(await run('status --check'), { code: 4, stdout: /: 1 Incident is open \(1 problem\)\.$/m })
  t.match(await json('status'), {
    open_incidents: 1,
    workspaces: [{ id: workspaceId, name: 'Default', incidents: { open: 1, unacknowledged: 0 }, oldest: [{ id: incident.id }] }],
  })
  t.match(await run('incident show nix'), { code: 5, stderr: /^There is no Incident "nix"/ })
  t.match(await json('incident list --lifecycle closed'), [])
  for (const name of ['other', 'OTHER']) t.match(await json(`incident list --resource ${name}`), [{ id: incident.id }], name)
  t.strictSame(await json('incident list --resource nightly-backup'), [])
  t.match(await run('incident list --resource nix'), { code: 5, stderr: /^There is no Resource "nix"/ })
})

t.test('incident list finds a Resource by id or key in all workspaces, and by name if no id or key matches', async t => {
  const resources = (name: string) => [
    { id: `${name}1`, key: 'same', name: 'Twin' },
    { id: `${name}2`, key: name, name: 'same' },
    { id: `${name}3`, key: `${name}-3`, name: 'Twin' },
  ]
  const at = await serve(t, ({ url: path = '' }, response) => {
    const [, workspace = '', noun = '', reference] = /workspaces\/(\w+)\/(\w+)\/?([\w-]+)?/.exec(path) ?? []
    const all = resources(workspace)
    // Only the first workspace has the key `same`.
    const found = all.find(({ id, key }) => reference === id || (reference === key && (key !== 'same' || workspace === 'a')))
    const missing = { code: 1_404, error_type: 'not_found', message: 'There is no such Resource.', details: {} }
    const one = { id: `${new URL(path, at).searchParams.get('resource')}-incident`, opened_at: '2026-10-05T12:00:00Z' }
    const result = workspace === '' ? [{ id: 'a' }, { id: 'b' }] : noun === 'incidents' ? [one] : (found ?? all)
    if (reference === undefined || found) response.end(JSON.stringify({ result, error: null, meta: null }))
    else response.writeHead(404).end(JSON.stringify({ result: null, error: missing, meta: null }))
  })
  const listed = async (named: string) => {
    const found = await json(`incident list --resource ${named}`, { ...remote, WATCHKEEPER_URL: at })
    return found.map(({ id }: { id: string }) => id)
  }
  t.strictSame(await listed('same'), ['a1-incident'], 'the key in one workspace goes before names in the other')
  t.strictSame(await listed('b3'), ['b3-incident'])
  t.strictSame(await listed('SAME'), ['a2-incident', 'b2-incident'])
  t.match(await run('incident list --resource twin', { ...remote, WATCHKEEPER_URL: at }), { code: 2, stderr: /fits 2 Resources/ })
})

t.test('watch prints a line for each change into a pipe, and a signal ends it with exit code 0', async t => {
  await done('resource create Watched --template job --key watched')
  const watch = runProgram(t, ['incident', 'list', '--watch'], local)
  await watch.says(/ {2}problem {6}\S+ {2}Default {2}other {2}fails {2}disk full \(run\)/)
  await done('observe watched run --state problem')
  await watch.says(/ {2}problem {6}\S+ {2}Default {2}watched {2}fails/)
  await done('incident ack watched')
  await watch.says(/ {2}taken {8}\S+ {2}Default {2}watched/)
  await done('resource archive watched')
  await watch.says(/ {2}closed {7}\S+ {2}Default {2}watched/)
  watch.child.kill('SIGTERM')
  t.match(await watch.ended, { code: 0, signal: null })
})

t.test('events prints a line for each event until a signal ends it, and what happened after an event', async t => {
  const follow = runProgram(t, ['events', '--follow'], local)
  const [, first = ''] = await follow.says(/^(\w{8}\.\d+) +hello/m)
  await done('resource create Heard --template job --key heard')
  await follow.says(/ row {7}id \S+ {2}heard {2}Heard {2}.*unknown/)
  await done('observe heard run --state problem')
  await follow.says(/ incident {2}id \S+ {2}monitor \S+ /)
  follow.child.kill('SIGTERM')
  t.match(await follow.ended, { code: 0, signal: null })
  const missed = (await done(`events --after ${first} --json`))
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  t.match(
    missed.find(({ event }) => event === 'row'),
    { data: { key: 'heard' } },
  )
  t.equal(missed.at(-1).event, 'hello')
  t.match(await run('events'), { code: 2, stderr: /--follow/ })
  t.match(await done('events --after unknown.1'), /^\S+ +reset\n\S+ +hello$/m, 'events may be missing')
})

t.test('events --follow opens a lost stream again after its last event, and ends when its key does', async t => {
  const known: (string | undefined)[] = []
  const url = await serve(t, (request, response) => {
    if (!request.url?.endsWith('/events'))
      return void response.end(JSON.stringify(listOf([{ id: 'w1', name: 'One', role: 'owner' }])))
    known.push(request.headers['last-event-id'] as string | undefined)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const n = known.length
    response.write(`retry: 1\n\n:\n\nid: a.${n}\nevent: gone\ndata: {"id":"R${n}"}`)
    if (n < 3) response.write('\n\n', () => response.destroy())
    else response.end('\n\nevent: ended\ndata: {"why":"key"}\n\n')
  })
  const watch = runProgram(t, ['events', '--follow', '--json'], { ...remote, WATCHKEEPER_URL: url })
  const { code, stdout, stderr } = await watch.ended
  t.match([code, stderr], [4, /is opened again.*responds again.*The key was deleted/s])
  t.strictSame(known, [undefined, 'a.1', 'a.2'])
  t.match(
    stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line).id),
    ['a.1', 'a.2', 'a.3', ''],
  )
})

t.test('stream that is no stream, has a huge event or text that is no JSON ends events with one error message', async t => {
  const events = { 'content-type': 'text/event-stream' }
  const cases: [headers: Record<string, string>, body: string, stderr: RegExp][] = [
    [{}, JSON.stringify({ result: { position: null }, error: null, meta: null }), /sent no stream of events/],
    [events, `id: a.1\nevent: gone\ndata: ${'x'.repeat(300_000)}`, /event is too large/],
    [events, 'id: a.1\nevent: gone\ndata: {x\n\n', /an event whose data is no JSON object/],
    [events, 'id: a.1\nevent: ended\ndata: null\n\n', /an event whose data is no JSON object/],
  ]
  for (const [headers, body, stderr] of cases) {
    const url = await serve(t, (request, response) => {
      if (request.url?.includes('/events')) return void response.writeHead(200, headers).end(body)
      response.end(JSON.stringify(listOf([{ id: 'w1', name: 'One', role: 'owner' }])))
    })
    t.match(await run('events --follow', { ...remote, WATCHKEEPER_URL: url }), { code: 3, stderr, stdout: '' })
  }
})

const listOf = (result: object[]) => ({ result, error: null, meta: null })

t.test('destinations, addresses and audit commands return the objects of v3', async t => {
  const far = await serve(t, (_request, response) => void response.end('ok'))
  const made = await run('destination create hook --to -', local, `${far}/secret-path\n`)
  t.match(made, { code: 0, stdout: /^\w{10}\n$/, stderr: /is the default/ })
  const id = made.stdout.trim()
  t.match(await json('destination list'), [{ id, name: 'hook', type: 'webhook', default: true }])
  t.match(await json('destination show HOOK'), { id })
  t.match(await json('destination test hook'), { status: 'delivered' })
  t.match(await json('destination deliveries hook --limit 1'), [{ event: 'test', status: 'delivered' }])
  t.match(await json('destination change hook --enabled no --name Hooked'), { id, name: 'Hooked', enabled: false })
  t.match(await done('destination secret Hooked'), /^whsec_/)
  t.match(await run(`destination create b --to http://me:pw@127.0.0.1/`), { code: 4, stderr: /url/ })
  t.match(await json('destination delete hooked'), { id, deleted: true })

  const address = await run('address create --template job --description nightly')
  t.match(address, { code: 0, stdout: /^http:\/\/\S+\/in\/[\w-]{43}\n$/ })
  t.match(await json('address list'), [{ template: 'job', description: 'nightly', second_factor: false }])
  const by = { ...remote, WATCHKEEPER_ADDRESS: address.stdout.trim(), WATCHKEEPER_API_KEY: '', WATCHKEEPER_URL: '' }
  t.match(await json('observe new-host run --template job --meta \'team="7"\'', by), { created_signal: false })
  t.match(await json('resource show new-host'), { meta: { team: '7' } })
  t.match(await run('observe other nothing', by), { code: 5, stderr: /signal/ })
  for (const nobody of ['nobody', 'No body']) {
    t.match(await run(`observe '${nobody}' run`, by), {
      code: 5,
      stderr: `There is no Resource "${nobody}" at the Observation address: correct its id or key, or make it by this report with --template.\n`,
    })
  }
  t.match(await run('observe other run', { ...by, WATCHKEEPER_ADDRESS: 'watch.example.com/in/x' }), {
    code: 2,
    stderr: "The Observation address can't be called: the URL must begin with http:// or https://.\n",
  })
  t.match(await run(`observe ${'n'.repeat(129)} run`, by), { code: 4, stderr: /resource/ })
  await done('address delete nightly')
  const gone = await run('observe other run', by)
  t.match(gone, { code: 5, stderr: 'There is no such Observation address.\n' })

  const strict = (await done('address create --second-factor')).trim()
  const wanting = { ...by, WATCHKEEPER_ADDRESS: strict }
  t.match(await run('observe other run --state ok', wanting), { code: 4, stderr: /WATCHKEEPER_OBSERVATION_KEY/ })
  await done('observe other run --state ok', { ...wanting, WATCHKEEPER_OBSERVATION_KEY: firstKey })

  await eventually('the audit has the address', async () => (await json('audit --path /addresses')).length >= 3)
  const [newest] = await json('audit --path /addresses --limit 1')
  t.match(newest, { method: 'POST', workspace: workspaceId, person: { name: 'owner' } })
  t.match(await json('audit --installation --limit 2'), [{ at: String }, { at: String }])
  for (const where of ['', ' --installation']) {
    t.match(await json(`audit --person OWNER --limit 1${where}`), [{ person: { name: 'owner' } }])
    t.match(await json(`audit --person ${newest.person.id} --limit 1${where}`), [{ person: { name: 'owner' } }])
    t.match(await run(`audit --person nobody${where}`), {
      code: 5,
      stderr: /^There is no (member|user) "nobody": .*; name a person who has left by id\.$/m,
    })
  }
  t.match(await run('audit --limit 0'), { code: 2 })
})

t.test('observe passes output of its command through, reports the end of the command, and exits with its code', async t => {
  await done('resource create Runs --template job --key runs')
  const newest = async () => {
    const result = await asked(`/workspaces/${workspaceId}/resources/runs/observations?limit=1`)
    return (result as Record<string, unknown>[])[0]
  }
  const passed = await run("observe runs run -- sh -c 'cat; echo err >&2'", local, 'through\n')
  t.match(passed, { code: 0, stdout: 'through\n', stderr: 'err\n' })
  t.match(await newest(), { state: 'ok', value: Number, reason: null })
  const rows: [words: string[], code: number, reason: string][] = [
    [['--', 'sh', '-c', 'echo first; printf "last\\033[31m line\\n\\n"; exit 3'], 3, 'exit 3: last [31m line'],
    [['--no-output', '--', 'sh', '-c', 'echo secret; exit 3'], 3, 'exit 3'],
    [['--', 'sh', '-c', 'kill -9 $$'], 137, 'ended by SIGKILL'],
    [['--', 'no-such-command'], 127, 'exit 127: no-such-command: command not found'],
  ]
  for (const [words, code, reason] of rows) {
    const ended = await runProgram(t, ['observe', 'runs', 'run', ...words], local).ended
    t.equal(ended.code, code, reason)
    t.match(await newest(), { state: 'problem', reason })
  }
  const waits = "tail -f /dev/null & trap 'kill $!; exit 5' TERM; echo ready; wait"
  const forwarding = runProgram(t, ['observe', 'runs', 'run', '--', 'sh', '-c', waits], local)
  await forwarding.says(/ready/)
  forwarding.child.kill('SIGTERM')
  t.match(await forwarding.ended, { code: 5 })
  t.match(await newest(), { state: 'problem', reason: 'exit 5: ready' })

  const left = await runProgram(t, ['observe', 'runs', 'run', '--', 'sh', '-c', 'tail -f /dev/null & echo $!'], local).ended
  t.equal(left.code, 0, 'a process that the command leaves behind is not waited for')
  process.kill(Number(left.stdout))

  const away = { ...remote, WATCHKEEPER_URL: 'http://127.0.0.1:1' }
  const unsent = await run("observe runs run --patience 0s -- sh -c 'echo done; exit 6'", away)
  t.match(unsent, {
    code: 6,
    stdout: 'done\n',
    stderr: /^The report was not sent: Watchkeeper can't be reached at http:\/\/127\.0\.0\.1:1 \(.*\)[^\n]*\n$/,
  })
  t.match(await run('observe runs run extra'), { code: 2, stderr: /one word too many/ })
  t.match(await run('observe runs run --state ok -- true'), { code: 2 })
  t.match(await run('observe runs run --'), { code: 2, stderr: /no command behind --/ })
})

t.test('observe --start reports that a run begins, and start and end of a command are one run', async t => {
  await done('resource create Nightly --template heartbeat-check --key nightly')
  const runs = async () => {
    const { signals } = (await asked(`/workspaces/${workspaceId}/resources/nightly`)) as { signals: { schedule?: object }[] }
    return signals[0]?.schedule
  }
  await done('observe nightly run --start')
  t.match(await runs(), { state: 'started', last: null })
  await done('observe nightly run')
  t.match(await runs(), { state: 'up', started_at: null, last: { state: 'ok', duration_seconds: Number } })
  t.match(await run("observe nightly run --start -- sh -c 'exit 3'"), { code: 3 })
  t.match(await runs(), { state: 'down', started_at: null, last: { state: 'problem', exit_status: 3, duration_seconds: Number } })
  const entries = (await asked(`/workspaces/${workspaceId}/resources/nightly/observations?limit=2`)) as {
    labels: Record<string, string>
  }[]
  const [end, begin] = entries.map(({ labels }) => labels)
  t.equal(begin?.['phase'], 'start')
  t.equal(end?.['run'], begin?.['run'], 'one id of the run')
  t.match(await run('observe nightly run --start --state ok'), { code: 2 })
})

t.test('report to an absent server is retried and stored once', async t => {
  let asked = 0
  const ids = new Set<string>()
  const flaky = await serve(t, async (request, response) => {
    asked += 1
    let body = ''
    for await (const part of request) body += part
    ids.add((JSON.parse(body) as { id: string }).id)
    if (asked === 1) return void request.socket.destroy()
    const error = {
      code: 1_500,
      error_type: 'server',
      message: 'The request could not be completed; send it again.',
      details: {},
    }
    if (asked === 2) return void response.writeHead(500).end(JSON.stringify({ result: null, error, meta: null }))
    response.writeHead(202).end(
      JSON.stringify({
        result: { resource: 'r', signal: 's1', observation: 'o', created_signal: false },
        error: null,
        meta: null,
      }),
    )
  })
  t.match(await json(`observe r run --address ${flaky}/in/secret`), { observation: 'o' })
  t.equal(asked, 3)
  t.equal(ids.size, 1)
  t.match([...ids][0], /^\w{16}$/)
})

t.test('profile stores address, key and workspace with mode 0600, and is used in every folder', async t => {
  const config = join(temporaryFolder(t), 'config')
  const environment = { HOME: home, XDG_CONFIG_HOME: config, DATA_DIR: join(folder, 'nothing') }
  const file = join(config, 'watchkeeper', 'profile.json')
  t.match(await run('profile set --url http://127.0.0.1:1', environment, `${firstKey}\n`), { code: 3 })
  t.match(await run(`profile set --url ${url}`, environment, 'wk_wrong\n'), { code: 4, stderr: /^The key was refused/ })
  t.throws(() => statSync(file), 'what did not work is not kept')
  const set = await run(`profile set --url ${url} --workspace Default`, environment, `${firstKey}\n`)
  t.match(set, { code: 0 }, set.stderr)
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.strictSame(readdirSync(join(config, 'watchkeeper')), ['profile.json'])
  const shown = await run('profile show', environment)
  t.match(shown, { code: 0, stdout: `Profile "default": ${url}, workspace ${workspaceId}.\n` })
  t.notOk(`${set.stdout}${set.stderr}${shown.stdout}`.includes(firstKey))
  t.match(await json('resource show other', environment), { key: 'other' })
  await run(`profile set second --url ${url}`, environment, `${firstKey}\n`)
  t.match(await json('resource show other --profile second', environment), { key: 'other' })
  t.match(await json('profile list', environment), [
    { name: 'default', workspace: workspaceId },
    { name: 'second', workspace: null },
  ])
  t.match(await run('status --profile third', environment), { code: 5, stderr: /^There is no profile "third"/ })
  const elsewhere = await run('status --profile second --url http://127.0.0.1:2', environment)
  t.match(elsewhere, { code: 2, stderr: /^There is no key for http:\/\/127\.0\.0\.1:2/ }, 'a key goes to its own address alone')
  chmodSync(file, 0o644)
  t.match(await run('status', environment), { code: 2, stderr: `Others may read the keys in ${file}: chmod 600 ${file}\n` })
  chmodSync(file, 0o600)
  t.match(await json('profile delete second', environment), { name: 'second' })
  const secret = 'wk_SECRETkey0123456789'
  const damaged: [text: string, line: number][] = [
    ['{"profiles": {\n  "default": {"url": "htt', 2],
    [`{"profiles": {"default": {\n"url": "http://a",\n\n"key": ${secret}, "workspace": null}}}`, 4],
    [`{"profiles": {"default": {\n"url": "http://a",\n"key": '${secret}', "workspace": null}}}`, 3],
    [`{"profiles": {"default": {\n"key": !${secret}\n}}}`, 2],
    [`{"profiles": {"default": {\n"key": "${secret}"\n"workspace": null}}}`, 3],
    [`{"profiles": {}}\n\n${secret}`, 3],
  ]
  for (const [text, line] of damaged) {
    writeFileSync(file, text, { mode: 0o600 })
    const { code, stdout, stderr } = await run('status', environment)
    t.strictSame([code, stdout], [2, ''], text)
    t.ok(stderr.startsWith(`The profile file is damaged at ${file}:${line} (it is not valid JSON): `), stderr)
    t.notMatch(stderr, /wk_|SEC|key0/, text)
  }
  writeFileSync(file, '{"profiles": {"default": {"url": 3}}}', { mode: 0o600 })
  t.match(await run('status', environment), { code: 2, stderr: /^The profile file is damaged at \S+:profiles\.default \(/ })
})

t.test('command against a wrong, older, absent or hostile server ends with one error message and an exit code', async t => {
  const older = await serve(
    t,
    (_request, response) => void response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"Not found"}'),
  )
  const proxy = await serve(t, (_request, response) => void response.writeHead(502).end('<html>'))
  const noRoute = { code: 1_404, error_type: 'not_found', message: 'There is no such route.', details: {} }
  const behind = await serve(
    t,
    (_request, response) => void response.writeHead(404).end(JSON.stringify({ result: null, error: noRoute, meta: null })),
  )
  const refusal = {
    code: 1_422,
    error_type: 'validation',
    message: 'evil\u001b[2J\u009b31m\nnext\u202e',
    details: { field: 'x\u001b[1m' },
  }
  const hostile = await serve(
    t,
    (_request, response) => void response.writeHead(422).end(JSON.stringify({ result: null, error: refusal, meta: null })),
  )
  const results = [null, {}, 'x', [null], [[]], [{}], [{ id: 7 }]]
  const misshapen = await Promise.all(
    results.map(result =>
      serve(t, (_request, response) => void response.end(JSON.stringify({ result, error: null, meta: null }))),
    ),
  )
  const rows: [environment: Record<string, string>, code: number, sentence: RegExp][] = [
    ...misshapen.map((at): [Record<string, string>, number, RegExp] => [
      { WATCHKEEPER_URL: at },
      3,
      /^Watchkeeper can't be reached at \S+ \(it (responded with status 200 and nothing|returned no list of objects with ids) /,
    ]),
    [{ WATCHKEEPER_URL: 'watch.example.com' }, 2, /^The API can't be called: the URL must begin with http:\/\/ or https:\/\/\.$/],
    [{ WATCHKEEPER_URL: 'http://127.0.0.1:1' }, 3, /^Watchkeeper can't be reached at http:\/\/127\.0\.0\.1:1 \(/],
    [
      { WATCHKEEPER_URL: older },
      3,
      /generation 3 of the API is not served there: the server is older.*: start it, update it, or/,
    ],
    [{ WATCHKEEPER_URL: behind }, 3, /^The server has no such route: it is older than this command\. Update it\.$/],
    [{ WATCHKEEPER_URL: proxy }, 3, /it responded with status 502/],
    [{ WATCHKEEPER_URL: hostile }, 4, /^evil \[2J 31m next +\(field x \[1m\)\.$/],
    [{ WATCHKEEPER_API_KEY: 'wk_unknown' }, 4, /^The key was refused: it is unknown, expired or deleted\./],
    [{ WATCHKEEPER_API_KEY: 'wk_two\nlines' }, 2, /^The API can't be called: the API key /],
    [{ WATCHKEEPER_API_KEY: '' }, 2, /^There is no key for http/],
    [
      { WATCHKEEPER_API_KEY: '', WATCHKEEPER_URL: '' },
      3,
      /nothing runs on the data folder \S+nothing\): start it, set DATA_DIR, or/,
    ],
  ]
  for (const [over, code, sentence] of rows) {
    const ended = await run('resource list', { ...remote, ...over })
    t.equal(ended.code, code, `${JSON.stringify(over)}: ${ended.stderr}`)
    t.match(ended.stderr.trimEnd(), sentence)
    t.equal(ended.stderr.trimEnd().split('\n').length, 1)
    t.notMatch(ended.stderr, /[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}]/u)
    t.notOk(ended.stderr.includes('two'), 'a key is never quoted')
    t.equal(ended.stdout, '')
  }
  const [one, other] = [await done("workspace create 'Twin'"), await done("workspace create 'Twin'")]
  const twins = await run('resource list --workspace Twin', remote)
  const either = [one, other].map(id => `${id.trim()} \\(Twin\\)`).join('|')
  t.match(twins, {
    code: 2,
    stderr: new RegExp(`^"Twin" fits 2 workspaces: (?:${either}), (?:${either})\\. Name one by its id\\.\\n$`),
  })
  t.match(await run('resource list', remote), {
    code: 2,
    stderr: /^Say which workspace: .* There are \w+ \(Default\), \w+ \(Twin\), \w+ \(Twin\)\.$/m,
  })
})

t.test('command names the server when an object has an id and no other member', async t => {
  const bare = await serve(t, (_request, response) => {
    const result = response.req.url?.match(/\/(workspaces|resources|destinations|addresses|templates|incidents)(\?|$)/)
      ? [{ id: 'a' }]
      : { id: 'a' }
    response.end(JSON.stringify({ result, error: null, meta: { next_cursor: null } }))
  })
  for (const words of ['resource list', 'resource show a', 'incident list', 'incident show a', 'destination list', 'status']) {
    const ended = await run(words, { ...remote, WATCHKEEPER_URL: bare })
    t.notMatch(ended.stderr, /Unexpected|TypeError|\n\s+at /, words)
    t.ok(ended.code === 0 || ended.code === 3, `${words}: ${ended.code} ${ended.stderr}`)
    if (ended.code === 3) t.match(ended.stderr, new RegExp(`^(Watchkeeper can't be reached at )?${bare}`), words)
  }
})

t.test('name that fits nothing ends every command with exit code 5, and with --json as the error object of the API', async t => {
  const id = (await done("workspace create 'Unknown things'")).trim()
  await done(`monitor create Shop https://shop.example.com/ --key shop --workspace ${id}`)
  const template = join(temporaryFolder(t), 'template.yaml')
  writeFileSync(template, `${JSON.stringify(thing)}\n`)
  await done(`template publish ${template} --workspace ${id}`)
  await done(`resource create Lamp --template thing --key lamp --workspace ${id}`)
  const rows = [
    ...['resource show nothing', 'resource archive nothing', 'resource change nothing --name x'],
    ...['monitor show nothing', 'monitor show lamp', 'monitor archive lamp', 'monitor change lamp --name x'],
    ...['maintenance start nothing 5m', 'incident show nothing', 'destination delete nothing', 'address delete nothing'],
    ...['template show nothing', 'resource create x --template nothing', 'resource create x --template thing@9'],
    ...['monitor create x https://x.example/ --location nothing'],
  ]
  for (const words of rows) {
    const ended = await run(`${words} --workspace ${id} --json`, remote)
    t.equal(ended.code, 5, `${words}: ${ended.stdout} ${ended.stderr}`)
    t.match(JSON.parse(ended.stdout || '{}'), { error: { message: String, details: {} } }, words)
  }
  t.match(JSON.parse((await run(`resource create Lamp --template thing --key lamp --workspace ${id} --json`, remote)).stdout), {
    error: { code: 1_409, error_type: 'conflict', details: { field: 'key' } },
  })
  t.equal((await run(`resource show lamp --workspace ${id}`, remote)).code, 0)
  t.equal((await run(`monitor show shop --workspace ${id}`, remote)).code, 0)
})

const thing = {
  ...{ kind: 'Template', key: 'thing', version: 1, name: 'Thing', signals: [{ key: 'probe', kind: 'event' }] },
  rules: [
    {
      ...{ key: 'down', action: 'Look.', wait: { confirm_after: 0, recover_after: 0 } },
      decision: { signal: 'probe', field: 'status', operator: 'eq', operand: 'problem' },
    },
  ],
}

t.test('text from a server stays in its cell of the table, and JSON has no control character', async t => {
  const item = {
    id: 'a',
    key: 'evil\u001b[2J',
    name: 'x\u009b31m\u202e',
    template: null,
    labels: {},
    meta: {},
    archived_at: null,
    open_incident: null,
  }
  const hostile = await serve(t, ({ url: path }, response) => {
    const result = path === '/api/v3/workspaces' ? [{ id: 'w', name: 'W', role: 'owner' }] : [item]
    response.end(JSON.stringify({ result, error: null, meta: null }))
  })
  const at = { ...remote, WATCHKEEPER_URL: hostile }
  t.notMatch(await done('resource list', at), /[^\n\P{Cc}]|\p{Cf}/u)
  const printed = await done('resource list --json', at)
  t.notMatch(printed, /[^\n\P{Cc}]|\p{Cf}/u)
  t.strictSame(JSON.parse(printed), [item])
})
