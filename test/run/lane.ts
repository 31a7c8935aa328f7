// One of the processes in which run.ts runs the test files. Takes the next file that no other lane has taken and runs it as a subtest, until
// none is left. Arguments: a folder, the longest permitted duration of a file in milliseconds, and the number of the lane. The folder's
// `files.json` has the files (`Planned`) in the order in which lanes take them; a lane that takes a file marks the file in this folder. Sends
// run.ts a message (`Told`) at the start and at the end of each file.
//
// Each test file has its own instances of the modules in `test/`, and its own `tap`, whose hooks end with the file. The modules under test
// are shared by all files of the lane.
import { closeSync, openSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { descendantsOf, killNow, readProcesses } from './processes.ts'

/**
 * A test file of a run. `only`, `except`: regular expression for the titles of the tests that run, or that do not run. `lane`: number of the
 * only lane that may take the file; absent: any.
 */
export interface Planned {
  file: string
  lane?: number
  only?: string
  except?: string
}

/** What a lane tells run.ts: that a file has begun, how it ended, or that no file is left. Times are in milliseconds. */
export type Told =
  | { began: string }
  | { finished: true }
  | {
      ended: string
      passed: number
      failed: number
      /** Numbers of skipped tests by reason, without the tests that this run leaves out. */
      skipped: Record<string, number>
      /** True: a test took too long. Run.ts ends the lane. */
      timedOut: boolean
      /** Processor time of the lane, and of the processes that it started and that have ended. */
      ownCpu: number
      childrenCpu: number
      wall: number
    }

const [folder, timeout, laneNumber] = process.argv.slice(2)
if (folder === undefined) throw new Error('Start the lanes by npm test.')
const reasonOfLeftOut = 'runs in the other share'
const openMs = 5_000
const root = join(import.meta.dirname, '..', '..')
const testsUrl = pathToFileURL(join(root, 'test/')).href
const files = JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8')) as Planned[]
/** What the test files share (test/support/shared.ts), by name. */
const shared = new Map<string, Promise<{ stop(): Promise<unknown> }>>()
/** Subtests by the number of their test file. The module `tap:<number>` exports the subtest of this number to its file. */
const subtests = new Map<string, Test>()
Object.assign(globalThis, { subtestsOfLane: subtests, sharedInLane: shared })

registerHooks({
  resolve(specifier, context, next) {
    const number = context.parentURL?.startsWith(testsUrl) ? new URL(context.parentURL).searchParams.get('file') : null
    if (number === null) return next(specifier, context)
    if (specifier === 'tap') return { url: `tap:${number}`, format: 'module', shortCircuit: true }
    const resolved = next(specifier, context)
    return resolved.url.startsWith(testsUrl) ? { ...resolved, url: `${resolved.url}?file=${number}` } : resolved
  },
  load(url, context, next) {
    if (!url.startsWith('tap:')) return next(url, context)
    const subtest = `globalThis.subtestsOfLane.get('${url.slice('tap:'.length)}')`
    const source = `const t = ${subtest}
export default t
export const test = t.test.bind(t)
export const before = t.before.bind(t)`
    return { format: 'module', source, shortCircuit: true }
  },
})

// Without run.ts nobody reads the results. The lane leads the process group of all that its files start. The listener must not keep it alive.
process.once('disconnect', () => killNow(-process.pid))
process.channel?.unref()

const mayTake = ({ lane }: Planned) => lane === undefined || lane === Number(laneNumber)
for (const [number, planned] of files.entries()) if (mayTake(planned) && take(number)) await run(number, planned)
for (const started of shared.values()) await started.then(({ stop }) => stop()).catch(() => undefined)
await tell({ finished: true })
setTimeout(() => {
  process.stderr.write(`After its last file, a lane does not end because these are open: ${whatIsOpen().join(', ')}\n`)
}, openMs).unref()

interface Report {
  libuv: { type: string; is_active: boolean; is_referenced: boolean }[]
  workers: { header: { event: string } }[]
}

/** What keeps this process alive: threads by their names, requests and handles of this process with all that Node knows of them. */
function whatIsOpen(): string[] {
  const { libuv, workers } = process.report.getReport() as unknown as Report
  const handles = libuv.filter(({ type, ...one }) => one.is_active && one.is_referenced && type !== 'loop')
  return [
    ...workers.map(({ header }) => header.event),
    ...handles.map(handle => JSON.stringify(handle)),
    ...process.getActiveResourcesInfo(),
  ]
}

async function run(number: number, { file, only, except }: Planned): Promise<void> {
  const environment = { ...process.env }
  const cpuAtStart = processorTime()
  const startedAt = performance.now()
  /** The tests of the file and their tests. The timer of a test stands still while one of its own tests runs. */
  const all: { timedOut: boolean }[] = []
  const hasTimedOut = () => all.some(one => one.timedOut)
  const watchTimeouts = (one: Test) => {
    all.push(one)
    one.on('subtestAdd', child => watchTimeouts(child as Test))
  }
  void tell({ began: file })
  const running = t.test(file, { timeout: Number(timeout) }, async subtest => {
    leaveOut(
      subtest,
      title => (only !== undefined && !new RegExp(only).test(title)) || (except !== undefined && new RegExp(except).test(title)),
    )
    watchTimeouts(subtest)
    subtests.set(String(number), subtest)
    await import(`${pathToFileURL(join(root, file)).href}?file=${number}`)
  })
  const results = await running
  const { subtest } = running
  if (results === null || subtest === null) throw new Error('Invariant broken: a file was filtered out')
  restore(environment)
  const cpu = processorTime()
  const { pass, fail, skip, skips } = results
  const { [reasonOfLeftOut]: leftOut = 0, ...skipped } = countReasons(skips)
  const isEmpty = only !== undefined && pass + fail === leftOut
  if (isEmpty) process.stderr.write(`${file} has no test whose title matches ${only}\n`)
  await tell({
    ended: file,
    passed: pass - skip,
    failed: results.ok && !isEmpty ? 0 : Math.max(fail, 1),
    skipped,
    timedOut: hasTimedOut(),
    ownCpu: cpu.own - cpuAtStart.own,
    childrenCpu: cpu.children - cpuAtStart.children,
    wall: performance.now() - startedAt,
  })
  // What hangs still runs. It would disturb the next files, so run.ts ends this process and all that the file started.
  if (hasTimedOut()) await pause(openMs).then(() => process.exit(1))
}

/** Skips the tests of a file whose titles are left out. */
function leaveOut(subtest: Test, isLeftOut: (title: string) => boolean): void {
  const { shouldSkipChild } = subtest
  subtest.shouldSkipChild = options => {
    if (isLeftOut(options.name ?? '')) options.skip = reasonOfLeftOut
    return shouldSkipChild.call(subtest, options)
  }
}

/** Numbers of skipped tests by reason. */
function countReasons(skips: { skip?: string | boolean }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { skip } of skips) {
    const reason = typeof skip === 'string' ? skip : 'no reason is given'
    counts[reason] = (counts[reason] ?? 0) + 1
  }
  return counts
}

/** Resolves when the message is sent. */
function tell(told: Told): Promise<void> {
  return new Promise(resolve => (process.send ? process.send(told, () => resolve()) : resolve()))
}

/** Puts back the environment variables that a file changed. */
function restore(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
}

/**
 * Processor time so far in milliseconds: of this process, and of its descendants, which end or still run. The latter is known on Linux only;
 * elsewhere it is 0.
 */
function processorTime(): { own: number; children: number } {
  const { user, system } = process.cpuUsage()
  const processes = readProcesses()
  const ofEnded = processes.find(({ id }) => id === process.pid)?.ofEnded ?? 0
  const children = descendantsOf(process.pid, processes).reduce((sum, one) => sum + one.own + one.ofEnded, ofEnded)
  return { own: (user + system) / 1_000, children }
}

/** Marks the file as taken; false: another lane has taken the file. Throws if the file cannot be marked. */
function take(number: number): boolean {
  try {
    closeSync(openSync(join(folder as string, String(number)), 'wx'))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}
