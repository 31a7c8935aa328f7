// Whether an installation runs: a living process has the data folder, or a service with the store answers on the bus.
import { pause } from '#shared/async/pause.ts'
import { type Bus, BusError } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import type { Clock } from '#shared/time/clock.ts'

/** Requests that each service with the store refuses or answers, so that a response shows that one runs. */
const knocks: readonly (readonly [service: string, subject: string])[] = [
  ['directory', subjects.ask('knock')],
  ['keeper', subjects.preview],
  ['notifier', subjects.testMessage],
]
const knockMs = 2_000
const lookMs = 500

/** Returns the names of services that run on this bus, which may also hang. Rejects with a BusError if the bus does not respond. */
export async function servicesOn(bus: Bus): Promise<string[]> {
  const found = await Promise.all(
    knocks.map(async ([service, subject]) => {
      try {
        await bus.request(subject, {}, { timeoutMs: knockMs })
        return [service]
      } catch (error) {
        if (error instanceof BusError && error.kind === 'no_responders') return []
        if (error instanceof BusError && error.kind === 'timeout') return [service]
        throw error
      }
    }),
  )
  return found.flat()
}

/** Resolves once `isRunning` returns false. */
export async function untilStopped(clock: Clock, isRunning: () => Promise<boolean>): Promise<void> {
  while (await isRunning()) await pause(clock, lookMs)
}
