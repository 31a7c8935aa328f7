// The first check of every request: whose key is it? (spec A, Authentication; D 1, Auth codes)
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import { hashToken, looksLikeToken } from '#shared/api-token.ts'
import type { Clock } from '#shared/clock.ts'
import type { Identity } from '#shared/contracts/ask.ts'
import { limits } from '#shared/limits.ts'
import { hasLostRights, rightsChanged } from './access.ts'
import { AuthenticationError } from './authentication-error.ts'
import type { Identities } from './identities.ts'
import type { KeyUsage } from './key-usage.ts'
import { noteAccepted } from './strangers.ts'
import { withinBudget } from './time-budget.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the first check; every route behind it has one. */
    identity: Identity
    /** On the monotonic clock. */
    arrivedAt: number
    /** The code of the refusal in the envelope, for the metrics; null: the answer has none. */
    answeredCode: number | null
  }
}

export type AuthenticateHook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void

/** An onRequest hook. A known key costs no promise and no question. */
export function createAuthenticate(identities: Identities, usage: KeyUsage, clock: Clock): AuthenticateHook {
  const sentTokens = createSentTokens()
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
    usage.used(identity.keyId)
    noteAccepted(request.raw.socket)
    return undefined
  }
  return (request, _reply, done) => {
    const tokenHash = sentTokens.hashOf(request)
    if (tokenHash instanceof AuthenticationError) return done(tokenHash)
    const known = identities.known(tokenHash)
    if (known) return done(accept(request, tokenHash, known))
    withinBudget(clock, request.arrivedAt, limits.http.answerMs, identities.find(tokenHash)).then(
      identity => done(accept(request, tokenHash, identity)),
      error => done(error),
    )
  }
}

/** The same for generations 1 and 2, which know no scoped keys: there such a key is nobody's (v3 2.5). */
export const requireFullKey =
  (authenticate: AuthenticateHook): AuthenticateHook =>
  (request, reply, done) =>
    authenticate(request, reply, refusal => {
      if (refusal === undefined && request.identity.scope !== null) done(new AuthenticationError('invalid'))
      else done(refusal)
    })

const refusalOf = (identity: Identity | null): AuthenticationError =>
  new AuthenticationError(identity === null ? 'invalid' : 'disabled')

/** The hash of a request's token; a connection that sends the same header again costs no second one. Forgotten with the connection. */
function createSentTokens(): { hashOf(request: FastifyRequest): string | AuthenticationError } {
  const latest = new WeakMap<object, { header: string; tokenHash: string }>()
  return {
    hashOf: ({ raw, headers }) => {
      const header = headers.authorization
      if (header === undefined || header === '') return new AuthenticationError('missing')
      const sent = latest.get(raw.socket)
      if (sent?.header === header) return sent.tokenHash
      const token = /^Bearer +(\S+)$/i.exec(header)?.[1]
      if (token === undefined) return new AuthenticationError('malformed')
      if (!looksLikeToken(token)) return new AuthenticationError('invalid')
      const tokenHash = hashToken(token)
      latest.set(raw.socket, { header, tokenHash })
      return tokenHash
    },
  }
}
