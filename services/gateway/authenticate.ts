// The first check of every request: whose key is it? (spec A, Authentication; D 1, Auth codes)
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'
import type { Clock } from '#shared/clock.ts'
import type { Identity } from '#shared/contracts/ask.ts'
import { AuthenticationError } from './authentication-error.ts'
import type { Identities } from './identities.ts'
import type { KeyUsage } from './key-usage.ts'
import { withinBudget } from './time-budget.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the first check; every route behind it has one. */
    identity: Identity
    /** On the monotonic clock. */
    arrivedAt: number
    /** The code in the answer's envelope, for the metrics; 0 on success. */
    answeredCode: number
  }
}

export type AuthenticateHook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void

/** An onRequest hook. A known key costs no promise and no question. */
export function createAuthenticate(identities: Identities, usage: KeyUsage, clock: Clock): AuthenticateHook {
  const accept = (request: FastifyRequest, identity: Identity | null): AuthenticationError | undefined => {
    if (identity === null) return new AuthenticationError('invalid')
    if (identity.disabled) return new AuthenticationError('disabled')
    request.identity = identity
    usage.used(identity.keyId)
    return undefined
  }
  return (request, _reply, done) => {
    const token = bearerToken(request.headers.authorization)
    if (token instanceof AuthenticationError) return done(token)
    const known = identities.known(token)
    if (known) return done(accept(request, known))
    withinBudget(clock, request.arrivedAt, identities.find(token)).then(
      identity => done(accept(request, identity)),
      error => done(error),
    )
  }
}

function bearerToken(header: string | undefined): string | AuthenticationError {
  if (header === undefined || header === '') return new AuthenticationError('missing')
  const token = /^Bearer +(\S+)$/i.exec(header)?.[1]
  return token ?? new AuthenticationError('malformed')
}
