// Backup of an installation with MongoDB, its restoration to a database and to a folder, and the start on a database that was set back. All
// programs are real processes. The server of the test reads the present in every session, so it cannot be read as of one instant.
import { readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { keys } from '#shared/bus/subjects.ts'
import { newSealingKey } from '#shared/secrecy/seals.ts'
import { startTestBus } from '../../support/bus/nats.ts'
import { sharedMongodb } from '../../support/store/secantus.ts'
import { eventually, type Program, runProgram, temporaryFolder } from '../run-program.ts'

interface Answer<T> {
  result: T
  error: { code: number } | null
}

t.test(
  'backup of a cluster is the file of one box, and a database that was set back is noticed',
  { timeout: 400_000 },
  async t => {
    const mongodbUrl = await sharedMongodb(t)
    const otherUrl = await sharedMongodb(t)
    if (mongodbUrl === null || otherUrl === null) return t.comment('skipped: no server of the MongoDB wire protocol')
    const testBus = await startTestBus()
    t.teardown(() => testBus.stop())
    const bus = await testBus.connect('test')
    const folder = temporaryFolder(t)
    const at = (name: string) => join(folder, name)
    const settings = {
      DATA_DIR: at('data'),
      MONGODB_URL: mongodbUrl,
      NATS_URL: testBus.url,
      NATS_TOKEN: testBus.token,
      SQIDS_SALT: 'a salt of this cluster',
      SECRETS_KEY: newSealingKey(),
    }
    const command = (words: string[], more: Record<string, string> = {}) => runProgram(t, words, { ...settings, ...more }).ended
    const website = createServer((_, response) => response.end('well')).listen(0, '127.0.0.1')
    t.teardown(() => website.close())

    const first = runProgram(t, ['start'], settings)
    const api = await apiOf(first, at('data'))
    const [workspace] = (await api<{ id: string }[]>('/v2/workspaces')).result
    const [location] = (await api<{ id: string }[]>('/v2/locations')).result
    const url = `http://127.0.0.1:${(website.address() as AddressInfo).port}/`
    const answers = { url, interval_value: 1, interval_unit: 'MINUTE', locations: [location?.id] }
    await api(`/v3/workspaces/${workspace?.id}/resources`, {
      template: 'website-check',
      key: 'site',
      name: 'Site',
      meta: answers,
    })
    t.match(await command(['backup', at('backup')]), {
      code: 4,
      stderr: /can not be read as of one instant: .* Or stop all directories, keepers and notifiers for the backup\.$/m,
    })
    await stop(first)
    const made = await command(['backup', at('backup'), '--json'])
    t.match(made, { code: 0, stderr: '' })
    t.equal(statSync(at('backup')).mode & 0o077, 0, 'for this user alone')
    const known = async () =>
      ((await bus.bucket('installation').get(keys.installation))?.value as { commits: number | null } | undefined)?.commits ?? 0
    const before = await known()

    const second = runProgram(t, ['start'], settings)
    await apiOf(second, at('data'))
    await eventually('the bus knows of later checkpoints', async () => (await known()) > before + 1)
    await stop(second)
    t.match(await command(['restore', at('backup'), '--to', otherUrl]), {
      code: 0,
      stdout: /^The installation \w{16} of \S+ is in mongodb:/,
    })
    t.match(await command(['restore', at('backup'), '--to', mongodbUrl]), { code: 4, stderr: /is not empty/ })
    const there = { ...settings, MONGODB_URL: otherUrl }
    t.match(await command(['start'], there), { code: 1, stderr: /was set back to an earlier state: .* --accept-loss/ })
    const accepted = runProgram(t, ['start', '--accept-loss'], there)
    const later = await apiOf(accepted, at('data'))
    t.equal((await later<{ name: string }[]>(`/v3/workspaces/${workspace?.id}/resources`)).result[0]?.name, 'Site')
    await stop(accepted)

    t.match(await command(['restore', at('backup'), '--data-dir', at('box')]), { code: 0 })
    t.equal(readFileSync(join(at('box'), 'secrets.key'), 'utf8').trim(), settings.SECRETS_KEY)
    const box = runProgram(t, ['start'], { DATA_DIR: at('box') })
    const alone = await apiOf(box, at('box'))
    t.equal((await alone<{ name: string }[]>(`/v3/workspaces/${workspace?.id}/resources`)).result[0]?.name, 'Site')

    const secrets = await command(['cluster', 'secrets', at('secrets'), '--of', at('backup')], {
      SECRETS_KEY: '',
      SQIDS_SALT: '',
    })
    t.match(secrets, { code: 0 })
    const kept = ['salt.env', 'secrets.env'].map(name => readFileSync(join(at('secrets'), name), 'utf8'))
    t.same(
      kept,
      [`SQIDS_SALT=${settings.SQIDS_SALT}\n`, `SECRETS_KEY=${settings.SECRETS_KEY}\n`],
      'a cluster can have its secrets',
    )
  },
)

async function apiOf(program: Program, dataFolder: string) {
  const [, url = ''] = await program.says(/listens on (http:\S+?);/)
  const key = readFileSync(join(dataFolder, 'first-key'), 'utf8').trim()
  return async <T>(route: string, body?: object): Promise<Answer<T>> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const sent = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
    const response = await fetch(`${url}/api${route}`, sent)
    return (await response.json()) as Answer<T>
  }
}

async function stop(program: Program): Promise<void> {
  program.child.kill('SIGTERM')
  await program.ended
}
