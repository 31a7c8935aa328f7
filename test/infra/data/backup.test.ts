// Backup of an installation that takes writes meanwhile, and the content after a restoration. All programs are real processes.
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { eventually, type Program, runProgram, temporaryFolder } from '../run-program.ts'

interface Answer<T> {
  result: T
  error: { code: number } | null
}

async function apiOf(program: Program, dataFolder: string) {
  const [, url = ''] = await program.says(/listens on (http:\S+?);/)
  const key = readFileSync(join(dataFolder, 'first-key'), 'utf8').trim()
  return async <T>(route: string, body?: object): Promise<Answer<T>> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const sent = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
    return (await (await fetch(`${url}/api${route}`, sent)).json()) as Answer<T>
  }
}

t.test('backup under load contains every write that was acknowledged before the backup began, and can be restored', async t => {
  const folder = temporaryFolder(t)
  const [dataFolder, backup, elsewhere] = [join(folder, 'data'), join(folder, 'backup'), join(folder, 'elsewhere')]
  const program = runProgram(t, ['start'], { DATA_DIR: dataFolder })
  const api = await apiOf(program, dataFolder)
  let status = 503
  const website = createServer((_, response) => response.writeHead(status).end()).listen(0, '127.0.0.1')
  t.teardown(() => website.close())
  const [workspace] = (await api<{ id: string }[]>('/v2/workspaces')).result
  const monitor = await api('/v2/monitoring/websites', {
    workspace_id: workspace?.id,
    name: 'a website',
    interval: 60,
    request: { url: `http://127.0.0.1:${(website.address() as AddressInfo).port}/`, method: 'GET' },
    response: { statuses: [200] },
    locations: ['local'],
  })
  t.equal(monitor.error, null)
  const incidents = `/v2/incidents?workspace_id=${workspace?.id}`
  await eventually('its trouble is known', async () => (await api<unknown[]>(incidents)).result.length === 1)

  const acknowledged: string[] = []
  let isWriting = true
  const write = async (writer: number) => {
    for (let n = 0; isWriting; n++) {
      const { result, error } = await api<{ id: string }>('/v2/subjects', { workspace_id: workspace?.id, name: `${writer}.${n}` })
      if (error) throw new Error(JSON.stringify(error))
      acknowledged.push(result.id)
    }
  }
  const writing = Promise.all([write(0), write(1), write(2)])
  await eventually('much is written', () => acknowledged.length > 50)
  const begun = [...acknowledged]
  const command = (...args: string[]) => runProgram(t, args, { DATA_DIR: dataFolder }).ended
  const made = await command('backup', backup)
  t.match(made, { code: 0, stdout: /^The backup of the installation \w{16} of \S+Z is \S+, \d+ bytes\.\n$/ })
  t.ok(acknowledged.length > begun.length, 'writes went on meanwhile')
  isWriting = false
  await writing
  program.child.kill('SIGKILL')
  await program.ended

  t.equal((statSync(backup).mode & 0o777).toString(8), '600')
  t.same(
    readdirSync(dataFolder).filter(name => name.startsWith('backup')),
    [],
  )
  const restored = await runProgram(t, ['restore', backup, '--data-dir', elsewhere, '--json']).ended
  t.match(restored, { code: 0, stderr: '' })
  t.match(JSON.parse(restored.stdout), { data_dir: elsewhere, installation_id: /^\w{16}$/ })
  t.same(readdirSync(elsewhere).sort(), ['bus', 'first-key', 'secrets.key', 'start-lock', 'watchkeeper.db'])
  for (const name of readdirSync(elsewhere)) t.equal(statSync(join(elsewhere, name)).mode & 0o077, 0, name)
  const keys = (at: string) => readFileSync(join(at, 'bus', 'keys.json'), 'utf8')
  t.equal(keys(elsewhere), keys(dataFolder), 'credentials of probers stay good')

  status = 200
  const second = runProgram(t, ['start'], { DATA_DIR: elsewhere })
  const after = await apiOf(second, elsewhere)
  t.match(second.stdout(), /^The bus has nothing of this installation and begins anew: /m)
  const lost: string[] = []
  for (const id of begun) if ((await after(`/v2/subjects/${id}?workspace_id=${workspace?.id}`)).error) lost.push(id)
  t.same(lost, [], 'nothing that was acknowledged is missing')
  t.equal((await after<{ id: string }[]>('/v2/workspaces')).result[0]?.id, workspace?.id)
  const isRecovering = async () => (await after<{ status: string }[]>(incidents)).result[0]?.status === 'recovering'
  await eventually('its website is checked and judged', isRecovering)
  second.child.kill('SIGTERM')
  t.equal((await second.ended).code, 0)
  const third = runProgram(t, ['start'], { DATA_DIR: elsewhere })
  await third.says(/listens on/)
  t.notMatch(third.stdout(), /begins anew/, 'said once')
})

t.test('backup overwrites no file, and a restoration requires a complete backup and an empty folder', async t => {
  const folder = temporaryFolder(t)
  const dataFolder = join(folder, 'data')
  const at = (name: string) => join(folder, name)
  const run = (args: string[]) => runProgram(t, args, { DATA_DIR: dataFolder }).ended
  t.match(await run(['backup', at('none')]), {
    code: 3,
    stderr: /^Watchkeeper can't be reached \(nothing runs on the data folder/,
  })
  const program = runProgram(t, ['start'], { DATA_DIR: dataFolder })
  await program.says(/listens on/)
  writeFileSync(at('present'), 'mine')
  t.match(await run(['backup', at('present')]), { code: 2, stderr: /present exists: name a file that does not\.$/m })
  t.equal(readFileSync(at('present'), 'utf8'), 'mine')
  t.match(await run(['backup', at('no/folder')]), { code: 2, stderr: /^The folder \S+no does not exist\.$/m })
  t.match(await run(['backup', at('whole')]), { code: 0 })
  t.match(await run(['restore', at('whole')]), {
    code: 2,
    stderr: /^The data folder \S+data is not empty \(it has \S+\): name one /,
  })

  const restore = (file: string) => run(['restore', at(file), '--data-dir', at('restored')])
  writeFileSync(at('half'), readFileSync(at('whole')))
  truncateSync(at('half'), statSync(at('whole')).size / 2)
  writeFileSync(at('long'), 'no database '.repeat(1_000))
  mkdirSync(at('folder'))
  const noBackup = / is no backup of Watchkeeper, or not all of one: name a file that `backup` wrote\.$/m
  for (const [file, code, says] of [
    ['missing', 5, /^There is no file \S+missing\.$/m],
    ['present', 1, noBackup],
    ['long', 1, noBackup],
    ['folder', 1, noBackup],
    ['half', 1, /^The (backup|file) \S+half is damaged/],
  ] as const) {
    t.match(await restore(file), { code, stdout: '', stderr: says }, file)
    t.throws(() => readdirSync(at('restored')), { code: 'ENOENT' }, `${file} leaves nothing`)
  }
  t.match(await restore('whole'), { code: 0, stdout: /^The installation \w{16} of \S+Z is in \S+restored\. / })
})
