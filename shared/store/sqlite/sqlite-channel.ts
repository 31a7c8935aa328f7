// The caller's side of the SQLite worker. Sends the operations of one turn of the event loop together, in as few messages as possible.
// Resolves the promise of an operation with its outcome, and bounds the queue. Never reads documents.
import { Worker } from 'node:worker_threads'
import { limits } from '#shared/limits/limits.ts'
import { StoreError } from '#shared/store/port.ts'
import type { Failure, Operation, Outcome, Request, WorkerAnswer } from '#shared/store/sqlite/sqlite-messages.ts'
import type { SqlValue } from '#shared/store/sqlite/sqlite-query.ts'

export interface SqliteChannel {
  /**
   * Resolves after the commit that contains the operation. `items`: number of items in the operation; the queue bounds their sum.
   * `characters`: number of characters in the rows to put; a message bounds their sum.
   */
  send(operation: Operation, items: number, characters?: number): Promise<Outcome>
  /** Waits for the operations that were already sent, then closes the file and ends the thread. */
  close(): Promise<void>
}

interface Waiting {
  items: number
  /** Values that the operation has found, and that arrived before its outcome. */
  parts: SqlValue[][]
  resolve: (outcome: Outcome) => void
  reject: (error: StoreError) => void
}

/** Starts the worker on a file. Rejects with a StoreError if the worker cannot open the file. */
export async function openSqliteChannel(path: string): Promise<SqliteChannel> {
  const worker = new Worker(new URL('./sqlite-worker.ts', import.meta.url), {
    workerData: { path },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    name: 'store',
    resourceLimits: limits.store.workerMemory,
  })
  await new Promise<void>((resolve, reject) => {
    worker.once('error', error =>
      reject(new StoreError('permanent', `The embedded store did not start: ${error.message}.`, error)),
    )
    worker.once('message', (answer: WorkerAnswer) => {
      if ('ready' in answer && !answer.ready) reject(new StoreError(answer.failure.kind, answer.failure.message))
      else resolve()
    })
  }).catch(async error => {
    await worker.terminate()
    throw error
  })
  worker.removeAllListeners('error')
  return createChannel(worker)
}

function createChannel(worker: Worker): SqliteChannel {
  const waiting = new Map<number, Waiting>()
  let group: Operation[] = []
  let groupCharacters = 0
  let next = 0
  let items = 0
  let ended: StoreError | null = null
  let closing: Promise<void> | null = null

  const flush = () => {
    if (group.length === 0) return
    const request: Request = { first: next - group.length, operations: group }
    group = []
    groupCharacters = 0
    worker.postMessage(request)
  }
  const end = (error: StoreError) => {
    ended ??= error
    for (const one of waiting.values()) one.reject(error)
    waiting.clear()
  }
  worker.on('message', (answer: WorkerAnswer) => {
    if ('part' in answer) waiting.get(answer.part)?.parts.push(answer.values)
    if (!('numbers' in answer)) return
    for (const [index, number] of answer.numbers.entries()) {
      const one = waiting.get(number)
      if (one === undefined) continue
      waiting.delete(number)
      items -= one.items
      settle(one, answer.outcomes[index] as Outcome | Failure)
    }
  })
  worker.on('error', error => {
    const lost = new StoreError('unavailable', `The embedded store ended: ${error.message}.`, error)
    end(lost)
    // The thread cannot be restarted, and without the thread nothing can be stored. This uncaught error ends the process, so that a
    // supervisor can restart the process.
    throw lost
  })
  worker.on('exit', () => end(new StoreError('unavailable', 'The embedded store is closed.')))

  const send = (operation: Operation, count: number, characters = 0) => {
    if (ended !== null) return Promise.reject(ended)
    if (items + count > limits.store.queuedItems && waiting.size > 0) {
      return Promise.reject(new StoreError('unavailable', 'The embedded store has too much waiting.'))
    }
    return new Promise<Outcome>((resolve, reject) => {
      waiting.set(next++, { items: count, parts: [], resolve, reject })
      items += count
      if (group.push(operation) === 1) setImmediate(flush)
      groupCharacters += characters
      if (groupCharacters >= limits.store.workerCharacters) flush()
    })
  }
  const close = async () => {
    if (ended !== null) return
    flush()
    ended = new StoreError('unavailable', 'The embedded store is closed.')
    const exited = new Promise<void>(resolve => worker.once('exit', () => resolve()))
    worker.postMessage({ first: next, operations: [], close: true } satisfies Request)
    await exited
  }
  return { send, close: () => (closing ??= close()) }
}

function settle(one: Waiting, outcome: Outcome | Failure): void {
  if (typeof outcome === 'object' && 'kind' in outcome) one.reject(new StoreError(outcome.kind, outcome.message))
  else one.resolve(one.parts.length === 0 ? outcome : [...one.parts, outcome as SqlValue[]].flat())
}
