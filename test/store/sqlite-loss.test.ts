// The commit mark of the embedded store. When a process is killed, the mark is never newer than the file, and at most one commit older.
// Also tests the inspection of a file.
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { type InspectedFile, inspectSqliteFile } from '#shared/store/sqlite/sqlite-inspect.ts'
import { markPath, readMark } from '#shared/store/sqlite/sqlite-mark.ts'
import { subject } from './documents.ts'

const writer = join(import.meta.dirname, 'endless-writer.ts')
const inspect = (file: string) => inspectSqliteFile(file, 'installation', false)
const lacking = ({ commits, leastCommits }: InspectedFile) => leastCommits - commits

/** Starts a writing process, and kills it after some more rounds. Returns the last round that the process printed. */
async function writeAndKill(t: { teardown(run: () => unknown): void }, file: string, rounds: number): Promise<number> {
  const child = spawn(process.execPath, [writer, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  let last = 0
  let answered = 0
  for await (const line of createInterface(child.stdout)) {
    last = Number(line)
    if (Number.isNaN(last)) throw new Error(line)
    if (++answered >= rounds && !child.killed) child.kill('SIGKILL')
  }
  return last
}

t.test('mark of a store is never newer than its file and at most one commit older when its process is killed', async t => {
  const file = join(t.testdir(), 'watchkeeper.db')
  let commits = 0
  for (let cycle = 0; cycle < 20; cycle++) {
    await writeAndKill(t, file, 1 + ((cycle * 37) % 90))
    const found = inspect(file)
    const mark = readMark(file)
    if (found.leastCommits > found.commits || found.commits - found.leastCommits > 1 || (mark?.durable ?? 0) > found.commits)
      return t.fail(`cycle ${cycle}: ${JSON.stringify({ found, mark })}`)
    t.ok(found.commits > commits, `cycle ${cycle}: ${found.commits} commits`)
    commits = found.commits
  }
})

/**
 * Returns a store whose mark counts its last commit, which was not flushed. Tries again with a new store if the process was killed between
 * a commit and its mark, or just after a flush.
 */
async function writeUntilMarked(
  t: { teardown(run: () => unknown): void },
  folder: string,
): Promise<{ file: string; found: InspectedFile }> {
  for (let tries = 0; tries < 20; tries++) {
    const file = join(mkdirSync(join(folder, `written-${tries}`), { recursive: true }) ?? '', 'watchkeeper.db')
    await writeAndKill(t, file, 60)
    const found = inspect(file)
    const durable = readMark(file)?.durable ?? 0
    if (found.leastCommits === found.commits && durable > found.commits / 2 && durable < found.commits) return { file, found }
  }
  throw new Error('no mark of 20 killed stores was as these tests need it')
}

/**
 * Bytes of a log up to the end of its last commit. After a checkpoint SQLite writes a log again from its beginning, so older frames, which
 * have another salt, may follow the last commit.
 */
function endOfLastCommit(log: string): number {
  const bytes = readFileSync(log)
  const frame = 24 + bytes.readUInt32BE(8)
  const salt = bytes.subarray(16, 24)
  let end = 32
  for (let at = 32; at + frame <= bytes.length && salt.equals(bytes.subarray(at + 8, at + 16)); at += frame)
    if (bytes.readUInt32BE(at + 4) > 0) end = at + frame
  return end
}

t.test('inspection of a file reports lost commits after damage, and after a reboot uses only the flushed mark', async t => {
  const folder = t.testdir()
  const { file: written, found: whole } = await writeUntilMarked(t, folder)
  const logEnd = endOfLastCommit(`${written}-wal`)
  const damages: [name: string, damage: (file: string) => void, lacks: boolean, lacksAfterReboot: boolean][] = [
    ['none', () => undefined, false, false],
    ['no log', file => rmSync(`${file}-wal`), true, true],
    ['half a log', file => truncateSync(`${file}-wal`, logEnd / 2), true, true],
    ['garbage for a log', file => writeFileSync(`${file}-wal`, Buffer.alloc(logEnd, 7)), true, true],
    ['the last commit', file => truncateSync(`${file}-wal`, logEnd - 1), true, false],
    ['no mark', file => rmSync(markPath(file)), false, false],
    ['half a mark', file => truncateSync(markPath(file), 64), false, false],
  ]
  for (const [name, damage, lacks, lacksAfterReboot] of damages) {
    const at = join(folder, 'damaged')
    cpSync(dirname(written), at, { recursive: true })
    const file = join(at, 'watchkeeper.db')
    damage(file)
    t.equal(lacking(inspect(file)) > 0, lacks, name)
    if (readMark(file) === null) continue
    const mark = readFileSync(markPath(file), 'utf8')
    writeFileSync(
      markPath(file),
      mark.replace(/commits \S+/, match => `commits ${'x'.repeat(match.length - 8)}`),
    )
    t.equal(lacking(inspect(file)) > 0, lacksAfterReboot, `${name}, after a reboot`)
    t.ok((readMark(file)?.durable ?? 0) > 0)
    rmSync(at, { recursive: true })
  }
  t.equal(lacking(inspect(written)), 0)
  t.equal(inspect(written).commits, whole.commits, 'a look changes nothing')
})

t.test('mark counts only commits with changes, and closing the store writes the last count', async t => {
  const file = join(t.testdir(), 'watchkeeper.db')
  const store = await openSqliteStore(file)
  const before = await store.embedded?.flush()
  await store.ping()
  await store.find('subjects', { limit: 1 })
  await store.delete('subjects', ['nobody'])
  await store.replace('subjects', [subject('refused', { rev: 7 })])
  t.equal(await store.embedded?.flush(), before, 'nothing was written')
  await store.insert('subjects', [subject('one')])
  await store.insert('subjects', [subject('two')])
  await store.delete('subjects', ['one'])
  t.equal(await store.embedded?.flush(), (before ?? 0) + 3)
  await store.insert('subjects', [subject('three')])
  await store.close()
  t.match(inspect(file), { exists: true, hasMark: true, commits: (before ?? 0) + 4, leastCommits: (before ?? 0) + 4 })
  t.equal(readMark(file)?.durable, (before ?? 0) + 4)
})
