// First check of every request: the key in the request, and the owner of the key (reference/envelope 1.3 to 1.5, 3.2).
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Identity } from '#shared/contracts/ask/ask.ts'
import type { Caller } from '#shared/contracts/ask/ask-people.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clock } from '#shared/time/clock.ts'
import { hashToken, looksLikeToken } from '#shared/tokens/api-token.ts'
import { noteAccepted } from '../http/connections.ts'
import { withinBudget } from '../http/time-budget.ts'
import { hasLostRights, rightsChanged } from './access.ts'
import { AuthenticationError } from './authentication-error.ts'
import type { KeyUsage } from './key-usage.ts'
import type { Identities } from './token-memory.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Identity of the caller. The key check sets the identity before any route runs. */
    identity: Identity
    /**
     * Looks up the key or the session of the request again, with the present rights of its person. Resolves with null if it is not valid any
     * more. Null: no caller was accepted yet.
     */
    findCallerAgain: (() => Promise<Caller | null>) | null
    /** Instant of the request's arrival, ms of the monotonic clock. */
    arrivedAt: number
    /** Envelope code of the refusal, for the metrics. Null: the response has no envelope code. */
    answeredCode: number | null
  }
}

export type AuthenticateHook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void

/** Returns an onRequest hook that checks the key. For a cached key, the hook runs synchronously and sends no question to the directory. */
export function createAuthenticate(identities: Identities, usage: KeyUsage, clock: Clock): AuthenticateHook {
  const confirm = async (tokenHash: string, before: Identity): Promise<void> => {
    if (identities.known(tokenHash) === before) return
    const identity = await identities.find(tokenHash)
    if (identity === null || identity.disabled) throw refusalOf(identity)
    if (hasLostRights(before, identity)) throw rightsChanged()
  }
  const accept = (request: FastifyRequest, tokenHash: string, identity: Identity | null): AuthenticationError | undefined => {
    if (identity === null || identity.disabled) return refusalOf(identity)
    request.identity = identity
    request.confirmSender = () => confirm(tokenHash, identity)
    request.findCallerAgain = async () => {
      const now = await identities.find(tokenHash)
      return now?.disabled === false ? now : null
    }
    usage.used(identity.keyId)
    noteAccepted(request, `key:${identity.keyId}`)
    return undefined
  }
  return (request, _reply, done) => {
    const tokenHash = sentTokenHash(request.headers)
    if (tokenHash instanceof AuthenticationError) return done(tokenHash)
    const known = identities.known(tokenHash)
    if (known) return done(accept(request, tokenHash, known))
    withinBudget(clock, request.arrivedAt, limits.http.answerMs, identities.find(tokenHash)).then(
      identity => done(accept(request, tokenHash, identity)),
      error => done(error),
    )
  }
}

/** Key check of generations 1 and 2. These generations refuse scoped keys as unknown (v3 2.5). */
export const requireFullKey =
  (authenticate: AuthenticateHook): AuthenticateHook =>
  (request, reply, done) =>
    authenticate(request, reply, refusal => {
      if (refusal === undefined && request.identity.scope !== null) done(new AuthenticationError('invalid'))
      else done(refusal)
    })

const refusalOf = (identity: Identity | null): AuthenticationError =>
  new AuthenticationError(identity === null ? 'invalid' : 'disabled')

/** Returns the hash of a request's token, or the refusal of a request without a well-formed token. */
function sentTokenHash({ authorization }: IncomingHttpHeaders): string | AuthenticationError {
  if (authorization === undefined || authorization === '') return new AuthenticationError('missing')
  const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  if (token === undefined) return new AuthenticationError('malformed')
  return looksLikeToken(token) ? hashToken(token) : new AuthenticationError('invalid')
}
