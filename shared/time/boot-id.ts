// Boot id of the operating system. The id shows whether the machine has restarted since data was written. If only the process was killed,
// everything that it wrote is still readable. After a power failure, only flushed data is readable.
import { readFileSync } from 'node:fs'

/** Returns one word that stays the same until the machine restarts; empty if unknown. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
