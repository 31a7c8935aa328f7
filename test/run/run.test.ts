// The lanes in which all tests run: a file that fails, crashes, hangs or loops counts as one failure, and the files behind it run. The table
// of what `npm test` leaves out.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readProcesses } from './processes.ts'
import { runInLanes } from './run-in-lanes.ts'
import { plan } from './shares.ts'

/** Runs files of the folder `broken` one after the other in one lane. Returns `<file> <passed> <failed>` of each, and all that was said. */
async function run(names: string[], more: { timeout?: number; graceMs?: number; only?: string } = {}) {
  const { only, ...bounds } = more
  const said: string[] = []
  const file = (name: string) => join('test', 'run', 'broken', `${name}.ts`)
  const planned = names.map(name => ({ file: file(name), ...(only === undefined ? {} : { only }) }))
  const results = await runInLanes(planned, { share: 'all', lanes: 1, timeout: 60_000, say: line => said.push(line), ...bounds })
  const ended = results.map(({ ended: path, passed, failed }) => `${path.replace(/.*\/|\.ts$/g, '')} ${passed} ${failed}`)
  return { ended, skipped: results.map(({ skipped }) => skipped), said: said.join('\n') }
}

t.test('failure is shown once with its titles, and the next file sees the environment of the start', async t => {
  const { said, ended, skipped } = await run(['fails', 'looks'])
  t.strictSame(ended, ['fails 0 1', 'looks 1 0'])
  t.strictSame(skipped, [{ 'not today': 1 }, {}])
  // What a lane prints and what it tells come by two ways, in either order.
  t.strictSame(
    said.match(/^FAILED .*(?=, )|^FAILED [^:]*$/gm)?.sort(),
    ['FAILED test/run/broken/fails.ts > fails > one is two', 'FAILED test/run/broken/fails.ts: 1 of 1 failed'],
    'the failure, and the line of the file',
  )
  t.match(said, /^ +\+1$/m, 'the difference')
})

t.test('file that ends its process or throws in a callback counts as one failure, and the next file runs', async t => {
  const { said, ended } = await run(['ends-process', 'throws-later', 'good'])
  t.strictSame(ended, ['ends-process 0 1', 'throws-later 0 1', 'good 1 0'])
  t.match(said, 'FAILED test/run/broken/ends-process.ts ended its process')
})

t.test('file that hangs or loops counts as one failure, and the next file runs', async t => {
  const { said, ended } = await run(['hangs', 'loops', 'good'], { timeout: 1_000, graceMs: 1_000 })
  t.strictSame(ended, ['hangs 0 1', 'loops 0 1', 'good 1 0'])
  t.match(said, 'FAILED test/run/broken/hangs.ts > hangs > timeout!')
  t.match(said, 'FAILED test/run/broken/loops.ts took longer than 1 s')
})

t.test('lane without a file ends', async t => t.strictSame((await run([])).ended, []))

for (const way of ['hangs', 'loops', 'ends']) {
  t.test(`programs that a file started end with a lane that ${way}`, async t => {
    const list = join(t.testdir(), 'ids')
    t.teardown(() => delete process.env['LEAVES_PROGRAMS'])
    process.env['LEAVES_PROGRAMS'] = `${way} ${list}`
    const { ended } = await run(['leaves-programs', 'good'], { timeout: 1_000, graceMs: 5_000 })
    t.strictSame(ended, ['leaves-programs 0 1', 'good 1 0'])
    const ids = readFileSync(list, 'utf8').trim().split(' ').map(Number)
    t.equal(ids.length, way === 'ends' ? 1 : 2)
    const living = new Set(readProcesses().map(({ id }) => id))
    t.notOk(ids.some(id => living.has(id)))
  })
}

t.test('what a file leaves open after the last file counts as one failure', async t => {
  const { ended } = await run(['leaves-server', 'good'], { graceMs: 1_000 })
  t.strictSame(ended, ['leaves-server 1 0', 'good 1 0', 'a lane, between or after its files 0 1'])
})

t.test('file without a test of the given titles fails', async t => {
  const { ended } = await run(['good', 'looks'], { only: 'goo' })
  t.strictSame(ended, ['good 1 0', 'looks 0 1'])
})

t.test('shares quick and rest have every test file, and are all tests together', async t => {
  const files = (share: 'quick' | 'rest' | 'all') => plan(share).map(({ file }) => file)
  t.strictSame([...new Set([...files('quick'), ...files('rest')])].sort(), files('all').sort())
  const quick = new Map(plan('quick').map(planned => [planned.file, planned]))
  for (const { file, only } of plan('rest')) {
    const except = quick.get(file)?.except
    t.ok(only === undefined ? !quick.has(file) : quick.has(file), file)
    if (except !== undefined) t.ok(only?.includes(except), `${file}: what is left out runs later`)
  }
})
