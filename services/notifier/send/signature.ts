// Signatures of messages as Standard Webhooks defines them: HMAC-SHA256 over id, timestamp and body. A message has one signature for each
// valid secret. Never returns or throws a secret.
import { createHmac } from 'node:crypto'
import type { SigningSecret } from '#shared/contracts/notifications/destination.ts'
import { second } from '#shared/limits/limits.ts'

export interface Signed {
  id: string
  /**
   * Instant of the message, ms since the epoch. The signature covers the instant in whole seconds. Secrets that had expired at `madeAt` are
   * not used.
   */
  madeAt: number
  body: string
}

/** Returns the `webhook-signature` header. The signature with the newest secret is first. Null: no secret is valid. */
export function signatureOf(secrets: readonly SigningSecret[] | undefined, { id, madeAt, body }: Signed): string | null {
  const valid = (secrets ?? []).filter(({ expiresAt }) => expiresAt === null || expiresAt > madeAt)
  const content = `${id}.${Math.floor(madeAt / second)}.${body}`
  const signatures = valid.map(({ secret }) => `v1,${createHmac('sha256', keyOf(secret)).update(content).digest('base64')}`)
  return signatures.length === 0 ? null : signatures.join(' ')
}

const keyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
