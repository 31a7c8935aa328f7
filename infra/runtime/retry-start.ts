// Retries of a start. In a cluster all processes start at once, so a process waits for the bus and the directory, up to a bound.
import { retry } from '#shared/async/retry.ts'
import { BusError } from '#shared/bus/port.ts'
import { AppError } from '#shared/errors.ts'
import { limits, second } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import { StartError } from './start-error.ts'

/** Retries `start` while no bus or no directory responds. Throws a StartError after limits.start.patienceMs. */
export async function retryStart<T>(clock: Clock, start: () => Promise<T>): Promise<T> {
  const { patienceMs: withinMs } = limits.start
  try {
    return await retry(start, { clock, withinMs, pauseMs: () => limits.bus.reconnectMs, mayPass: isAway })
  } catch (error) {
    throw isAway(error) ? new StartError(silence(error)) : error
  }
}

/** True if the directory does not respond, or if no process with a store has created the streams yet. */
const isAway = (error: unknown): error is BusError | AppError =>
  error instanceof BusError || (error instanceof AppError && error.code === 'unavailable')

const silence = ({ message }: Error): string =>
  `The rest of the installation did not answer within ${limits.start.patienceMs / second} s (${message.replace(/\.$/, '')}): ` +
  'start a directory on the same bus, or correct NATS_URL.'
