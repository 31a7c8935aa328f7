// Search for damage in a large SQLite file while the store is in use. A thread of the lowest priority reads every document of the lasting
// collections, a few at a time, so that it delays no other work, no checkpoint and no stop. The file itself is never changed.
import { Worker } from 'node:worker_threads'
import type { CheckAnswer } from '#shared/store/sqlite/sqlite-check-thread.ts'

export interface RunningCheck {
  /** Resolves with the damaged collections, each with the first fault; empty: no damage was found, or the check was ended. */
  faults: Promise<CheckAnswer[]>
  /** Ends the check. */
  end(): Promise<void>
}

/** Starts the check of a file that a store of this process has open. A check that cannot run finds nothing. */
export function checkSqliteFile(path: string): RunningCheck {
  const worker = new Worker(new URL('./sqlite-check-thread.ts', import.meta.url), {
    workerData: { path },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    name: 'check',
  })
  worker.unref()
  const faults: CheckAnswer[] = []
  const ended = new Promise<CheckAnswer[]>(resolve => {
    worker.on('message', (fault: CheckAnswer) => faults.push(fault))
    worker.on('error', () => resolve(faults))
    worker.on('exit', () => resolve(faults))
  })
  return { faults: ended, end: async () => void (await worker.terminate()) }
}
