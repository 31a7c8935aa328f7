// Tests of plans, which are the steps that bring a workspace to the state of the files: which objects a plan creates, changes, keeps and
// deletes. No server.
import t from 'tap'
import { readObjects } from '../../../services/gateway/configuration/document.ts'
import { exportFiles } from '../../../services/gateway/configuration/export-files.ts'
import type { Present } from '../../../services/gateway/configuration/present.ts'
import { readWanted } from '../../../services/gateway/configuration/wanted.ts'
import { bound, job, planned, present, resource } from './planned.ts'

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
  t.match(exportFiles(gone).omitted, [/^Custom subjects and delivery tables are left out/])
})

t.test('export omits secret values of Resources and the URLs of destinations, and names the omitted values', async t => {
  const meta = { url: 'https://example.com', data: 'hunter2', locations: ['aaaa'], interval_value: 5 }
  const { files, omitted } = exportFiles({
    ...present,
    resources: [{ ...resource, id: 'r1', key: 'shop', template: 'website-check@1', meta }],
  })
  t.notMatch(JSON.stringify(files), /hunter2/)
  t.match(omitted, [/^The answer data of the monitor shop is a secret/])
  t.match(files.find(({ path }) => path === 'monitors.yaml')?.text, /locations:\n +- local\n/)
})

t.test('export reports a monitor with authored rules, which files cannot express', async t => {
  const classic = present.classic && { ...present.classic, customMonitors: ['shop'] }
  t.match(exportFiles({ ...present, classic }).omitted, [/^The monitor shop has signals and rules of its own/])
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
