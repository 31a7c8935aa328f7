// Makes what a release leaves behind, for upgrade.test.ts: `node test/upgrade/make.ts <release> [<checkout of it>] [mongodb]`. Starts the real
// program, makes every kind of thing, stops it in the middle of deliveries, and packs its data folder with a list of its content; with
// `mongodb` also a dump of its database over the wire protocol of MongoDB. Run it twice for each release, with and without `mongodb`, in the
// release's own checkout or with the path of one.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { eventually } from '../infra/run-program.ts'
import { startSecantus } from '../support/store/secantus.ts'
import { dumpDatabase } from './dump.ts'
import { hook, lateHook, place, startPlaces, websites } from './places.ts'

const [, , release = '', checkout = '.', storeKind = 'sqlite'] = process.argv
if (!/^\d+\.\d+\.\d+$/.test(release)) throw new Error('Name the release, such as 2.0.0.')
const folder = mkdtempSync(join(tmpdir(), 'watchkeeper-left-'))
const dataFolder = join(folder, 'data')
const secantus = storeKind === 'mongodb' ? await startSecantus() : null
if (storeKind === 'mongodb' && secantus === null) throw new Error('There is no server of the MongoDB wire protocol.')
const mongodbUrl = secantus === null ? null : `${secantus.url}/left`
const { server, messages, checked } = await startPlaces(503)
const program = spawn(process.execPath, ['infra/cli/main.ts', 'start'], {
  cwd: resolve(checkout),
  env: {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    PORT: '0',
    OPS_PORT: '0',
    DATA_DIR: dataFolder,
    LOG_LEVEL: 'error',
    ...(mongodbUrl === null ? {} : { MONGODB_URL: mongodbUrl }),
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
let said = ''
program.stdout.on('data', chunk => (said += chunk))
await eventually('it listens', () => /listens on \S+;/.test(said))
const api = `${/listens on (\S+);/.exec(said)?.[1]}/api`
const key = readFileSync(join(dataFolder, 'first-key'), 'utf8').trim()

async function call<T>(path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const sent = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(`${api}${path}`, sent)
  const text = await response.text()
  const { result, data, error } = JSON.parse(text || '{}')
  if (error || !response.ok) throw new Error(`${path}: ${text}`)
  return result ?? data
}

const [workspace] = await call<{ id: string }[]>('/v2/workspaces')
const workspaceId = workspace?.id ?? ''
const v3 = `/v3/workspaces/${workspaceId}`
const inWorkspace = `?workspace_id=${workspaceId}`
const destinations: number[] = []
for (const [name, url] of [
  ['hook', hook],
  ['late hook', lateHook],
]) {
  const destination = { workspace_id: workspaceId, name, destination_type: 'webhook', url }
  destinations.push((await call<{ id: number }>('/v2/notifications/destinations', destination)).id)
}

// Website monitors: two by generation 2, whose trouble stays unconfirmed, and two by generation 3.
for (const path of [websites[0], websites[2]]) {
  const request = { url: place(path ?? ''), method: 'GET' }
  const monitor = { name: `site ${path}`, interval: 60, request, response: { statuses: [200] }, locations: ['local'] }
  await call('/v2/monitoring/websites', { workspace_id: workspaceId, ...monitor })
}
const [watched] = await call<{ meta: { locations: string[] } }[]>(`${v3}/resources`)
for (const path of [websites[1], websites[3]]) {
  const answers = {
    url: place(path ?? ''),
    interval_value: 1,
    locations: watched?.meta.locations,
    confirm_after: 1,
    recover_after: 1,
  }
  await call(`${v3}/resources`, { template: 'website-check', key: path?.slice(1), name: `site ${path}`, meta: answers })
}

// A custom subject: one incident that is closed, and one that is open and whose second receiver has not accepted its message.
await call('/v2/subjects', { workspace_id: workspaceId, name: 'Nightly backup' })
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
for (const status of ['problem', 'ok', 'problem']) {
  await call(`${subject}/signals/run/observations${inWorkspace}`, { status, error: status === 'ok' ? '' : 'disk full' })
}

// A Resource of a Template, with an open incident that somebody has acknowledged.
const template = {
  key: 'queue',
  version: 1,
  name: 'Queue',
  signals: [{ key: 'jobs', kind: 'event' }],
  rules: [
    {
      key: 'failing',
      action: 'Look at the log of the sender.',
      wait: { confirm_after: 0, recover_after: 0 },
      decision: { signal: 'jobs', field: 'status', operator: 'eq', operand: 'problem' },
    },
  ],
}
await call(`${v3}/templates`, template)
await call(`${v3}/resources`, { template: 'queue', key: 'mail', name: 'Mail queue' })
await call(`${v3}/resources/mail/observations`, { signal: 'jobs', state: 'problem' })
const incidentsOf = (of: string) => call<{ id: string; resource: { key: string } }[]>(`${v3}/incidents?lifecycle=${of}`)
const mail = (await incidentsOf('open')).find(({ resource }) => resource.key === 'mail')
await call(`${v3}/incidents/${mail?.id}/acknowledge`, {})

await eventually('every website is checked', () => websites.every(path => checked.has(path)))
await eventually(
  'five incidents are there',
  async () => (await incidentsOf('open')).length === 4 && (await incidentsOf('closed')).length === 1,
)
const told = () => new Set(messages.filter(message => message.hook === '/hook').map(message => message.key))
await eventually(
  'everything is told that can be',
  () => told().size === 5 && messages.some(message => message.hook === '/late-hook'),
)

const [open, closed] = [await incidentsOf('open'), await incidentsOf('closed')]
const history: Record<string, object[]> = {}
for (const { id } of [...open, ...closed]) history[id] = (await call<{ history: object[] }>(`${v3}/incidents/${id}`)).history
const list = {
  release,
  madeAt: new Date().toISOString(),
  workspaceId,
  resources: (await call<{ id: string }[]>(`${v3}/resources?limit=100`)).map(({ id }) => id),
  open: open.map(({ id }) => id),
  closed: closed.map(({ id }) => id),
  history,
  told: [...told()],
  underWay: [...new Set(messages.filter(message => message.hook === '/late-hook').map(message => message.key))],
}
program.kill('SIGTERM')
await once(program, 'exit')
server.closeAllConnections()
server.close()

if (mongodbUrl === null) {
  const database = new DatabaseSync(join(dataFolder, 'watchkeeper.db'))
  database.exec('VACUUM')
  database.close()
} else writeFileSync(join(dataFolder, 'dump.json'), await dumpDatabase(mongodbUrl))
await secantus?.stop()
// Every start writes these files again; they name paths of this machine.
for (const name of ['nats-server.conf', 'nats-server.pid']) rmSync(join(dataFolder, 'bus', name), { force: true })
writeFileSync(join(folder, 'list.json'), `${JSON.stringify(list, null, 2)}\n`)
const target = join(import.meta.dirname, `left-by-${release}${mongodbUrl === null ? '' : '-on-mongodb'}.tar.gz`)
execFileSync('tar', ['-czf', target, '-C', folder, 'list.json', 'data'])
rmSync(folder, { recursive: true })
process.stdout.write(`${target}: ${statSync(target).size} bytes\n`)
