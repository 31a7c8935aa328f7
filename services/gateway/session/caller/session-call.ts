// Caller of the session API.
import type { FastifyRequest } from 'fastify'
import type { Identity } from '#shared/contracts/ask/ask.ts'
import type { SessionIdentity } from '#shared/contracts/ask/ask-people.ts'
import { AppError } from '#shared/errors.ts'
import { ownerUsername } from '#shared/tokens/owner-username.ts'
import { letInBySession } from '../../audit/let-in.ts'
import { hasLostRights, rightsChanged } from '../../callers/access.ts'
import type { GatewayContext } from '../../context.ts'
import type { Call } from '../../http/answer.ts'
import { noteAccepted } from '../../http/connections.ts'
import type { OidcParts } from '../oidc/oidc-parts.ts'
import type { SessionOptions } from './options.ts'
import type { CookieJar } from './session-cookie.ts'
import { hashSessionToken } from './session-token.ts'

export interface SessionContext extends GatewayContext {
  options: SessionOptions
  cookies: CookieJar
  /** Objects that OIDC sign-ins need; null: no provider is configured. */
  oidc: OidcParts | null
}

/** The signed-in person. `sessionId` is null with AUTH_DEV, because AUTH_DEV needs no session. */
export type Visitor = Omit<SessionIdentity, 'sessionId'> & { sessionId: string | null }

export interface VisitorCall extends Call {
  visitor: Visitor
}

/** Returns the identity of a signed-in person, with the same rights as a full key gives. */
export const identityOf = (visitor: Visitor): Identity => ({ ...visitor, keyId: '', keyPrefix: '', scope: null })

/** Returns the name under which the gateway counts what a person's browsers hold. */
export const holderOf = ({ sessionId, userId }: Visitor): string => `${holderPrefix}${sessionId ?? userId}`

/** Whether a session was accepted for the request. */
export const isBySession = ({ holder }: FastifyRequest): boolean => holder?.startsWith(holderPrefix) ?? false

const holderPrefix = 'session:'

/** Returns the caller of a request. Every request asks the directory, so an ended session stops working at once. */
export async function findCaller(context: SessionContext, call: Call): Promise<VisitorCall> {
  const visitor = await requireVisitor(context, call)
  noteAccepted(call.request, holderOf(visitor))
  context.forwarding.noteVisitor(call.request)
  call.request.letIn = letInBySession(visitor)
  call.request.confirmSender = async () => {
    if (hasLostRights(visitor, await requireVisitor(context, call))) throw rightsChanged()
  }
  call.request.findCallerAgain = () => findVisitor(context, call)
  return { ...call, visitor }
}

async function requireVisitor(context: SessionContext, call: Call): Promise<Visitor> {
  const visitor = await findVisitor(context, call)
  if (visitor) return visitor
  throw new AppError('unauthenticated', 'Not signed in', {
    details: 'Sign in first: the session is missing, ended or expired.',
  })
}

/** Returns the person of a request; null: not signed in. If the session has ended, the response removes the cookie. */
export async function findVisitor(
  { directory, cookies, options }: Pick<SessionContext, 'directory' | 'cookies' | 'options'>,
  call: Call,
): Promise<Visitor | null> {
  if (options.developer) {
    const owner = await directory.ask('describe-user', { username: ownerUsername }, call.traceId)
    return owner && { ...owner, admin: true, hasPassword: false, sessionId: null }
  }
  const token = cookies.token(call.request)
  if (token === null) return null
  const identity = await directory.ask('find-session', { tokenHash: hashSessionToken(token) }, call.traceId)
  if (identity && !identity.disabled) return identity
  cookies.clearToken(call.reply)
  return null
}
