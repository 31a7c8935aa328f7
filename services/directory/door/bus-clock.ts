// Time of the bus, which a door reports to remote probers.
import type { Bus } from '#shared/bus/port.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'

/**
 * Returns a function that resolves to the bus time: `clock` plus its offset. Measures the offset again if the last measurement is too old.
 * Rejects with a BusError.
 */
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
