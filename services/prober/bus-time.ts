// Bus time: the own clock plus the lead of the bus's clock. Slots are on bus time, so that every prober of a location means the same
// instants. The lead is measured repeatedly and after each reconnect: the quickest round trip gives the best measure, and a busy moment
// such as a start gives a bad one. While the bus is away the best measure serves. A lead within the error of its measure counts as none,
// because machines keep time better than a round trip can show.

import { repeat } from '#shared/async/repeat.ts'
import type { ClockOffset } from '#shared/bus/port.ts'
import { limits } from '#shared/limits/limits.ts'
import type { ServiceContext } from '#shared/service.ts'

export interface BusTime {
  /** The present instant on bus time, whole ms. */
  now(): number
  /** Called when a clock was set: bus time jumped by more than a second against the own. */
  onJump(listener: () => void): void
  stop(): void
}

interface Measure extends ClockOffset {
  /** On the monotonic clock, ms. */
  at: number
}

/** Rejects where the first measure fails. */
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

/** By how much the own clock is to be corrected, whole ms: not at all where the measure may be all error. `now` is in whole ms, too. */
function correctionMs({ aheadMs, roundTripMs }: ClockOffset): number {
  return Math.abs(aheadMs) <= roundTripMs / 2 + 1 ? 0 : Math.round(aheadMs)
}

/** The one that can be less wrong by now; always the newer one where both cannot be true, because then a clock was set. */
export function better(known: Measure, newer: Measure): Measure {
  const driftMs = ((newer.at - known.at) / 1_000) * limits.clock.driftMsPerSecond
  const knownErrorMs = known.roundTripMs / 2 + driftMs
  const newerErrorMs = newer.roundTripMs / 2
  // `now` is in whole ms, which makes each measure a little more wrong.
  const agree = Math.abs(newer.aheadMs - known.aheadMs) <= knownErrorMs + newerErrorMs + 1
  return agree && knownErrorMs < newerErrorMs ? known : newer
}
