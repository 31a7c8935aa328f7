// The data folder has one holder, and its files are complete even if a process dies at any moment.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import t from 'tap'
import { takeDataFolder, writeSecretFile } from '../../../infra/runtime/data/data-folder.ts'
import { runProgram } from '../run-program.ts'

t.test('exactly one of several processes gets the folder when all find its lock abandoned', async t => {
  const takers = Array.from({ length: 4 }, () => startTaker(t))
  const all = t.testdir()
  for (let round = 0; round < 40; round++) {
    const folder = join(all, String(round))
    mkdirSync(folder)
    writeFileSync(join(folder, 'lock'), '4194305 gone before')
    const answers = await Promise.all(takers.map(take => take(folder)))
    if (answers.filter(taken => taken === 'true').length !== 1) return t.fail(`round ${round}: ${answers.join()}`)
    t.same(readdirSync(folder), ['lock', 'start-lock'], 'and nothing else is left')
  }
})

t.test('lock does not block when its holder has ended', async t => {
  const path = t.testdir({ lock: '' })
  const folder = await takeDataFolder(path, 'me')
  await t.rejects(takeDataFolder(path, 'me'), { message: /is in use by process/ })
  await folder.release()
  t.same(readdirSync(path), ['start-lock'])
})

t.test('file that is rewritten is never missing or partial', async t => {
  const folder = t.testdir({ secret: 'before' })
  const file = join(folder, 'secret')
  const content = 'x'.repeat(1_000_000)
  let isWritten = false
  const writing = writeSecretFile(file, content).then(() => {
    isWritten = true
  })
  const seen = new Set<string>()
  while (!isWritten) {
    seen.add(readFileSync(file, 'utf8'))
    await new Promise(setImmediate)
  }
  await writing
  t.same(
    [...seen].filter(text => text !== 'before' && text !== content),
    [],
  )
  mkdirSync(join(folder, 'full', 'x'), { recursive: true })
  await t.rejects(writeSecretFile(join(folder, 'full'), content))
  t.same(readdirSync(folder).sort(), ['full', 'secret'], 'what could not be put in its place is gone')
})

t.test('start fails when it cannot write bus.json, and a command fails when bus.json is damaged', async t => {
  const folder = t.testdir({ unwritable: { 'bus.json': { x: '' } }, damaged: { 'bus.json': '{"url":"nats:' } })
  const start = await runProgram(t, ['start'], { DATA_DIR: join(folder, 'unwritable') }).ended
  t.match(start, { code: 1, stderr: /^The file \S+bus\.json can't be written \(\w+\): correct DATA_DIR/m })
  const list = await runProgram(t, ['key', 'list', '--json'], { DATA_DIR: join(folder, 'damaged') }).ended
  t.match(list, { code: 3, stdout: '', stderr: /^Watchkeeper can't be reached \(The file \S+bus\.json is damaged\): start it/ })
})

t.test('command reports that it cannot reach the program of its data folder', async t => {
  const closed = { url: 'nats://127.0.0.1:1', token: '', credentialsFile: '', ownMachine: true }
  const folder = t.testdir({
    empty: {},
    other: { 'bus.json': '[]' },
    unreadable: { 'bus.json': {} },
    killed: { 'bus.json': JSON.stringify(closed) },
  })
  for (const [name, why] of [
    ['empty', /^nothing runs on the data folder \S+$/],
    ['missing', /^nothing runs on the data folder \S+$/],
    ['other', /^The file \S+bus\.json is damaged$/],
    ['unreadable', /^The file \S+bus\.json can't be read \(EISDIR\): the user that runs Watchkeeper can$/],
    ['killed', /^The bus at 127\.0\.0\.1:1 does not answer \(connection refused\)$/],
  ] as const) {
    const { code, stderr } = await runProgram(t, ['key', 'list'], { DATA_DIR: join(folder, name) }).ended
    t.equal(code, 3, name)
    const [, said = ''] = /^Watchkeeper can't be reached \((.*)\): start it, or set DATA_DIR or NATS_URL\.\n$/.exec(stderr) ?? []
    t.match(said, why, `${name}: ${stderr}`)
  }
})

t.test('command that creates keys of a bus refuses a folder that exists already', async t => {
  const folder = t.testdir({ keys: { present: '' } })
  t.match(await runProgram(t, ['bus', 'keys', join(folder, 'keys')]).ended, { code: 2, stderr: /name one that does not exist/ })
  t.same(readdirSync(folder), ['keys'])
  t.same(readdirSync(join(folder, 'keys')), ['present'])
})

function startTaker(t: { teardown(run: () => unknown): void }): (folder: string) => Promise<string | undefined> {
  const program = join(import.meta.dirname, 'folder-taker.ts')
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(process.execPath, [program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.teardown(() => child.stdin.end())
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return async folder => {
    child.stdin.write(`${folder}\n`)
    return (await lines.next()).value
  }
}
