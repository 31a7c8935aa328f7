// `npm run test:fast [-- options of tap]`: every test file except those of the table below. Two processes (`lane.ts`) each run one file after
// the other, so that the code under test is loaded and compiled twice in all, not once for each file. `npm test` runs every file, each in
// its own process, and also the cases over the wire protocol of MongoDB.
import { globSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'

/** Patterns of slow test files, each with its reason; every other test file is fast. A pattern that matches no file ends the run. */
const slow: Record<string, string> = {
  'test/dashboard/*.test.ts': 'opens a browser',
  'test/simulation/**': 'runs seeded simulations for minutes',
  'test/fuzz/**': 'sends thousands of generated requests',
  'test/integration/**': 'runs whole installations',
  'test/infra/{apply,cli,data,manifests}/**': 'starts the program, once for most tests',
  'test/infra/{start,nats-server}.test.ts': 'starts the program, once for most tests',
  'test/bus/nats-cluster.test.ts': 'runs three nats-servers and ends them one by one',
  'test/directory/door.test.ts': 'starts nats-servers and programs',
  'test/prober/elsewhere.test.ts': 'starts nats-servers and probers in processes of their own',
  'test/store/sqlite-loss.test.ts': 'kills processes in the middle of a write',
  'test/store/store.test.ts': 'starts MongoDB, and fills the memory of a process',
  'test/{bus/bus,notifier/faults}.test.ts': 'stops and starts a nats-server',
  'test/keeper/custom/{incidents,rules}.test.ts': 'runs weeks of custom subjects',
  'test/{conformance/property,directory/{incidents,resource-lists},keeper/{generated,running-median},store/gathered}.test.ts':
    'compares thousands of generated cases with a plain computation',
  'test/keeper/resources/{preview,resource-signals-generated}.test.ts': 'compares generated cases with a plain computation',
  'test/tidy/**': 'is part of `npm run check`',
}

const root = join(import.meta.dirname, '..', '..')
const files = (pattern: string) => globSync(pattern, { cwd: root }).filter(path => path.endsWith('.test.ts'))
for (const pattern of Object.keys(slow)) if (files(pattern).length === 0) throw new Error(`${pattern} names no test file.`)

const leftOut = new Set(Object.keys(slow).flatMap(files))
/** Largest files first: they take longest, so that both lanes end at about the same time. */
const chosen = files('test/**')
  .filter(path => !leftOut.has(path))
  .toSorted((one, other) => statSync(join(root, other)).size - statSync(join(root, one)).size)
t.comment(`${chosen.length} of ${chosen.length + leftOut.size} test files; npm test runs them all`)

const folder = mkdtempSync(join(tmpdir(), 'watchkeeper-fast-'))
t.teardown(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'files.json'), JSON.stringify(chosen))
t.jobs = 2
const lane = join(import.meta.dirname, 'lane.ts')
const env = { ...process.env, WITHOUT_MONGODB: '' }
for (const name of ['first lane', 'second lane'])
  t.spawn(process.execPath, [...process.execArgv, lane, folder], { cwd: root, env, timeout: 600_000 }, name)
