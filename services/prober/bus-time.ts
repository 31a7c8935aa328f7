// Bus time: the own clock plus how much the bus's is ahead. Slots are on it, so that every prober of a location means the same
// instants. Measured again each minute and after each reconnect; while the bus is away the last measure serves.

import { limits } from '#shared/limits.ts'
import type { Surroundings } from '#shared/service.ts'
import { every } from './every.ts'

export interface BusTime {
  /** The present instant on bus time, whole ms. */
  now(): number
  /** Called when a clock was set: bus time jumped by more than a second against the own. */
  onJump(listener: () => void): void
  stop(): void
}

/** Rejects where the first measure fails. */
export async function createBusTime({ bus, clock, logger }: Omit<Surroundings, 'metrics'>): Promise<BusTime> {
  const measure = async () => Math.round(await bus.clockOffset(clock.now))
  let offset = await measure()
  let listener = () => {}
  const remeasure = async () => {
    try {
      const before = offset
      offset = await measure()
      const jumpMs = offset - before
      if (Math.abs(jumpMs) < limits.clock.jumpMs) return
      logger.warn({ jumpMs }, 'bus time jumped against the own clock; all slots are planned anew')
      listener()
    } catch (error) {
      logger.debug({ err: error }, 'bus time could not be measured')
    }
  }
  const stopTicking = every(clock, limits.clock.measureMs, () => void remeasure())
  const stopListening = bus.onConnection(connected => {
    if (connected) void remeasure()
  })
  return {
    now: () => clock.now() + offset,
    onJump: called => {
      listener = called
    },
    stop: () => {
      stopTicking()
      stopListening()
    },
  }
}
