// The mark of the embedded store: never ahead of the file when a process is killed, never far behind, and what a look at a file sees.
import { spawn } from 'node:child_process'
import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { openSqliteStore } from '#shared/store/sqlite.ts'
import { type InspectedFile, inspectSqliteFile } from '#shared/store/sqlite-inspect.ts'
import { markPath, readMark } from '#shared/store/sqlite-mark.ts'
import { subject } from './documents.ts'

const writer = join(import.meta.dirname, 'endless-writer.ts')
const inspect = (file: string) => inspectSqliteFile(file, 'installation', false)
const lacking = ({ commits, leastCommits }: InspectedFile) => leastCommits - commits

/** Lets a process write until it has answered some more rounds, and kills it. Returns the last round that it answered. */
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

t.test('the mark of a store that is killed again and again is never ahead of its file, and at most a commit behind', async t => {
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

/** A process that is killed between a commit and its mark leaves a mark that knows one commit less: then it writes again. */
async function writeUntilMarked(t: { teardown(run: () => unknown): void }, file: string): Promise<InspectedFile> {
  for (let tries = 0; tries < 20; tries++) {
    await writeAndKill(t, file, 60)
    const found = inspect(file)
    if (found.leastCommits === found.commits) return found
  }
  throw new Error('the mark was behind its file after each of 20 kills')
}

t.test('a look at a file says what it lacks after damage, and after a reboot what was flushed counts', async t => {
  const folder = t.testdir({ written: {} })
  const written = join(folder, 'written', 'watchkeeper.db')
  const whole = await writeUntilMarked(t, written)
  const wal = `${written}-wal`
  const damages: [name: string, damage: (file: string) => void, lacks: boolean, lacksAfterReboot: boolean][] = [
    ['none', () => undefined, false, false],
    ['no log', file => rmSync(`${file}-wal`), true, true],
    ['half a log', file => truncateSync(`${file}-wal`, statSync(wal).size / 2), true, true],
    ['garbage for a log', file => writeFileSync(`${file}-wal`, Buffer.alloc(statSync(wal).size, 7)), true, true],
    ['the last commit', file => truncateSync(`${file}-wal`, statSync(wal).size - 1), true, false],
    ['no mark', file => rmSync(markPath(file)), false, false],
    ['half a mark', file => truncateSync(markPath(file), 64), false, false],
  ]
  for (const [name, damage, lacks, lacksAfterReboot] of damages) {
    const at = join(folder, 'damaged')
    cpSync(join(folder, 'written'), at, { recursive: true })
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

t.test('commits are counted when something changed, and a closed store has a mark that says all', async t => {
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
