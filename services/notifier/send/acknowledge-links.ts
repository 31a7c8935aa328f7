// Acknowledge links of messages: an address with a stand-in when a message is made, and the token when an attempt sends it. A token is
// never stored and never logged. Reference: docs/reference/v3.md, 10.21.
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { DeliveryDocument } from '#shared/contracts/notifications/delivery.ts'
import { limits } from '#shared/limits/limits.ts'
import { signingKey } from '#shared/notifications/acknowledge-keys.ts'
import {
  type AcknowledgeKey,
  acknowledgeExpiry,
  acknowledgeStandIn,
  makeAcknowledgeToken,
} from '#shared/tokens/acknowledge-token.ts'
import type { NotifierContext } from '../context.ts'

export interface StandIn {
  /** Address of the page, with the text in the place of the token. */
  address: string
  /** Unguessable text, as long as the token. */
  text: string
}

/** Returns the link of a message; null: it has none, because nothing is open, or because the installation has no public address. */
export function standInFor(alert: AlertDocument, destinationId: string, linkBase: string | null): StandIn | null {
  const isAboutTrouble = alert.kind === 'problem' || alert.kind === 'no_data'
  if (linkBase === null || !isAboutTrouble || alert.facts.isTest) return null
  const text = acknowledgeStandIn({ incidentId: alert.incidentId, destinationId, expiresAt: acknowledgeExpiry(alert.decidedAt) })
  return { address: `${linkBase}/a/${text}`, text }
}

/** Returns a function that makes the token of a delivery's link, the same at every attempt with the same key. Rejects with a StoreError. */
export function createTokenMaker({ store, clock }: Pick<NotifierContext, 'store' | 'clock'>) {
  let reading: Promise<AcknowledgeKey> | null = null
  let readAt = 0
  const key = (): Promise<AcknowledgeKey> => {
    const now = clock.monotonic()
    if (reading !== null && now - readAt < limits.acknowledge.keyReadMs) return reading
    readAt = now
    const begun = signingKey(store, clock.now())
    begun.catch(() => {
      if (reading === begun) reading = null
    })
    reading = begun
    return begun
  }
  return async ({ incidentId, destinationId, createdAt }: DeliveryDocument): Promise<string> =>
    makeAcknowledgeToken({ incidentId, destinationId, expiresAt: acknowledgeExpiry(createdAt) }, await key())
}
