// Checks of the settings for the listener of the embedded nats-server and its certificates. They run before the start, because
// nats-server's own errors are less clear.
import { isIP } from 'node:net'
import { isLoopback } from '#shared/net/loopback.ts'
import type { AllSettings } from '../all-settings.ts'
import { usageError } from '../start-error.ts'
import { requirePair } from './pem-files.ts'

/** Throws a StartError. */
export async function demandFittingListener(settings: AllSettings): Promise<void> {
  const { NATS_TLS_CERT, NATS_TLS_KEY, NATS_LISTEN, NATS_PORT } = settings
  if (isIP(NATS_LISTEN) === 0 && NATS_LISTEN !== 'localhost') {
    throw usageError(`NATS_LISTEN must be an IP address of this machine, such as 0.0.0.0; it is "${NATS_LISTEN}".`)
  }
  if (!isLoopback(NATS_LISTEN) && NATS_PORT === 0) {
    throw usageError(
      'NATS_PORT must be set where NATS_LISTEN opens the bus to other machines: they need a port that stays, such as 4222.',
    )
  }
  await requirePair({ NATS_TLS_CERT }, { NATS_TLS_KEY })
}
