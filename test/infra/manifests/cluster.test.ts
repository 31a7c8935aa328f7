// The same program as a cluster: one process for each service, with a shared bus and store (a real nats-server, and SecantusDB, which
// speaks MongoDB's wire protocol). All on loopback.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { obtainNatsServer, startNatsServer } from '../../../infra/runtime/bus/nats-server.ts'
import { startSecantus } from '../../support/store/secantus.ts'
import { eventually, type Program, runProgram, temporaryFolder } from '../run-program.ts'

const root = join(import.meta.dirname, '..', '..', '..')

t.test('five processes with one service each are one installation', async t => {
  const folder = temporaryFolder(t)
  const secantus = await startSecantus()
  if (secantus === null) return t.comment('no MongoDB to talk to')
  t.teardown(() => secantus.stop())
  const binary = await obtainNatsServer({ toolsFolder: join(root, '.tools'), log: line => t.comment(line) })
  const nats = await startNatsServer({ binary, dataFolder: folder, port: 0 })
  t.teardown(() => nats.stop())
  const shared = { NATS_URL: nats.url, NATS_TOKEN: nats.token }
  const stored = { ...shared, MONGODB_URL: `${secantus.url}/cluster`, SQIDS_SALT: 'the salt', DATA_DIR: join(folder, 'data') }

  const directory = runProgram(t, ['start'], { ...stored, SERVICES: 'directory' })
  await directory.says(/Watchkeeper 2.0.0 runs/)
  const apart: Record<string, Program> = {
    keeper: runProgram(t, ['start'], { ...stored, SERVICES: 'keeper' }),
    notifier: runProgram(t, ['start'], { ...stored, SERVICES: 'notifier' }),
    prober: runProgram(t, ['start'], { ...shared, SERVICES: 'prober' }),
    gateway: runProgram(t, ['start'], { ...shared, SERVICES: 'gateway', SQIDS_SALT: 'the salt' }),
  }
  const gateway = apart['gateway'] as Program
  const [, url = ''] = await gateway.says(/listens on (http:\S+?);/)
  await Promise.all(Object.values(apart).map(program => program.says(/readiness and metrics/)))
  for (const program of [directory, ...Object.values(apart)]) {
    const [, ops = ''] = await program.says(/metrics: (http:\S+)\/readyz/)
    await eventually('it is ready', async () => (await fetch(`${ops}/readyz`)).status === 200)
  }

  const key = readFileSync(join(folder, 'data', 'first-key'), 'utf8').trim()
  const call = async (route: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(
      `${url}/api${route}`,
      body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
    )
    return (await response.json()) as { result: never; error: unknown }
  }
  const [workspace] = (await call('/v2/workspaces')).result as { id: string }[]
  const created = await call('/v2/monitoring/websites', {
    workspace_id: workspace?.id,
    name: 'nobody listens',
    interval: 60,
    request: { url: 'http://127.0.0.1:9/', method: 'GET' },
    response: { statuses: [200] },
    locations: ['local'],
  })
  t.equal(created.error, null)
  await eventually('a check of the prober became an incident of the keeper', async () => {
    const { result } = await call(`/v2/incidents?workspace_id=${workspace?.id}`)
    return (result as { status: string; locations: { failing: string[] } }[])[0]?.locations.failing[0] === 'local'
  })

  await t.test('process whose database belongs to another installation is refused when it joins the bus', async t => {
    const other = { ...stored, MONGODB_URL: `${secantus.url}/other`, SERVICES: 'directory,keeper,notifier', LOG_LEVEL: 'error' }
    const refused = await runProgram(t, ['start'], { ...other, DATA_DIR: join(folder, 'other') }).ended
    const says = /^The database that MONGODB_URL names is new, but the bus has worked with the store of the installation \w+: /
    t.match(refused, { code: 1, stderr: says })
    const again = runProgram(t, ['start'], { ...stored, SERVICES: 'keeper' })
    await again.says(/Watchkeeper 2.0.0 runs/)
    const backup = await runProgram(t, ['backup', join(folder, 'backup')], shared).ended
    t.match(backup, {
      code: 4,
      stderr: /^Nothing that runs here has an embedded store: set MONGODB_URL to the database that it has instead\.$/m,
    })
    again.child.kill('SIGTERM')
    t.equal((await again.ended).code, 0, 'one with the same database is not')
  })

  await t.test('each process ends in order, and logs no secret of the others', async t => {
    for (const [name, program] of Object.entries({ ...apart, directory })) {
      program.child.kill('SIGTERM')
      const ended = await program.ended
      t.equal(ended.code, 0, `${name}: ${ended.stderr}`)
      for (const secret of [key, nats.token]) t.notMatch(ended.stdout + ended.stderr, secret, name)
    }
  })
})
