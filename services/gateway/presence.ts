// Announces on the bus that this gateway accepts reports. Keepers report silence only while at least one gateway is announced (ADR 22).
import { repeat } from '#shared/async/repeat.ts'
import { gatewaySign } from '#shared/bus/gateway-sign.ts'
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import type { ServiceContext } from '#shared/service.ts'
import { latestNumber, migrations } from '#shared/store/migrations/migrations.ts'
import { randomId } from '#shared/text/ids.ts'

export interface Presence {
  /** Returns the time since the services that every report needs last responded, ms. */
  silentMs(): number
  /** Stops the announcements and announces that this gateway has stopped. */
  stop(): Promise<void>
}

/**
 * Starts to announce at once. Before each announcement, `tryOut` sends a request to the services that every report needs. If `tryOut`
 * rejects or does not finish, the gateway is not announced. `untrustedProxy`: address of a proxy that TRUST_PROXY does not name, of which the
 * operator is notified; null: none was seen.
 */
export function announceGateway(
  { bus, clock, logger }: Pick<ServiceContext, 'bus' | 'clock' | 'logger'>,
  tryOut: () => Promise<unknown>,
  untrustedProxy: () => string | null = () => null,
): Presence {
  const presence = bus.bucket('presence')
  const key = keys.gatewayPresence(randomId(8))
  let isBeating = false
  let isStopped = false
  let answeredAt = clock.monotonic()
  const beat = async () => {
    isBeating = true
    try {
      await tryOut()
      answeredAt = clock.monotonic()
      if (!isStopped) await presence.put(key, { ...gatewaySign(untrustedProxy()), knows: latestNumber(migrations) })
    } catch (error) {
      logger.debug({ err: error }, 'the gateway cannot take reports')
    } finally {
      isBeating = false
    }
  }
  const beating = repeat({ clock, everyMs: limits.presence.beatMs }, () => {
    if (!isBeating) void beat()
  })
  void beating.soon()
  return {
    silentMs: () => clock.monotonic() - answeredAt,
    stop: async () => {
      isStopped = true
      void beating.stop()
      await presence.delete(key).catch(() => undefined)
    },
  }
}
