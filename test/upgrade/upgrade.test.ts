// The real program on the data folders and MongoDB dumps that releases left behind: nothing is lost, nothing is told twice, every monitor is
// checked within its interval. `make.ts` makes them.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { day, minute, second } from '#shared/limits/limits.ts'
import { eventually, runProgram, temporaryFolder } from '../infra/run-program.ts'
import { sharedMongodb } from '../support/store/secantus.ts'
import { restoreDatabase } from './dump.ts'
import { startPlaces } from './places.ts'

interface Left {
  madeAt: string
  workspaceId: string
  /** Ids of Resources, of open and of closed incidents. */
  resources: string[]
  open: string[]
  closed: string[]
  /** Records of each incident, as generation 3 returned them, oldest first. */
  history: Record<string, object[]>
  /** Idempotency keys of messages that a receiver has accepted, and of messages that none has accepted yet. */
  told: string[]
  underWay: string[]
}

/** Age from which on messages that were under way are no longer stored, and age at which the first key has ended. */
const forgottenMs = 13 * day
const keyMs = 179 * day
/** Interval of all websites, and time that a busy machine may take in addition. */
const intervalMs = 1 * minute
const graceMs = 15 * second

for (const file of globSync('left-by-*.tar.gz', { cwd: import.meta.dirname })) {
  t.test(`${file}: nothing is lost, nothing is told twice, every monitor is checked`, async t => {
    const folder = temporaryFolder(t)
    execFileSync('tar', ['-xzf', join(import.meta.dirname, file), '-C', folder])
    const left = JSON.parse(readFileSync(join(folder, 'list.json'), 'utf8')) as Left
    const { server, messages, allChecked } = await startPlaces(200)
    t.teardown(() => server.close())
    t.teardown(() => server.closeAllConnections())
    const dataFolder = join(folder, 'data')
    const dump = join(dataFolder, 'dump.json')
    const mongodbUrl = existsSync(dump) ? await sharedMongodb(t) : ''
    if (mongodbUrl === null) return t.comment('skipped: no server of the MongoDB wire protocol')
    if (mongodbUrl !== '') await restoreDatabase(mongodbUrl, readFileSync(dump, 'utf8'))
    const settings = { DATA_DIR: dataFolder, MONGODB_URL: mongodbUrl }
    const program = runProgram(t, ['start'], settings)
    const [, url = ''] = await program.says(/listens on (http:\S+?);/)
    const ageMs = Date.now() - Date.parse(left.madeAt)
    const kept = () => readFileSync(join(dataFolder, 'first-key'), 'utf8')
    const made = () => runProgram(t, ['key', 'create'], settings).ended.then(({ stdout }) => stdout)
    const key = ageMs < keyMs ? kept() : await made()
    const headers = { authorization: `Bearer ${key.trim()}` }
    const read = async <Result>(path: string): Promise<Result> => {
      const response = await fetch(`${url}/api/v3/workspaces/${left.workspaceId}/${path}`, { headers })
      t.equal(response.status, 200, `the key is valid for ${path}`)
      return ((await response.json()) as { result: Result }).result
    }
    const idsOf = async (path: string) => (await read<{ id: string }[]>(path)).map(({ id }) => id).sort()
    const listeningSince = performance.now()
    await allChecked
    t.ok(performance.now() - listeningSince < intervalMs + graceMs, 'every website is checked within its interval')
    const received = () => messages.map(({ key }) => key)
    if (ageMs < forgottenMs)
      await eventually('what was under way arrives', () => left.underWay.every(key => received().includes(key)))
    t.strictSame(await idsOf('resources?limit=100'), left.resources.sort())
    t.strictSame(await idsOf('incidents?lifecycle=open'), left.open.sort())
    t.strictSame(await idsOf('incidents?lifecycle=closed'), left.closed.sort())
    // Open incidents may have later records. Objects may have more members than in the release.
    for (const [id, records] of Object.entries(left.history)) {
      const { history: now } = await read<{ history: object[] }>(`incidents/${id}`)
      t.match(now.slice(0, records.length), records, `history of ${id}`)
      if (left.closed.includes(id)) t.equal(now.length, records.length)
    }
    t.strictSame(
      left.told.filter(key => received().includes(key) && !left.underWay.includes(key)),
      [],
      'what was told is not told again',
    )
    t.equal(new Set(messages.map(({ hook, key }) => `${hook} ${key}`)).size, messages.length, 'no receiver gets a message twice')
  })
}
