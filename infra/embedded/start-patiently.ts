// What a start needs of other processes: in a cluster all are started at once, so it is asked for until the patience ends.
import { BusError } from '#shared/bus/port.ts'
import type { Clock } from '#shared/clock.ts'
import { AppError } from '#shared/errors.ts'
import { limits, second } from '#shared/limits.ts'
import { StartError } from './start-error.ts'

/** `start` may be called again after it was rejected because a bus or a directory did not answer. Throws a StartError where none does in time. */
export async function startPatiently<T>(clock: Clock, start: () => Promise<T>): Promise<T> {
  const giveUpAt = clock.monotonic() + limits.start.patienceMs
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if (!isAway(error)) throw error
      if (clock.monotonic() >= giveUpAt) throw new StartError(silence(error))
      await new Promise<void>(resolve => clock.after(limits.bus.reconnectMs, resolve))
    }
  }
}

/** The directory does not answer, or no process with a store has made the streams yet. */
const isAway = (error: unknown): error is Error =>
  error instanceof BusError || (error instanceof AppError && error.code === 'unavailable')

const silence = ({ message }: Error): string =>
  `The rest of the installation did not answer within ${limits.start.patienceMs / second} s (${message.replace(/\.$/, '')}): ` +
  'start a directory on the same bus, or correct NATS_URL.'
