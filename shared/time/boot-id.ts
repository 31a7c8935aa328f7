// Boot id of the operating system. Data that a killed process has written is readable during the same boot; after a power failure only
// flushed data is.
import { readFileSync } from 'node:fs'

/** Returns one word that stays the same until the machine restarts; empty if unknown. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
