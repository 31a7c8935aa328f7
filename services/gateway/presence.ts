// Says on the bus that this gateway takes reports, as long as it does. Keepers call nobody silent while no gateway says so (ADR 22).
import { keys } from '#shared/bus/subjects.ts'
import type { Cancel } from '#shared/clock.ts'
import { randomId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import type { Surroundings } from '#shared/service.ts'

export interface Presence {
  /** Says no more, and that this gateway is gone. */
  stop(): Promise<void>
}

/** Begins at once. `tryOut` does what every report needs of others; a beat is left out while it rejects or does not end. */
export function announceGateway(
  { bus, clock, logger }: Pick<Surroundings, 'bus' | 'clock' | 'logger'>,
  tryOut: () => Promise<unknown>,
): Presence {
  const presence = bus.bucket('presence')
  const key = keys.gatewayPresence(randomId(8))
  let cancel: Cancel = () => undefined
  let isBeating = false
  let isStopped = false
  const beat = async () => {
    isBeating = true
    try {
      await tryOut()
      if (!isStopped) await presence.put(key, {})
    } catch (error) {
      logger.debug({ err: error }, 'the gateway cannot take reports')
    } finally {
      isBeating = false
    }
  }
  const again = () => {
    cancel = clock.after(limits.presence.beatMs, again)
    if (!isBeating) void beat()
  }
  again()
  return {
    stop: async () => {
      isStopped = true
      cancel()
      await presence.delete(key).catch(() => undefined)
    },
  }
}
