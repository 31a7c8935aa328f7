// Stops a process as SIGSTOP does, and waits until it has stopped: the signal alone is taken a moment later on a busy machine.
import { existsSync, readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'

const looks = 100_000

/** Where /proc is not there to be looked at, the signal has to do. */
export async function suspend(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  const status = `/proc/${pid}/status`
  for (let i = 0; i < looks && existsSync(status); i++) {
    if (/^State:\s+T/m.test(readFileSync(status, 'utf8'))) return
    await setImmediate()
  }
}
