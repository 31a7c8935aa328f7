// Tests of plans, which are the steps that bring a workspace to the state of the files: which objects a plan creates, changes, keeps and
// deletes. No server.
import t from 'tap'
import type { BuiltInTemplate } from '#shared/contracts/resources/template.ts'
import { findSystemTemplate } from '#shared/manifest/system-templates.ts'
import { readObjects } from '../../../services/gateway/configuration/document.ts'
import { exportFiles } from '../../../services/gateway/configuration/export-files.ts'
import type { Present } from '../../../services/gateway/configuration/present.ts'
import { readWanted } from '../../../services/gateway/configuration/wanted.ts'
import { bound, job, planned, present, resource } from './planned.ts'

const websiteCheck = findSystemTemplate('website-check') as BuiltInTemplate

t.test('plan gives a Template the next version if its content differs from the highest version', async t => {
  const [made] = planned(job)
  t.match(made, { verb: 'made', name: 'job@1' })
  const body = made?.requests[0]?.body
  const { templates } = published(job)
  const now = { ...present, templates }
  t.match(body, { key: 'job', version: 1 })
  t.match(planned(job, { present: now }), [{ verb: 'left', name: 'job@1', requests: [] }])
  t.match(planned(job.replace('Look.', 'Run.'), { present: now }), [{ verb: 'made', name: 'job@2' }])
  const pinned = job.replace('name: Job', 'version: 1\nname: Job')
  t.match(planned(pinned, { present: now }), [{ verb: 'left', name: 'job@1' }])
  t.throws(() => planned(pinned.replace('Look.', 'Run.'), { present: now }), {
    message: /^a\.yaml:3: version: job@1 is published with another content, .* write version 2/,
  })
})

/** The workspace after these files are applied, with its Templates only. */
function published(text: string): Present {
  const [wanted] = readWanted(readObjects('a.yaml', text)).templates
  const rules = (wanted?.sent.rules ?? []).map(rule => ({ signals: [], help: '', destination: null, routes: null, ...rule }))
  const template = {
    id: 'job@1',
    version: 1,
    summary: '',
    ...wanted?.sent,
    fields: [
      { key: 'most', label: 'most', help: '', type: 'integer', required: false, default: 5, options: [], min: null, max: null },
    ],
    signals: [{ key: 'run', kind: 'event', every_seconds: null, help: '', states: [] }],
    rules,
  }
  return { ...present, templates: [template] as unknown as Present['templates'] }
}

t.test('plan reports a Template of the workspace that only a newer program can read', async t => {
  const text = JSON.stringify(published(job).templates).replace('"operator":"eq"', '"operator":"like"')
  const templates = JSON.parse(text) as Present['templates']
  t.throws(() => planned('kind: Destination\nname: Ops\ntype: slack', { present: { ...present, templates } }), {
    message:
      /^Template job@1 of the workspace: rules\.0\.decision\.operator: .*; the server is newer than this program: update it$/,
  })
})

t.test('plan rebinds a Resource whose file names another revision, and changes only the differing fields', async t => {
  const now = published(job)
  const a = { ...resource, id: 'r9', key: 'a', template: 'job@1', meta: { most: 5 }, labels: { env: 'test', team: 'core' } }
  const changed = (text: string, over: object = {}) => {
    const steps = planned(text, { present: { ...now, resources: [{ ...a, ...over }] } })
    return steps.find(({ phase }) => phase === 'resources')
  }
  const labels = 'labels: {env: test, team: core}'
  t.match(changed(bound(`template: job\n${labels}`)), { verb: 'left', requests: [] })
  t.strictSame(changed(bound('template: job\nlabels: {env: live}\nmeta: {most: 7}'))?.requests, [
    {
      api: 'v3',
      method: 'PATCH',
      path: '/workspaces/w1/resources/r9',
      body: { meta: { most: 7 }, labels: { env: 'live', team: null } },
    },
  ])
  t.strictSame(changed(bound(`template: job\n${labels}`), { meta: { most: 9 } })?.requests[0]?.body, { meta: { most: null } })
  const rebound = changed(bound(`template: job\n${labels}`).replace('Look.', 'Run.'), { meta: { most: 9 } })
  t.match(rebound, { verb: 'changed', what: 'from job@1 to job@2' })
  t.strictSame(rebound?.requests, [
    { api: 'v3', method: 'POST', path: '/workspaces/w1/resources/r9/rebind', body: { template: 'job@2', meta: { most: null } } },
  ])
})

