// Runs test files in a few processes (`lane.ts`), each one file after the other, and starts a new process if a file ended one. However a
// lane ends, all programs that its files started end with it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import type { Planned, Told } from './lane.ts'
import { descendantsOf, killNow } from './processes.ts'
import { createFailureReader } from './read-failures.ts'
import type { Share } from './shares.ts'

/** How a file ended. Times are in milliseconds. */
export type Ended = Extract<Told, { ended: string }>

export interface RunOptions {
  /** Share that the tests are told in `TEST_SHARE`. */
  share: Share
  /** Number of processes. */
  lanes: number
  /** Longest permitted duration of a file, and of each of its tests, in milliseconds. */
  timeout: number
  /** A file that is later than this is ended with its lane. A lane without a file left must end within this time. */
  graceMs?: number
  say(line: string): void
}

const root = join(import.meta.dirname, '..', '..')
const program = join(import.meta.dirname, 'lane.ts')
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const running = new Set<ChildProcess>()

/** Kills a lane and all that its files started: its process group, and descendants that left the group. */
function end({ pid }: ChildProcess): void {
  if (pid === undefined) return
  const started = descendantsOf(pid)
  killNow(-pid)
  for (const { id } of started) killNow(id)
}

const endAll = (): void => running.forEach(end)

/** Runs all files and says how each ended; resolves with their results. */
export async function runInLanes(planned: Planned[], options: RunOptions): Promise<Ended[]> {
  const { lanes, say } = options
  const folder = mkdtempSync(join(tmpdir(), 'watchkeeper-tests-'))
  writeFileSync(join(folder, 'files.json'), JSON.stringify(planned))
  const results: Ended[] = []
  const onEnd = (ended: Ended) => {
    results.push(ended)
    const { ended: file, passed, failed, wall } = ended
    const count = failed > 0 ? `${failed} of ${passed + failed} failed` : `${passed} passed`
    say(`${failed > 0 ? 'FAILED' : 'ok    '} ${file}: ${count}, ${(wall / 1_000).toFixed(1)} s`)
  }
  const keepLane = async (number: number) => {
    while (await runLane(folder, number, options, onEnd)) say('A new process runs the remaining files.')
  }
  // The lanes are in groups of their own, so an interrupt at the terminal reaches only this process.
  const interrupt = () => process.exit(130)
  for (const signal of signals) process.once(signal, interrupt)
  process.once('exit', endAll)
  try {
    await Promise.all(Array.from({ length: lanes }, (_, number) => keepLane(number)))
  } finally {
    process.off('exit', endAll)
    for (const signal of signals) process.off(signal, interrupt)
    rmSync(folder, { recursive: true })
  }
  return results
}

/**
 * Runs a lane until it ends, and calls `onEnd` for each of its files. A file that ended the lane counts as one failure. Resolves with whether
 * a new lane must run the remaining files.
 */
async function runLane(folder: string, number: number, options: RunOptions, onEnd: (ended: Ended) => void): Promise<boolean> {
  const { share, timeout, graceMs = 60_000, say } = options
  const lane = spawn(
    process.execPath,
    ['--import=./test/support/test-process.ts', program, folder, String(timeout), String(number)],
    {
      cwd: root,
      env: { ...process.env, TAP_TIMEOUT: '0', TEST_SHARE: share },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      // Leads a process group.
      detached: true,
    },
  )
  running.add(lane)
  lane.once('exit', () => {
    running.delete(lane)
    // What has survived a lane may hold its standard output open.
    killNow(-(lane.pid as number))
  })
  const readFailures = createFailureReader(say)
  createInterface({ input: lane.stdout as NodeJS.ReadableStream }).on('line', readFailures)
  const seen = { file: null as string | null, at: 0, failed: 0, last: null as Told | null, isLate: false }
  let killer: NodeJS.Timeout | undefined
  const killIn = (ms: number) => {
    clearTimeout(killer)
    killer = setTimeout(() => {
      seen.isLate = true
      end(lane)
    }, ms)
  }
  lane.on('message', (told: Told) => {
    if ('began' in told) Object.assign(seen, { file: told.began, at: performance.now() })
    else if ('ended' in told) {
      Object.assign(seen, { file: null, failed: seen.failed + told.failed })
      onEnd(told)
      if (told.timedOut) end(lane)
    } else if (!('finished' in told)) return
    seen.last = told
    killIn('finished' in told ? graceMs : timeout + graceMs)
  })
  killIn(timeout + graceMs)
  const [code, signal] = (await once(lane, 'close')) as [number | null, NodeJS.Signals | null]
  clearTimeout(killer)
  const { file, at, failed, last } = seen
  const isFinished = last !== null && 'finished' in last
  const hasCounted = last !== null && 'ended' in last && last.timedOut
  if (file !== null || (isFinished ? code !== 0 && failed === 0 : !hasCounted)) {
    const name = file ?? 'a lane, between or after its files'
    const why = seen.isLate ? `took longer than ${timeout / 1_000} s` : `ended its process (${signal ?? `exit code ${code}`})`
    say(`FAILED ${name} ${why}`)
    const wall = file === null ? 0 : performance.now() - at
    onEnd({ ended: name, passed: 0, failed: 1, skipped: {}, timedOut: false, ownCpu: 0, childrenCpu: 0, wall })
  }
  return file !== null || hasCounted
}
