// Objects that sign-ins at an OIDC provider need. A gateway creates them once.
import type { Clock } from '#shared/time/clock.ts'
import type { SessionOptions } from '../caller/options.ts'
import { oidcCallbackPath } from './oidc-paths.ts'
import type { OidcProvider } from './oidc-provider.ts'
import { createTransactions, type Transactions } from './oidc-transaction.ts'

export interface OidcParts {
  provider: OidcProvider
  transactions: Transactions
  redirectUri: string
  /** Number of HTTP requests whose handlers wait for the provider at this moment. */
  running: number
}

/** Creates the objects; null: no provider is configured. The OIDC library is loaded only if a provider is configured. */
export async function createOidcParts(clock: Clock, options: SessionOptions): Promise<OidcParts | null> {
  if (options.oidc === null) return null
  const { createOidcProvider } = await import('./oidc-provider.ts')
  const redirectUri = `${options.callbackBase}${oidcCallbackPath}`
  const provider = createOidcProvider(clock, options.oidc, redirectUri)
  return { provider, transactions: createTransactions(clock, options.oidc), redirectUri, running: 0 }
}
