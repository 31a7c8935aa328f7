// The parts of sign-ins at an OIDC provider, made once for each gateway.
import type { Clock } from '#shared/clock.ts'
import { oidcCallbackPath } from './oidc-paths.ts'
import type { OidcProvider } from './oidc-provider.ts'
import { createTransactions, type Transactions } from './oidc-transaction.ts'
import type { SessionOptions } from './options.ts'

export interface OidcParts {
  provider: OidcProvider
  transactions: Transactions
  redirectUri: string
  /** Requests that wait for the provider now. */
  running: number
}

/** Null: no provider is configured; the library is loaded only for one. */
export async function createOidcParts(clock: Clock, options: SessionOptions): Promise<OidcParts | null> {
  if (options.oidc === null) return null
  const { createOidcProvider } = await import('./oidc-provider.ts')
  const redirectUri = `${options.callbackBase}${oidcCallbackPath}`
  const provider = createOidcProvider(clock, options.oidc, redirectUri)
  return { provider, transactions: createTransactions(clock, options.oidc), redirectUri, running: 0 }
}
