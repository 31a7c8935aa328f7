// A sign-in on its way to the provider and back: what must be the same again, kept in the browser that began it, signed and short-lived.
// Any gateway can go on with what another began, because the signing key comes from the client secret that they share.
import { createHmac, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Clock } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'
import type { OidcOptions } from './options.ts'

export interface Transaction {
  state: string
  nonce: string
  codeVerifier: string
  /** A local path. */
  returnTo: string
}

export interface Transactions {
  seal(transaction: Transaction): Promise<string>
  /** Null where nobody here sealed it, or too long ago. */
  unseal(sealed: string): Promise<Transaction | null>
}

interface Sealed extends Transaction {
  expiresAt: number
}

export function createTransactions(clock: Clock, { issuer, clientId, clientSecret }: OidcOptions): Transactions {
  // Stretched, so that a signed cookie helps nobody to guess a client secret.
  let key: Promise<Buffer> | null = null
  const signature = async (text: string): Promise<Buffer> => {
    key ??= stretch(clientSecret, `watchkeeper sign-in ${issuer} ${clientId}`, keyBytes)
    return createHmac('sha256', await key)
      .update(text)
      .digest()
  }
  return {
    seal: async transaction => {
      const sealed: Sealed = { ...transaction, expiresAt: clock.now() + limits.sessionApi.oidcTransactionMs }
      const text = Buffer.from(JSON.stringify(sealed)).toString('base64url')
      return `${text}.${(await signature(text)).toString('base64url')}`
    },
    unseal: async sealed => {
      const [text, given, more] = sealed.split('.')
      if (!text || !given || more !== undefined) return null
      const expected = await signature(text)
      const bytes = Buffer.from(given, 'base64url')
      if (bytes.length !== expected.length || !timingSafeEqual(bytes, expected)) return null
      const { expiresAt, ...transaction } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Sealed
      return expiresAt > clock.now() ? transaction : null
    },
  }
}

const keyBytes = 32
const stretch = promisify(scrypt) as (secret: string, salt: string, bytes: number) => Promise<Buffer>