t.test('plan deletes only with --prune, archives Resources, and skips archived Resources', async t => {
  const text = 'kind: Destination\nname: Ops\ntype: slack'
  t.strictSame(
    planned(text).map(({ verb }) => verb),
    ['left'],
  )
  const steps = planned(text.replace('Ops', 'New'), {
    prune: true,
    environment: { WATCHKEEPER_DESTINATION_NEW_URL: 'https://a.example' },
  })
  t.strictSame(
    steps.map(({ verb, kind, name }) => `${verb} ${kind} ${name}`),
    ['made Destination New', 'archived Monitor shop', 'archived Subject queue', 'deleted Destination Ops'],
  )
  t.strictSame(
    planned('kind: Subject\nkey: queue\nname: A', { prune: true }).map(({ verb, kind, name }) => `${verb} ${kind} ${name}`),
    ['left Subject queue', 'deleted Signal queue/depth', 'archived Monitor shop', 'deleted Destination Ops'],
  )
})

t.test('plan keeps a destination that the files lack while a Template names the destination', async t => {
  const now = published(job)
  const rules = now.templates[0]?.rules.map(rule => ({ ...rule, destination: 'd1' })) ?? []
  const templates = now.templates.map(template => ({ ...template, rules })) as Present['templates']
  const steps = planned('kind: Subject\nkey: queue\nname: A', { prune: true, present: { ...present, templates } })
  t.match(steps.at(-1), { verb: 'left', kind: 'Destination', name: 'Ops', what: 'the Template job@1 names it', requests: [] })
})

t.test('objects of generation 2 are refused in files and never deleted when generation 2 is switched off', async t => {
  const gone = { ...present, classic: null }
  t.throws(() => planned('kind: Subject\nkey: queue\nname: Q', { present: gone }), {
    message: /^a\.yaml:1: kind: .*API_LEGACY=gone/,
  })
  const table = 'kind: DeliveryTable\nsubject: shop\nrows: [{destination: Ops, on: [problem]}]'
  t.throws(() => planned(table, { present: gone }), { message: /^a\.yaml:1: kind: .*API_LEGACY=gone/ })
  const steps = planned('kind: Destination\nname: Ops\ntype: slack', { present: gone, prune: true })
  t.strictSame(
    steps.map(({ name }) => name),
    ['Ops', 'shop'],
  )
  t.match(exportFiles(gone).omitted.join('\n'), /^Custom subjects and delivery tables are left out/m)
})

/** A workspace with a secret in every kind of value that a file may hold. */
const secretive: Present = {
  ...present,
  templates: [],
  resources: [
    {
      ...resource,
      id: 'r1',
      key: 'shop',
      template: 'website-check@1',
      meta: {
        ...Object.fromEntries(websiteCheck.fields.map(field => [field.key, field.default])),
        url: 'https://me:hidden@shop.example/a?n=1&token=hidden#b',
        data: 'hidden',
        locations: ['aaaa'],
        interval_value: 5,
      },
      labels: { 'api.key': 'hidden', env: 'prod' },
    },
    { ...resource, id: 'r3', key: 'queue', template: null, labels: { see: 'the queue of //me:hidden@a.example' } },
  ],
  classic: {
    subjects: [
      { key: 'queue', signals: [{ key: 'depth', name: 'Depth', kind: 'event', meta: { auth: { user: 'hidden' } } }], rules: [] },
    ],
    customMonitors: [],
    tables: new Map(),
    numbers: new Map(),
  },
}
const exported = (of: Present) =>
  exportFiles(of)
    .files.map(({ text }) => text)
    .join('---\n')
const stepsFor = (text: string, over: Parameters<typeof planned>[1] = {}) =>
  planned(text, over).filter(({ kind, verb }) => kind !== 'Destination' && verb !== 'left')

