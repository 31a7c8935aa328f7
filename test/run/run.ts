// `npm test` (quick), `npm run test:all` (all), and the second half of `.ci/run` (rest): runs the test files of a share in a few
// processes (`lane.ts`), each one file after the other, so that the code under test is loaded and compiled once for each process, not for
// each file.
// shares.ts says which tests are in which share. If a file ends its process, or takes longer than the timeout,
// that counts as one failure, what it started is ended, and a new process runs the remaining files.
//
//   node test/run/run.ts quick|rest|all [--times] [--lanes N] [--timeout SECONDS] [pattern of test files...]
//
// `--times` ends with a table of the processor time and the duration of each file. The last line is `N passed, N failed`. The exit code is 0
// if at least one test passed and none failed.
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { type Ended, runInLanes } from './run-in-lanes.ts'
import { filesOf, lanesOf, plan, type Share, shares } from './shares.ts'

const usage = 'node test/run/run.ts quick|rest|all [--times] [--lanes N] [--timeout SECONDS] [pattern of test files...]'
const say = (text: string) => void process.stdout.write(`${text}\n`)

async function main(): Promise<boolean> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      times: { type: 'boolean', default: false },
      lanes: { type: 'string' },
      timeout: { type: 'string', default: '300' },
    },
  })
  const [share, ...patterns] = positionals
  if (!isShare(share)) throw new Error(usage)
  const named = new Set(patterns.flatMap(filesOf))
  const lanes = Number(values.lanes ?? lanesOf[share])
  const planned = plan(share).filter(({ file }) => patterns.length === 0 || named.has(file))
  const startedAt = performance.now()
  const results = await runInLanes(planned, { share, lanes, timeout: Number(values.timeout) * 1_000, say })
  if (values.times) sayTimes(results)
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0)
  const [passed, failed] = [sum(results, 'passed'), sum(results, 'failed')]
  say(`\n${results.length} files in ${seconds} s`)
  for (const [reason, count] of skippedOf(results)) say(`${count} not run: ${reason}`)
  say(`${passed} passed, ${failed} failed`)
  return failed === 0 && passed > 0
}

const isShare = (text: string | undefined): text is Share => shares.includes(text as Share)

function sayTimes(results: Ended[]): void {
  say('\n   CPU s  own  children  duration s  file')
  const cpuOf = ({ ownCpu, childrenCpu }: Ended) => ownCpu + childrenCpu
  const seconds = (ms: number, width: number) => (ms / 1_000).toFixed(1).padStart(width)
  for (const result of results.toSorted((one, other) => cpuOf(other) - cpuOf(one))) {
    const { ended: file, ownCpu, childrenCpu, wall } = result
    say(`${seconds(cpuOf(result), 8)} ${seconds(ownCpu, 5)} ${seconds(childrenCpu, 8)} ${seconds(wall, 11)}  ${file}`)
  }
  const all = results.reduce((total, result) => total + cpuOf(result), 0)
  say(`${seconds(all, 8)} in all`)
}

/** Numbers of skipped tests by reason. */
function skippedOf(results: Ended[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { skipped } of results)
    for (const [reason, count] of Object.entries(skipped)) counts.set(reason, (counts.get(reason) ?? 0) + count)
  return counts
}

const sum = (results: Ended[], name: 'passed' | 'failed'): number => results.reduce((total, result) => total + result[name], 0)

await main().then(
  isGood => {
    process.exitCode = isGood ? 0 : 1
  },
  (error: Error) => {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 2
  },
)
