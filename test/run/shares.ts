// Which tests `npm test` runs (the share `quick`), and which run only in `npm run test:all` and `.ci/run` (the share `rest`). Both together
// are all tests.
import { globSync, statSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import type { Planned } from './lane.ts'

/** `all` is `quick` and `rest` together. */
export type Share = 'quick' | 'rest' | 'all'

/** A row of the table: tests that `npm test` leaves out. */
export interface LeftOut {
  /** Pattern of test files. A pattern that matches no file ends the run. */
  files: string
  /** Titles of the tests of these files that are left out; absent: all. In the share `rest`, a file with no such test fails. */
  tests?: RegExp
  /** Number of generated cases in `npm test`, for tests that run in both shares: in `quick` with this number, in `rest` with all cases. */
  fewer?: string
  reason: string
}

/** Titles of the tests over the wire protocol of MongoDB, except those that begin with one of these texts. */
const mongodb = (...kept: string[]): RegExp => new RegExp(`^(?!${kept.join('|')}).*(mongodb|wire protocol of MongoDB)`)

export const leftOut: readonly LeftOut[] = [
  {
    files: 'test/simulation/simulation.test.ts',
    tests: /^no seed loses/,
    fewer: '20 of 200 seeds',
    reason: 'a seed takes 0.3 s of processor time',
  },
  { files: 'test/simulation/{custom,resources}.test.ts', reason: 'simulates weeks, for a minute' },
  { files: 'test/tidy/**', reason: 'is part of `npm run check`' },
  {
    files: 'test/dashboard/every-page.test.ts',
    tests: / in dark colours at /,
    reason: 'the page has the same content in light colours',
  },
  {
    files:
      'test/dashboard/{bad-weather,exports,monitor,new-monitor,resource,restart,rules,settings,templates,transformations}.test.ts',
    reason: 'opens many pages in the browser, each for half a second of processor time',
  },
  {
    files: 'test/dashboard/{incident,invitations,jobs,list,list-acts,navigation,silence,why-woken,workspaces}.test.ts',
    reason: 'opens pages in the browser; `every-page` opens the same ones in `npm test`',
  },
  {
    files: 'test/gateway/v3/incident-responses.test.ts',
    tests: /, a day at most/,
    reason: 'a day of virtual time takes 30 s of processor time',
  },
  {
    files:
      'test/{directory/{notifications,people/{invitations,people,sign-in}},keeper/roll-up/roll-up,store/{store,migrations}}.test.ts',
    tests: mongodb('last owner stays', 'default mark', 'store on mongodb over'),
    reason: 'one test of each contract runs over the wire protocol of MongoDB',
  },
  { files: 'test/fuzz/**', reason: 'sends thousands of generated requests' },
  { files: 'test/integration/**', reason: 'runs whole installations' },
  { files: 'test/{channels,checks}/**', reason: 'starts the program, and its commands' },
  { files: 'test/infra/{apply,cli,data,manifests}/**', reason: 'starts the program, once for most tests' },
  {
    files: 'test/keeper/resources/flapping.test.ts',
    tests: /^generated lives agree/,
    reason: 'compares thousands of generated cases with a plain computation',
  },
  { files: 'test/upgrade/**', reason: 'starts the program on each kept data folder' },
  { files: 'test/infra/{start,nats-server,doctor/look}.test.ts', reason: 'starts the program, once for most tests' },
  { files: 'test/infra/slow-store.test.ts', reason: 'starts programs, and waits for time limits' },
  { files: 'test/run/run.test.ts', reason: 'starts the runner of the tests for each case' },
  { files: 'test/bus/nats-cluster.test.ts', reason: 'runs three nats-servers and ends them one by one' },
  { files: 'test/directory/door.test.ts', reason: 'starts nats-servers and programs' },
  { files: 'test/prober/elsewhere.test.ts', reason: 'starts nats-servers and probers in processes of their own' },
  { files: 'test/store/shared-store.test.ts', reason: 'kills and freezes a process, and waits for time limits' },
  { files: 'test/store/sqlite-loss.test.ts', reason: 'kills processes in the middle of a write' },
  { files: 'test/{bus/bus,notifier/faults}.test.ts', reason: 'stops and starts a nats-server' },
  { files: 'test/keeper/custom/{incidents,rules}.test.ts', reason: 'runs weeks of custom subjects' },
  {
    files: 'test/{conformance/property,keeper/{generated,running-median},store/gathered}.test.ts',
    reason: 'compares thousands of generated cases with a plain computation',
  },
  {
    files: 'test/directory/{incidents,resource-lists}.test.ts',
    reason: 'compares thousands of generated lists with a plain computation',
  },
  {
    files: 'test/keeper/resources/{preview,resource-signals-generated}.test.ts',
    reason: 'compares generated cases with a plain computation',
  },
]

export const shares: readonly Share[] = ['quick', 'rest', 'all']

/** Number of processes that run a share on two cores. Half of the time of `rest` is waiting: for programs, leases and timers. */
export const lanesOf: Readonly<Record<Share, number>> = { quick: 2, rest: 3, all: 3 }

const root = join(import.meta.dirname, '..', '..')

/** Test files that match the pattern. */
export const filesOf = (pattern: string): string[] => globSync(pattern, { cwd: root }).filter(path => path.endsWith('.test.ts'))

/** Returns the test files of a share, those that take longest first, so that the lanes end at about the same time. */
export function plan(share: Share): Planned[] {
  for (const { files } of leftOut) if (filesOf(files).length === 0) throw new Error(`${files} names no test file.`)
  const inLane = (file: string) => (matchesGlob(file, browserFiles) ? { lane: 0 } : {})
  return filesOf('test/**')
    .toSorted(byWork)
    .flatMap(file => planFile(file, share).map(planned => ({ ...planned, ...inLane(file) })))
}

function planFile(file: string, share: Share): Planned[] {
  const rows = leftOut.filter(({ files }) => matchesGlob(file, files))
  const isWhole = rows.some(({ tests }) => tests === undefined)
  const titles = (of: readonly LeftOut[]) => of.flatMap(({ tests }) => (tests === undefined ? [] : [tests.source])).join('|')
  if (share === 'all') return [{ file }]
  if (share === 'rest') return isWhole ? [{ file }] : rows.length > 0 ? [{ file, only: titles(rows) }] : []
  if (isWhole) return []
  const except = titles(rows.filter(({ fewer }) => fewer === undefined))
  return [except === '' ? { file } : { file, except }]
}

/** The files that open a browser run in one lane, so that there is one browser and one bundle of the dashboard. */
const browserFiles = 'test/{dashboard/*,checks/echo-watched}.test.ts'

/**
 * Files that take longest, by the order in which lanes take them: first those that wait, so that others compute beside them. All other files
 * follow by size.
 */
const longest = [
  browserFiles,
  'test/{integration/{move,nats-node,faults,docs},upgrade/{forth-and-back,upgrade}}.test.ts',
  'test/simulation/*',
  'test/bus/nats-cluster.test.ts',
  'test/infra/{data/{data-loss,cluster-backup},cli/{demo,api-commands},start}.test.ts',
  'test/prober/elsewhere.test.ts',
  'test/{integration,fuzz}/**',
  'test/infra/{manifests,data,apply,cli}/*',
  'test/keeper/resources/preview.test.ts',
]

function byWork(one: string, other: string): number {
  const rank = (file: string) => {
    const found = longest.findIndex(pattern => matchesGlob(file, pattern))
    return found === -1 ? longest.length : found
  }
  const size = (file: string) => statSync(join(root, file)).size
  return rank(one) - rank(other) || size(other) - size(one)
}
