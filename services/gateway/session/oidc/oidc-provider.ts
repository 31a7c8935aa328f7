// Client of the OIDC provider, based on the certified library openid-client. Discovery runs at the first use and again after a failure, so
// the gateway starts even if the provider is down. Sign-ins use the code flow with PKCE, state and nonce.
import * as oidc from 'openid-client'
import { limits, second } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import type { OidcOptions } from '../caller/options.ts'
import { OidcError } from './oidc-error.ts'
import type { Transaction } from './oidc-transaction.ts'

/**
 * Identity that the provider stated. `issuer` and `subject` together identify the person. The other fields are suggestions for a new
 * account.
 */
export interface ProvenPerson {
  issuer: string
  subject: string
  username: string
  displayName: string
}

export interface OidcProvider {
  /**
   * Returns the provider's address to which the browser is redirected, and a transaction. The browser must send the transaction back with
   * the callback. Throws an OidcError.
   */
  begin(returnTo: string): Promise<{ url: string; transaction: Transaction }>
  /** Completes a sign-in. `callbackUrl`: the address to which the provider redirected the browser. Throws an OidcError. */
  finish(callbackUrl: URL, transaction: Transaction): Promise<ProvenPerson>
}

export function createOidcProvider(clock: Clock, options: OidcOptions, redirectUri: string): OidcProvider {
  const configured = rememberConfiguration(clock, () => discover(options))
  return {
    begin: async returnTo => {
      const configuration = await configured()
      const codeVerifier = oidc.randomPKCECodeVerifier()
      const transaction = { state: oidc.randomState(), nonce: oidc.randomNonce(), codeVerifier, returnTo }
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid profile email',
        state: transaction.state,
        nonce: transaction.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, transaction }
    },
    finish: async (callbackUrl, { state, nonce, codeVerifier }) => {
      const configuration = await configured()
      // The library first compares `state` with the callback, and only then sends the code to the provider. So a callback that belongs to
      // another browser's sign-in is refused.
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier, idTokenExpected: true }
      const tokens = await oidc.authorizationCodeGrant(configuration, callbackUrl, checks).catch(raise)
      const claims = tokens.claims()
      if (!claims) throw new OidcError('refused', 'no id token')
      return personOf({ ...(await moreClaims(configuration, tokens.access_token, claims.sub)), ...claims })
    },
  }
}

function discover(options: OidcOptions): Promise<oidc.Configuration> {
  const issuer = new URL(options.issuer)
  return oidc.discovery(issuer, options.clientId, undefined, authenticateClient(options.clientSecret), {
    timeout: limits.sessionApi.oidcRequestMs / second,
    [oidc.customFetch]: fetchBounded,
    // Only an issuer on loopback may use http (settings.ts).
    ...(issuer.protocol === 'http:' ? { execute: [oidc.allowInsecureRequests] } : {}),
  })
}

/** Fetches a response. Reading the body fails if the body exceeds the size limit. */
async function fetchBounded(...asked: Parameters<oidc.CustomFetch>): Promise<Response> {
  const [url, { method, headers, redirect, signal, body }] = asked
  const response = await fetch(url, { method, headers, redirect, signal: signal ?? null, body: body ?? null })
  let bytes = 0
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length
      if (bytes > limits.sessionApi.oidcAnswerBytes) controller.error(new Error('The answer of the provider is too long'))
      else controller.enqueue(chunk)
    },
  })
  const { status, statusText } = response
  return new Response(response.body?.pipeThrough(bounded) ?? null, { status, statusText, headers: response.headers })
}

/**
 * Returns the way to send the client secret. The header is used if the provider accepts the secret there (the standard's default), else the
 * body.
 */
function authenticateClient(secret: string): oidc.ClientAuth {
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)]
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const method = methods.includes('client_secret_basic') ? basic : post
    return method(server, client, body, headers)
  }
}

/**
 * Returns a function that runs one discovery at a time and caches its result. A failed discovery is retried once, and its failure is never
 * cached.
 */
function rememberConfiguration(clock: Clock, find: () => Promise<oidc.Configuration>): () => Promise<oidc.Configuration> {
  let found: { configuration: oidc.Configuration; until: number } | null = null
  let finding: Promise<oidc.Configuration> | null = null
  const findAgain = async (): Promise<oidc.Configuration> => {
    const configuration = await find().catch(find)
    found = { configuration, until: clock.monotonic() + limits.sessionApi.oidcDiscoveryMs }
    return configuration
  }
  return async () => {
    if (found && clock.monotonic() < found.until) return found.configuration
    finding ??= findAgain().finally(() => {
      finding = null
    })
    try {
      return await finding
    } catch (error) {
      // If discovery fails, the configuration of an earlier discovery is used, even if it has expired.
      if (found) return found.configuration
      throw new OidcError('provider_unavailable', reasonOf(error))
    }
  }
}

/**
 * Returns the claims from the provider's userinfo endpoint. Many providers return name and e-mail address only at this endpoint. If the
 * request to this endpoint fails, the person is still signed in.
 */
async function moreClaims(configuration: oidc.Configuration, token: string, subject: string): Promise<Record<string, unknown>> {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return {}
  return oidc.fetchUserInfo(configuration, token, subject).catch(() => ({}))
}

function personOf(claims: Record<string, unknown>): ProvenPerson {
  const text = (name: string): string => {
    const claim = claims[name]
    return typeof claim === 'string' ? claim.slice(0, limits.sessionApi.textCharacters).toWellFormed() : ''
  }
  const username = text('preferred_username') || (text('email').split('@')[0] ?? '')
  return {
    issuer: text('iss'),
    subject: text('sub'),
    username,
    displayName: text('name'),
  }
}

/**
 * Converts an error of the library into an OidcError and throws it. The reason is one of: cancelled by the person, refused by the provider,
 * provider unreachable.
 */
function raise(error: unknown): never {
  if (error instanceof oidc.AuthorizationResponseError) {
    throw new OidcError(error.error === 'access_denied' ? 'cancelled' : 'refused', error.error)
  }
  if (error instanceof oidc.ResponseBodyError && error.status < 500) throw new OidcError('refused', error.error)
  throw new OidcError(isOutage(error) ? 'provider_unavailable' : 'refused', reasonOf(error))
}

const outages = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'])

const isOutage = (error: unknown): boolean =>
  error instanceof oidc.ResponseBodyError || (error instanceof TypeError && !isCoded(error)) || outages.has(reasonOf(error))

const isCoded = (error: Error): boolean => typeof (error as { code?: unknown }).code === 'string'

const reasonOf = (error: unknown): string =>
  error instanceof Error ? ((error as { code?: string }).code ?? error.name) : 'unknown'
