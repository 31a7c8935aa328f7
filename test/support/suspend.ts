// Stops a process by SIGSTOP and waits until all its threads have stopped, because on a busy machine the signal takes effect a moment later.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'

const looks = 100_000

/** Without /proc, only sends the signal and does not wait. */
export async function suspend(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  const threads = `/proc/${pid}/task`
  for (let i = 0; i < looks && existsSync(threads); i++) {
    if (readdirSync(threads).every(thread => isStopped(`${threads}/${thread}/status`))) return
    await setImmediate()
  }
}

function isStopped(status: string): boolean {
  try {
    return /^State:\s+T/m.test(readFileSync(status, 'utf8'))
  } catch {
    return true // The thread has ended.
  }
}
