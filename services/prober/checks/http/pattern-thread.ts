// Thread in which patterns are matched, so that a slow one delays no other check. Owns the thread, which begins with the first pattern, and the
// queue before it. A match that takes too long ends the thread, and the next one begins another.
import { Worker } from 'node:worker_threads'
import { patternLimits } from '#shared/limits/pattern-limits.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'

/** A pattern, and the texts of which any may match. */
export interface Match {
  pattern: string
  texts: readonly string[]
}

/** Null: it took too long, or too many others wait. */
type Found = boolean | null

interface Job {
  match: Match
  clock: Clock
  resolve(found: Found): void
}

const waiting: Job[] = []
let running: { job: Job; cancel: Cancel } | null = null
let worker: Worker | null = null

/** Resolves to whether the pattern matches any part of one of the texts. Never rejects. */
export function matchApart(match: Match, clock: Clock): Promise<Found> {
  return new Promise(resolve => {
    if (waiting.length >= patternLimits.waiting) return resolve(null)
    waiting.push({ match, clock, resolve })
    next()
  })
}

function next(): void {
  const job = running === null ? waiting.shift() : undefined
  if (job === undefined) return
  running = { job, cancel: job.clock.schedule(patternLimits.matchMs, abort) }
  worker ??= begin()
  worker.postMessage(job.match)
}

function begin(): Worker {
  const begun = new Worker(new URL('./pattern-worker.ts', import.meta.url), {
    name: 'patterns',
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: patternLimits.threadMemory,
  })
  const fail = () => {
    if (worker === begun) abort()
  }
  begun.on('message', end).on('error', fail).once('exit', fail)
  // A listener of messages would keep the process.
  begun.unref()
  return begun
}

/** Ends the thread, and with it the match that runs. */
function abort(): void {
  void worker?.terminate()
  worker = null
  end(null)
}

function end(found: Found): void {
  const ended = running
  running = null
  ended?.cancel()
  ended?.job.resolve(found)
  next()
}
