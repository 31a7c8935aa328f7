// Bus time: this process's clock plus the lead, which is the time by which the bus's clock is ahead of it. The instants of slots are on bus
// time, so all probers of a location have the same slots. The lead is measured repeatedly and after each reconnect. The measurement with
// the quickest round trip is the best. It stays in use while the bus is unreachable. If the measured lead is not larger than its possible
// error, bus time uses 0 instead, because clocks usually differ by less than this error.

import { repeat } from '#shared/async/repeat.ts'
import type { ClockOffset } from '#shared/bus/port.ts'
import { limits } from '#shared/limits/limits.ts'
import type { ServiceContext } from '#shared/service.ts'

export interface BusTime {
  /** Returns the present instant on bus time, whole ms. */
  now(): number
  /** Sets the function that is called if bus time jumps by more than a second, because a clock was set. */
  onJump(listener: () => void): void
  stop(): void
}

interface Measure extends ClockOffset {
  /** Instant of the measurement on the monotonic clock, ms. */
  at: number
}

/** Rejects if the first measurement fails. */
export async function createBusTime({ bus, clock, logger }: Omit<ServiceContext, 'metrics'>): Promise<BusTime> {
  const measure = async (): Promise<Measure> => ({ ...(await bus.clockOffset(clock.now)), at: clock.monotonic() })
  let best = await measure()
  let listener = () => {}
  const remeasure = async () => {
    try {
      const before = best
      best = better(before, await measure())
      const jumpMs = best.aheadMs - before.aheadMs
      if (Math.abs(jumpMs) < limits.clock.jumpMs) return
      logger.warn({ jumpMs }, 'bus time jumped')
      listener()
    } catch (error) {
      logger.debug({ err: error }, 'bus time could not be measured')
    }
  }
  const measuring = repeat({ clock, everyMs: limits.clock.measureMs }, () => void remeasure())
  const stopListening = bus.onConnection(connected => {
    if (connected) void remeasure()
  })
  return {
    now: () => clock.now() + correctionMs(best),
    onJump: called => {
      listener = called
    },
    stop: () => {
      void measuring.stop()
      stopListening()
    },
  }
}

/** Returns the time to add to this process's clock, whole ms like `now`; 0 if the measured lead is not larger than its possible error. */
function correctionMs({ aheadMs, roundTripMs }: ClockOffset): number {
  return Math.abs(aheadMs) <= roundTripMs / 2 + 1 ? 0 : Math.round(aheadMs)
}

/**
 * Returns the measurement whose possible error is now smaller. If the two measurements contradict each other, a clock was set. The newer
 * measurement is then returned.
 */
export function better(known: Measure, newer: Measure): Measure {
  const driftMs = ((newer.at - known.at) / 1_000) * limits.clock.driftMsPerSecond
  const knownErrorMs = known.roundTripMs / 2 + driftMs
  const newerErrorMs = newer.roundTripMs / 2
  // `now` is in whole ms, which adds to the error of each measurement.
  const agree = Math.abs(newer.aheadMs - known.aheadMs) <= knownErrorMs + newerErrorMs + 1
  return agree && knownErrorMs < newerErrorMs ? known : newer
}
