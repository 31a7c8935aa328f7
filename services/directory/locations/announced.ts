// Announcement of probers' credentials to the bus, as the store has them.
import type { Announced } from '#shared/bus/probers/prober-issuer.ts'
import type { ProberCredentialDocument } from '#shared/contracts/account.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'

/** Those that are revoked, too. */
export const allCredentials = (store: Store): Promise<ProberCredentialDocument[]> =>
  store.find('proberCredentials', { limit: limits.prober.credentials + limits.directory.listed })

/** Every location with credentials, and which of those are revoked: public key to instant (ms). */
export async function announced(store: Store): Promise<Announced> {
  const locations: Record<string, Record<string, number>> = {}
  for (const { locationId, publicKey, revokedAt } of await allCredentials(store)) {
    const revoked = locations[locationId] ?? {}
    if (revokedAt !== null) revoked[publicKey] = revokedAt
    locations[locationId] = revoked
  }
  return locations
}
