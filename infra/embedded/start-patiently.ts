// What a start needs of other processes: in a cluster all are started at once, so it is asked for until the patience ends.
import { patiently } from '#shared/bus/patiently.ts'
import { BusError } from '#shared/bus/port.ts'
import type { Clock } from '#shared/clock.ts'
import { AppError } from '#shared/errors.ts'
import { limits, second } from '#shared/limits.ts'
import { StartError } from './start-error.ts'

/** Calls `start` again while it is rejected because a bus or a directory does not answer. Throws a StartError where none does in time. */
export const startPatiently = <T>(clock: Clock, start: () => Promise<T>): Promise<T> =>
  patiently(clock, limits.start.patienceMs, start, (error, isOver) => {
    if (!isAway(error)) return error
    return isOver ? new StartError(silence(error)) : null
  })

/** The directory does not answer, or no process with a store has made the streams yet. */
const isAway = (error: Error): boolean => error instanceof BusError || (error instanceof AppError && error.code === 'unavailable')

const silence = ({ message }: Error): string =>
  `The rest of the installation did not answer within ${limits.start.patienceMs / second} s (${message.replace(/\.$/, '')}): ` +
  'start a directory on the same bus, or correct NATS_URL.'
