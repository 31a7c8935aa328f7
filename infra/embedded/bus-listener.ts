// Where the embedded nats-server listens and what it shows there, as the settings say: checked before it is started, because it says
// less clearly what is wrong.
import { isIP } from 'node:net'
import { isLoopback } from '#shared/loopback.ts'
import type { AllSettings } from './all-settings.ts'
import { requirePair } from './pem-files.ts'
import { usageError } from './start-error.ts'

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
