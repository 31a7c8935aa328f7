// Data of a sign-in between its start and its callback. The browser that started the sign-in stores the data in a cookie that is signed and
// expires soon. Any gateway can complete the sign-in, because all gateways derive the signing key from the same client secret.
import { createHmac, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { OidcOptions } from '../caller/options.ts'

export interface Transaction {
  state: string
  nonce: string
  codeVerifier: string
  /** Path on this origin to which the person returns. */
  returnTo: string
}

export interface Transactions {
  seal(transaction: Transaction): Promise<string>
  /** Returns the transaction. Null: the signature is invalid, or the transaction has expired. */
  unseal(sealed: string): Promise<Transaction | null>
}

interface Sealed extends Transaction {
  expiresAt: number
}

export function createTransactions(clock: Clock, { issuer, clientId, clientSecret }: OidcOptions): Transactions {
  // Signing key, derived from the client secret by a slow hash. A fast hash would let somebody with a signed cookie guess the secret by
  // trial.
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
