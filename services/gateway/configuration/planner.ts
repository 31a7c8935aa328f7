// The gateway's side of the thread that plans configuration. Reading 16 MiB of files takes seconds, in which the gateway must answer others.
// Requests take turns, because each may need much memory. The thread ends when nobody has needed it for a while.
import { Worker } from 'node:worker_threads'
import { Semaphore } from '#shared/async/semaphore.ts'
import { AppError, type ErrorCode, refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Cancel, Clock } from '#shared/time/clock.ts'
import type { Clients } from './api.ts'
import type { FromThread, Job, JobEnd, JobResult, ToThread } from './messages.ts'

export interface Planner {
  /**
   * Carries out a job when its turn has come. `send`: sends a request in the name of the caller. `arrivedAt`: arrival of the caller's
   * request, ms of the monotonic clock. Throws AppError: `validation` with the faults of the files, `busy` if no turn comes, `too_large` if
   * time or memory do not suffice, and the refusal of a read.
   */
  run(job: Job, send: Clients['send'], arrivedAt: number): Promise<JobResult>
  /** Ends the thread, also in the middle of a job: steps that were sent stay. */
  stop(): Promise<void>
}

const { answerMs, stopMs, leastRunMs, turnMs, idleMs } = limits.configuration

export function createPlanner(clock: Clock): Planner {
  let thread: Worker | null = null
  let cancelIdle: Cancel = () => {}
  const end = async () => {
    const ended = thread
    thread = null
    await ended?.terminate()
  }
  const turn = new Semaphore(1)
  let jobs = 0
  const runNow = (job: Job, send: Clients['send'], arrivedAt: number) => {
    cancelIdle()
    thread ??= beginThread(worker => {
      if (thread === worker) thread = null
    })
    return work(thread, { job, number: ++jobs }, { clock, send, arrivedAt, end }).finally(() => {
      cancelIdle = clock.schedule(idleMs, () => void end())
    })
  }
  return {
    run: (job, send, arrivedAt) => {
      if (turn.waiting >= limits.configuration.waiting) return Promise.reject(tooBusy())
      const { promise, resolve, reject } = Promise.withResolvers<JobResult>()
      let isLate = false
      const cancelTurn = clock.schedule(turnMs, () => {
        isLate = true
        reject(tooBusy())
      })
      void turn.run(async () => {
        cancelTurn()
        if (!isLate) await runNow(job, send, arrivedAt).then(resolve, reject)
      })
      return promise
    },
    stop: async () => {
      cancelIdle()
      await end()
    },
  }
}

/** `onEnd`: called when the thread has failed or ended. */
function beginThread(onEnd: (worker: Worker) => void): Worker {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    name: 'configuration',
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: limits.configuration.threadMemory,
  })
  worker.unref()
  // The job under way hears of an error, too. Without a listener, an error between two jobs would end the process.
  return worker.on('error', () => onEnd(worker)).once('exit', () => onEnd(worker))
}

interface Around {
  clock: Clock
  send: Clients['send']
  arrivedAt: number
  /** Ends the thread. */
  end(): Promise<void>
}

function work(
  worker: Worker,
  begin: Extract<ToThread, { job: Job }>,
  { clock, send, arrivedAt, end }: Around,
): Promise<JobResult> {
  const begunAt = clock.monotonic()
  const { promise, resolve, reject } = Promise.withResolvers<JobResult>()
  const tell = (message: ToThread) => worker.postMessage(message)
  const late = () => {
    reject(tooLarge())
    void end()
  }
  const cancels = [clock.schedule(Math.max(0, answerMs - (begunAt - arrivedAt)), late)]
  const hear = (message: FromThread) => {
    if (message.of !== begin.number) return
    if ('call' in message) {
      send(message.request).then(reply => tell({ replyTo: message.call, reply }), reject)
    } else if ('end' in message) {
      if ('result' in message.end) resolve(message.end.result)
      else reject(errorOf(message.end))
    } else {
      const now = clock.monotonic()
      const runMs = Math.max(leastRunMs, Math.min(now - begunAt, stopMs - (now - arrivedAt)))
      cancels.push(clock.schedule(runMs, () => tell({ stop: true })))
    }
  }
  const fail = (error: Error & { code?: string }) => reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge() : error)
  const gone = () => reject(refusal('unavailable', 'Stopped', 'The gateway stopped meanwhile; send the same request again'))
  worker.on('message', hear).on('error', fail).on('exit', gone)
  tell(begin)
  return promise.finally(() => {
    for (const cancel of cancels) cancel()
    worker.off('message', hear).off('error', fail).off('exit', gone)
  })
}

function errorOf(ended: Exclude<JobEnd, { result: unknown }>): Error {
  if ('faults' in ended) return faulty(ended)
  if ('broken' in ended) return new Error(ended.broken)
  const { status, words } = ended.refused
  return refusal(codes[status] ?? 'unavailable', 'The workspace cannot be read', words)
}

const codes: Readonly<Record<number, ErrorCode>> = { 401: 'unauthenticated', 403: 'forbidden', 404: 'not_found', 429: 'busy' }

function faulty({ faults, sentence }: Extract<JobEnd, { faults: unknown }>): AppError {
  const more = faults.length - 1
  const details = more === 0 ? sentence : `${sentence} (and ${more} more ${more === 1 ? 'fault' : 'faults'})`
  return new AppError('validation', 'Faulty files', { details, facts: { field: 'files', faults } })
}

const tooBusy = () =>
  refusal('busy', 'Busy', 'Other configuration is being applied or exported here; send the request again in a moment')

const tooLarge = () =>
  refusal('too_large', 'Too large', 'The files and the workspace are too large to be compared here: divide them among workspaces')
