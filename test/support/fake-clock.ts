// Clocks of programs that a test sets while they run, by libfaketime. The monotonic clock stays the real one, as when a machine's clock is set.
import { existsSync } from 'node:fs'

/** Path of the library; null: it is not installed. */
export const fakeClockLibrary =
  ['x86_64', 'aarch64']
    .map(machine => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)
    .find(path => existsSync(path)) ?? null

/** Environment of a program whose clock differs by the content of `file`, such as `+3600s`. */
export const fakeClockSettings = (file: string): Record<string, string> => ({
  LD_PRELOAD: fakeClockLibrary ?? '',
  FAKETIME_TIMESTAMP_FILE: file,
  FAKETIME_NO_CACHE: '1',
  DONT_FAKE_MONOTONIC: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
})