t.test('export shows secrets as [redacted], and names what it leaves out', async t => {
  const { omitted } = exportFiles(secretive)
  const text = exported(secretive)
  t.notMatch(text, /hidden/)
  t.match(text, /url: https:\/\/\[redacted\]@shop\.example\/a\?n=1&token=redacted#b\n/)
  t.match(text, /data: "?\[redacted\]"?\n/)
  t.match(text, /api\.key: "?\[redacted\]"?\n +env: prod\n/)
  t.match(text, /see: "?\[redacted\]"?\n/, 'a text that would not show what it lacks')
  t.match(text, /locations:\n +- local\n/)
  t.match(omitted, [
    /^Members, keys, Observation addresses, .* are in no file\.$/,
    /^The URLs and secrets of destinations are left out/,
    /^The Monitor shop has secrets, which the file shows as \[redacted\]/,
    /^The Subject queue has secrets/,
  ])
  t.match(exportFiles(present).omitted, [/^Members/, /^The URLs/, /^Archived Resources are left out: 1\.$/])
})

t.test('apply of an export keeps the stored secrets', async t => {
  t.strictSame(stepsFor(exported(secretive), { present: secretive }), [])
  const renamed = exported(secretive).replaceAll('name: A\n', 'name: B\n')
  t.strictSame(
    stepsFor(renamed, { present: secretive }).flatMap(({ requests }) => requests.map(({ body }) => body)),
    [{ name: 'B' }, { name: 'B' }],
    'nothing redacted is sent',
  )
})

t.test('apply takes secrets of new objects from the environment, and says which variable it lacks', async t => {
  const text = exported(secretive)
  const lacking =
    /meta\.url: the file does not show it, and nothing is stored: set WATCHKEEPER_RESOURCE_SHOP_URL to the whole value of meta\.url of shop/
  const empty = { ...present, resources: [], classic: present.classic && { ...present.classic, subjects: [] } }
  t.throws(() => planned(text, { present: empty }), { message: lacking })
  const environment = {
    WATCHKEEPER_RESOURCE_SHOP_URL: 'https://me:new@shop.example/',
    WATCHKEEPER_RESOURCE_SHOP_DATA: 'new data',
    WATCHKEEPER_RESOURCE_SHOP_LABEL_API_KEY: 'new key',
    WATCHKEEPER_SUBJECT_QUEUE_LABEL_SEE: 'new text',
    WATCHKEEPER_SUBJECT_QUEUE_DEPTH_AUTH: '{"user":"new"}',
  }
  const bodies = (of: Present) => JSON.stringify(stepsFor(text, { present: of, environment }).map(({ requests }) => requests))
  for (const at of [empty, secretive]) {
    t.notMatch(bodies(at), /redacted/)
    for (const value of ['https://me:new@shop.example/', 'new data', 'new key', 'new text']) t.match(bodies(at), value)
    t.match(bodies(at), '{"auth":{"user":"new"}}')
  }
  for (const name of Object.keys(environment)) {
    const others = { ...environment, [name]: '' }
    t.throws(() => planned(text, { present: empty, environment: others }), { message: new RegExp(`: set ${name} to`) }, name)
  }
})

t.test('apply refuses a redacted value that fits no stored value, and two values of one variable', async t => {
  const other = exported(secretive).replace('shop.example/a', 'shop.example/b')
  const message = /meta\.url: the file does not show it, and the stored value is another: set WATCHKEEPER_RESOURCE_SHOP_URL/
  t.throws(() => planned(other, { present: secretive }), { message })
  const monitor = (key: string) =>
    `kind: Monitor\nkey: ${key}\nname: A\nmeta:\n  url: https://a.example/?token=redacted\n  locations: [local]\n  interval_value: 5\n`
  const both = /meta\.url of a\.b and meta\.url of a-b would both be read from WATCHKEEPER_RESOURCE_A_B_URL: rename one/
  const environment = { WATCHKEEPER_RESOURCE_A_B_URL: 'https://a.example/' }
  t.throws(() => planned(`${monitor('a.b')}---\n${monitor('a-b')}`, { environment }), { message: both })
})

t.test('default of a credential is redacted in a file, and kept by apply', async t => {
  const text = `${job.replace('default: 5}', 'default: 5}\n  - {key: api_token, type: string, default: hidden}')}`
  const templates = published(text).templates.map(one => {
    const [first] = one.fields
    return {
      ...one,
      fields: [...one.fields, { ...first!, key: 'api_token', type: 'string', default: 'hidden', min: null, max: null }],
    }
  })
  const of = { ...present, resources: [], templates: templates as Present['templates'] }
  const files = exported(of)
  t.notMatch(files, /hidden/)
  t.match(files, /default: "?\[redacted\]"?/)
  t.strictSame(stepsFor(files, { present: of }), [])
  t.throws(() => planned(files), { message: /set WATCHKEEPER_TEMPLATE_JOB_1_API_TOKEN to the whole value/ })
})

t.test('export reports a monitor with authored rules, which files cannot express', async t => {
  const classic = present.classic && { ...present.classic, customMonitors: ['shop'] }
  t.match(exportFiles({ ...present, classic }).omitted.join('\n'), /^The monitor shop has signals and rules of its own/m)
})

t.test('plan deletes the temporary destination of an earlier run once, after all other destinations', async t => {
  const name = 'Stand-in of ./watchkeeper apply'
  const stand = { id: 'd9', name, type: 'webhook', channel: '', enabled: true, send_on_open: false, default: true } as const
  const now = {
    ...present,
    resources: [],
    destinations: [...present.destinations.map(one => ({ ...one, default: false })), stand],
  }
  for (const prune of [false, true]) {
    const steps = planned('kind: Destination\nname: Ops\ntype: slack\ndefault: false', { present: now, prune })
    t.strictSame(
      steps.map(({ verb, name, requests }) => [verb, name, requests.map(({ path }) => path)]),
      [
        ['left', 'Ops', []],
        ['deleted', name, ['/workspaces/w1/destinations/d9']],
      ],
    )
  }
})
