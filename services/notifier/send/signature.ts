// Signs messages as Standard Webhooks wants it: HMAC-SHA256 over id, timestamp and body, one signature for each secret that is
// valid. Node's own HMAC is all it takes. The secret appears in nothing that comes out of here.
import { createHmac } from 'node:crypto'
import type { SigningSecret } from '#shared/contracts/notifications/destination.ts'
import { second } from '#shared/limits/limits.ts'

export interface Signed {
  id: string
  /** ms since the epoch; whole seconds of it are signed, and decide which secrets are valid. */
  madeAt: number
  body: string
}

/** The `webhook-signature` header, newest secret first; null where no secret is valid. */
export function signatureOf(secrets: readonly SigningSecret[] | undefined, { id, madeAt, body }: Signed): string | null {
  const valid = (secrets ?? []).filter(({ expiresAt }) => expiresAt === null || expiresAt > madeAt)
  const content = `${id}.${Math.floor(madeAt / second)}.${body}`
  const signatures = valid.map(({ secret }) => `v1,${createHmac('sha256', keyOf(secret)).update(content).digest('base64')}`)
  return signatures.length === 0 ? null : signatures.join(' ')
}

const keyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
