// Retries of a start. In a cluster all processes start at once, so a process with a store waits for the bus, up to a bound.
import { retry } from '#shared/async/retry.ts'
import { BusError } from '#shared/bus/port.ts'
import { limits, second } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import { StartError } from './start-error.ts'

/** Retries `start` while the bus does not respond. Throws a StartError after limits.start.patienceMs. */
export async function retryStart<T>(clock: Clock, start: () => Promise<T>): Promise<T> {
  const { patienceMs: withinMs } = limits.start
  try {
    return await retry(start, { clock, withinMs, pauseMs: () => limits.bus.reconnectMs, mayPass: isAway })
  } catch (error) {
    throw isAway(error) ? new StartError(silence(error)) : error
  }
}

const isAway = (error: unknown): error is BusError => error instanceof BusError

const silence = ({ message }: Error): string =>
  `The bus did not answer within ${limits.start.patienceMs / second} s (${message.replace(/\.$/, '')}): ` +
  'run ./watchkeeper doctor, which examines its servers, or correct NATS_URL.'
