// The bus's time, for probers that cannot ask the bus themselves.
import type { Bus } from '#shared/bus/port.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'

/** Returns the time of the own clock plus its offset, which is measured again when the last measure is too old. Rejects with a BusError. */
export function createBusClock(bus: Pick<Bus, 'clockOffset'>, clock: Clock): () => Promise<{ at: number; errorMs: number }> {
  let measuring: ReturnType<Bus['clockOffset']> | null = null
  let measuredAt = 0
  return async () => {
    if (measuring === null || clock.monotonic() - measuredAt > limits.clock.measureMs) {
      measuredAt = clock.monotonic()
      measuring = bus.clockOffset(clock.now)
      measuring.catch(() => {
        measuring = null
      })
    }
    const { aheadMs, roundTripMs } = await measuring
    return { at: clock.now() + aheadMs, errorMs: roundTripMs / 2 + 1 }
  }
}
