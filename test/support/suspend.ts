// Stops a process by SIGSTOP and waits until it has stopped, because on a busy machine the signal takes effect a moment later.
import { existsSync, readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'

const looks = 100_000

/** Without /proc, only sends the signal and does not wait. */
export async function suspend(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  const status = `/proc/${pid}/status`
  for (let i = 0; i < looks && existsSync(status); i++) {
    if (/^State:\s+T/m.test(readFileSync(status, 'utf8'))) return
    await setImmediate()
  }
}
