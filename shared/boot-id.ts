// Which run of the operating system this is. What a killed process has written is there for the next one of the same run; after a power
// failure only what was flushed to the disk is.
import { readFileSync } from 'node:fs'

/** One word, the same until the machine starts again; empty if it is unknown. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}
