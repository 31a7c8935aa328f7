// GET /session/oidc/start and /session/oidc/callback: a person's way to the provider and back. Both answer with a redirect: to the
// provider, to where the person wanted to go, or to the sign-in page with a word that says why not.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits.ts'
import { type Call, callOf } from '../answer.ts'
import { queryText } from '../query.ts'
import { OidcError, type OidcTrouble } from './oidc-error.ts'
import { localPath, oidcCallbackPath } from './oidc-paths.ts'
import type { OidcProvider } from './oidc-provider.ts'
import { createTransactions, type Transactions } from './oidc-transaction.ts'
import type { SessionContext } from './session-call.ts'
import { SessionError } from './session-error.ts'
import { newSession } from './session-token.ts'
import { endEarlierSession } from './sign-in.ts'
import { demandSignedIn } from './sign-in-refusal.ts'

/** `/?sign_in_error=<word>`; the words are part of the API (docs/session-api.md). */
type SignInTrouble = OidcTrouble | 'disabled' | 'busy' | 'internal'

interface Parts {
  provider: OidcProvider
  transactions: Transactions
  redirectUri: string
}

export async function oidcRoutes(fastify: FastifyInstance, context: SessionContext): Promise<void> {
  const parts = await partsOf(context)
  let running = 0
  /** Each waits for the provider, so only so many run at once; whatever happens, the person gets somewhere. */
  const route =
    (step: (context: SessionContext, call: Call, parts: Parts) => Promise<string>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      if (!parts) throw new AppError('not_found', 'Not found', { details: 'No OIDC provider is configured here.' })
      if (running >= limits.sessionApi.oidcAtOnce) return reply.redirect(signInPage('busy'), 303)
      running++
      try {
        return reply.redirect(await step(context, callOf(request, reply), parts), 303)
      } catch (error) {
        return reply.redirect(signInPage(troubleOf(context, error)), 303)
      } finally {
        running--
      }
    }
  fastify.get('/oidc/start', route(begin))
  fastify.get('/oidc/callback', route(finish))
}

/** The library is loaded only where a provider is configured. */
async function partsOf({ clock, options }: SessionContext): Promise<Parts | null> {
  if (options.oidc === null) return null
  const { createOidcProvider } = await import('./oidc-provider.ts')
  const redirectUri = `${options.callbackBase}${oidcCallbackPath}`
  const provider = createOidcProvider(clock, options.oidc, redirectUri)
  return { provider, transactions: createTransactions(clock, options.oidc), redirectUri }
}

/** Answers where at the provider the person goes next. */
async function begin({ cookies }: SessionContext, { request, reply }: Call, parts: Parts): Promise<string> {
  const { url, transaction } = await parts.provider.begin(localPath(queryText(request, 'return_to')))
  cookies.setTransaction(reply, await parts.transactions.seal(transaction), limits.sessionApi.oidcTransactionMs)
  return url
}

/** Answers where the person wanted to go, signed in now. The transaction is used up, however it ends. */
async function finish(context: SessionContext, call: Call, parts: Parts): Promise<string> {
  const { cookies, directory, clock } = context
  const { request, reply, traceId } = call
  const sealed = cookies.transaction(request)
  cookies.clearTransaction(reply)
  const transaction = sealed === null ? null : await parts.transactions.unseal(sealed)
  if (transaction === null) throw new OidcError('expired', 'no transaction in this browser')
  const callbackUrl = new URL(parts.redirectUri)
  callbackUrl.search = new URL(request.url, callbackUrl).search
  const person = await parts.provider.finish(callbackUrl, transaction)
  const { token, session } = newSession()
  const identity = demandSignedIn(await directory.ask('sign-in-oidc', { ...person, session }, traceId))
  await endEarlierSession(context, call)
  cookies.setToken(reply, token, identity.expiresAt - clock.now())
  return transaction.returnTo
}

/** Why there is no session, for the sign-in page; the log gets the reason, and neither gets a code or a token. */
function troubleOf({ logger }: SessionContext, error: unknown): SignInTrouble {
  if (error instanceof OidcError) {
    const { trouble, reason } = error
    logger.warn({ trouble, reason }, 'a sign-in at the OIDC provider did not succeed')
    return trouble
  }
  if (error instanceof SessionError)
    return error.word === 'disabled' ? 'disabled' : error.word === 'rate_limited' ? 'busy' : 'refused'
  if (error instanceof AppError && error.retryable) return 'busy'
  logger.error({ err: error }, 'a sign-in at the OIDC provider could not be finished')
  return 'internal'
}

const signInPage = (trouble: SignInTrouble): string => `/?sign_in_error=${trouble}`
