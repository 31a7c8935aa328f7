// GET /session/oidc/start redirects the browser to the provider. GET /session/oidc/callback, to which the provider redirects the browser,
// redirects to the path that the person wanted. If either route fails, it redirects to the sign-in page with an error word.
import { Type } from 'typebox'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { queryText } from '../../body/query.ts'
import type { Call } from '../../http/answer.ts'
import type { QueryParameter, Route } from '../../http/route.ts'
import type { SessionContext } from '../caller/session-call.ts'
import { SessionError } from '../caller/session-error.ts'
import { openRoute } from '../caller/session-route.ts'
import { newSession } from '../caller/session-token.ts'
import { requireSignedIn } from '../caller/sign-in-refusal.ts'
import { endEarlierSession } from '../sign-in.ts'
import { OidcError, type OidcTrouble } from './oidc-error.ts'
import type { OidcParts } from './oidc-parts.ts'
import { localPath } from './oidc-paths.ts'

/** Error word in the address of the sign-in page, `/?sign_in_error=<word>`. The words are part of the API (docs/session-api.md). */
type SignInTrouble = OidcTrouble | 'disabled' | 'busy' | 'internal'

const returnTo: Record<string, QueryParameter> = {
  return_to: { schema: Type.String(), meaning: 'A path of this origin; anything else leads to `/`.' },
}

type Step = (context: SessionContext, call: Call, parts: OidcParts) => Promise<string>

/**
 * Wraps a handler that waits for the provider. Only a limited number of such handlers run at once. Every outcome, even an error, becomes a
 * redirect.
 */
const leading =
  (step: Step) =>
  async (context: SessionContext, call: Call): Promise<string> => {
    const { oidc } = context
    if (oidc === null) throw new AppError('not_found', 'Not found', { details: 'No OIDC provider is configured here.' })
    if (oidc.running >= limits.sessionApi.oidcAtOnce) return signInPage('busy')
    oidc.running++
    try {
      return await step(context, call, oidc)
    } catch (error) {
      return signInPage(troubleOf(context, error))
    } finally {
      oidc.running--
    }
  }

async function begin({ cookies }: SessionContext, { request, reply }: Call, parts: OidcParts): Promise<string> {
  const { url, transaction } = await parts.provider.begin(localPath(queryText(request, 'return_to')))
  cookies.setTransaction(reply, await parts.transactions.seal(transaction), limits.sessionApi.oidcTransactionMs)
  return url
}

/** Completes the sign-in and returns the path that the person wanted. The transaction's cookie is removed even if the sign-in fails. */
async function finish(context: SessionContext, call: Call, parts: OidcParts): Promise<string> {
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
  const identity = requireSignedIn(await directory.ask('sign-in-oidc', { ...person, session }, traceId))
  await endEarlierSession(context, call)
  cookies.setToken(reply, token, identity.expiresAt - clock.now())
  return transaction.returnTo
}

/** Returns the failure for the sign-in page and logs its reason. Neither the failure nor the reason contains a code or a token. */
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

const start = openRoute('GET', '/oidc/start', {
  summary: 'Leads to the OIDC provider.',
  more: 'Without a provider: 404.',
  query: returnTo,
  budgetMs: null,
  status: 303,
  refusals: ['not_found'],
  handler: leading(begin),
})

const callback = openRoute('GET', '/oidc/callback', {
  summary: 'Where the provider sends people back to.',
  budgetMs: null,
  status: 303,
  refusals: ['not_found'],
  handler: leading(finish),
})

export const oidcRoutes: readonly Route[] = [start, callback]
