// Data losses that a start must not ignore. A real installation is used and killed, its files are damaged, and it is started again. The
// start fails with an error message and changes nothing. It succeeds only when the operator accepts the loss.
import { createHash } from 'node:crypto'
import { cpSync, globSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventually, runProgram, temporaryFolder } from '../run-program.ts'

const database = 'watchkeeper.db'
const log = `${database}-wal`
const mark = `${database}-mark`

/** Files that each start may write before it inspects the data. */
const notKept = /^(start-lock|lock|bus\.json|bus(\/.*)?)$/

function contentOf(folder: string): Record<string, string> {
  const files = globSync('**', { cwd: folder }).filter(name => !notKept.test(name) && statSync(join(folder, name)).isFile())
  return Object.fromEntries(
    files.sort().map(name => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
  )
}

/** Changes the boot id in the commit mark, as a power failure would do. Commits that were not flushed to disk then no longer count. */
const asAfterReboot = (folder: string) => {
  const path = join(folder, mark)
  writeFileSync(path, readFileSync(path, 'utf8').replace(/commits \S{36}/, `commits ${'0'.repeat(36)}`))
}

const remove = (folder: string, ...names: string[]) => {
  for (const name of names) rmSync(join(folder, name), { recursive: true })
}

const overwrite = (path: string, byte: number) => writeFileSync(path, Buffer.alloc(statSync(path).size, byte))

/** Damages pages of an index that the start of the installation does not read. */
function damageInside(path: string): void {
  const file = readFileSync(path)
  file.fill(0x55, 4_096 * 20, 4_096 * 24)
  writeFileSync(path, file)
}

t.test('start refuses a store that has lost data, and changes nothing', async t => {
  const folder = temporaryFolder(t)
  const used = join(folder, 'used')
  const fresh = join(folder, 'fresh')
  // SIGTERM stops the first process, so the database file contains the installation. The write-ahead log then contains only later writes.
  const young = runProgram(t, ['start'], { DATA_DIR: used })
  await young.says(/listens on/)
  young.child.kill('SIGTERM')
  await young.ended
  const program = runProgram(t, ['start'], { DATA_DIR: used })
  const [, url = ''] = await program.says(/listens on (http:\S+?);/)
  const headers = {
    authorization: `Bearer ${readFileSync(join(used, 'first-key'), 'utf8').trim()}`,
    'content-type': 'application/json',
  }
  const call = async (route: string, body?: object) => {
    const sent = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
    return (await (await fetch(`${url}/api${route}`, sent)).json()) as { result: { id: string }[]; error: unknown }
  }
  const [workspace] = (await call('/v2/workspaces')).result
  const makeSubjects = async (from: number, to: number) => {
    for (let n = from; n < to; n++) {
      const made = await call('/v2/subjects', { workspace_id: workspace?.id, name: `subject ${n}` })
      if (made.error) throw new Error(JSON.stringify(made.error))
    }
  }
  const durable = () => Number(/(\d+) durable/.exec(readFileSync(join(used, mark), 'utf8'))?.[1])
  const before = durable()
  // Makes only few writes: after many writes, a SQLite checkpoint would restart the log and leave its second half unused.
  await makeSubjects(0, 24)
  await eventually('the subjects are flushed', () => durable() >= before + 24)
  const flushedBytes = statSync(join(used, log)).size
  await makeSubjects(24, 36)
  program.child.kill('SIGKILL')
  await program.ended
  t.ok(statSync(join(used, log)).size > flushedBytes, 'the last commits lie in the log alone')

  const other = runProgram(t, ['start'], { DATA_DIR: fresh })
  await other.says(/listens on/)
  other.child.kill('SIGTERM')
  await other.ended

  const lacks = /^The database \S+watchkeeper\.db lacks the last \d+ of \d+ commits: .* --accept-loss /
  const missing =
    /^The database \S+watchkeeper\.db is missing or empty, but the data folder was in use .*\.\/watchkeeper restore <file> .* --accept-loss /
  const isNew =
    /^The database \S+watchkeeper\.db is new, but the bus has worked with the store of the installation \w+: .* --accept-loss /
  interface Case {
    name: string
    damage(folder: string): unknown
    /** Error message of the refused start; null: the installation starts. */
    says: RegExp | null
    /** The start succeeds when the loss is accepted. `once`: later starts need no acceptance; `still`: each start needs acceptance. */
    accepted?: 'once' | 'still'
    prints?: RegExp
  }
  const cases: Case[] = [
    { name: 'nothing', damage: () => undefined, says: null },
    {
      name: 'no bus',
      damage: at => remove(at, 'bus'),
      says: null,
      prints: /^The bus has nothing of this/m,
    },
    { name: 'no log', damage: at => remove(at, log), says: lacks },
    {
      name: 'half of the log',
      damage: at => truncateSync(join(at, log), statSync(join(at, log)).size / 2),
      says: lacks,
      accepted: 'once',
    },
    { name: 'garbage for a log', damage: at => overwrite(join(at, log), 7), says: lacks },
    { name: 'an empty log', damage: at => truncateSync(join(at, log)), says: lacks },
    { name: 'the last commit alone', damage: at => truncateSync(join(at, log), statSync(join(at, log)).size - 1), says: lacks },
    { name: 'no log after a reboot', damage: at => [asAfterReboot(at), remove(at, log)], says: lacks },
    {
      name: 'what a power failure costs',
      damage: at => [asAfterReboot(at), truncateSync(join(at, log), flushedBytes)],
      says: null,
    },
    { name: 'no log and no mark', damage: at => remove(at, log, mark), says: lacks },
    { name: 'no database', damage: at => remove(at, database), says: missing, accepted: 'once' },
    { name: 'an empty database', damage: at => truncateSync(join(at, database)), says: missing },
    {
      name: 'no database, log, mark or first key',
      damage: at => remove(at, database, log, mark, 'first-key'),
      says: isNew,
      accepted: 'once',
    },
    {
      name: 'garbage for a database',
      damage: at => overwrite(join(at, database), 7),
      says: /^The file \S+watchkeeper\.db is damaged or none of Watchkeeper's .*: restore it from a backup, /,
    },
    {
      name: 'pages of the database',
      damage: at => damageInside(join(at, database)),
      says: /^The file \S+watchkeeper\.db is damaged \(\w.*\): restore it from a backup, or start with --accept-loss /,
      accepted: 'still',
    },
    {
      name: 'the database of another installation',
      damage: at => {
        remove(at, log, mark)
        cpSync(join(fresh, database), join(at, database))
      },
      says: /^The database \S+ is that of the installation \w+, but the bus is that of \w+: .* --accept-loss /,
      accepted: 'once',
    },
    {
      name: 'the keys of the bus',
      damage: at => remove(at, 'bus/keys.json'),
      says: /^The keys of the bus in \S+keys\.json are missing: put a copy back, or start with --accept-loss, /,
      accepted: 'once',
    },
  ]
  for (const { name, damage, says, accepted, prints } of cases) {
    await t.test(name, async t => {
      const at = join(folder, 'damaged')
      rmSync(at, { recursive: true, force: true })
      cpSync(used, at, { recursive: true })
      damage(at)
      const found = contentOf(at)
      const start = (...options: string[]) => runProgram(t, ['start', ...options], { DATA_DIR: at, LOG_LEVEL: 'error' })
      const starts = async (...options: string[]) => {
        const started = start(...options)
        await started.says(/listens on/)
        started.child.kill('SIGTERM')
        const { code, stdout } = await started.ended
        t.equal(code, 0)
        return stdout
      }
      if (says === null) return t.match(await starts(), prints ?? /listens on/)
      const refused = await start().ended
      t.match(refused, { code: 1, stderr: says })
      t.equal(refused.stderr.trim().split('\n').length, 1, 'one line')
      t.same(contentOf(at), found, 'nothing is changed')
      if (accepted === undefined) return
      await starts('--accept-loss')
      const keys = globSync('first-key*', { cwd: at }).map(file => readFileSync(join(at, file), 'utf8'))
      if ('first-key' in found) t.ok(keys.includes(readFileSync(join(used, 'first-key'), 'utf8')), 'the first key is kept')
      if (accepted === 'once') await starts()
    })
  }
})
