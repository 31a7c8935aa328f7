// The caller of the session API.
import type { SessionIdentity } from '#shared/contracts/ask-people.ts'
import { AppError } from '#shared/errors.ts'
import { ownerUsername } from '#shared/owner-username.ts'
import { hasLostRights, rightsChanged } from '../access.ts'
import type { Call } from '../answer.ts'
import { letInBySession } from '../audit/let-in.ts'
import type { GatewayContext } from '../context.ts'
import { noteAccepted } from '../strangers.ts'
import type { OidcParts } from './oidc-parts.ts'
import type { SessionOptions } from './options.ts'
import type { CookieJar } from './session-cookie.ts'
import { hashSessionToken } from './session-token.ts'

export interface SessionContext extends GatewayContext {
  options: SessionOptions
  cookies: CookieJar
  /** Null: no provider is configured. */
  oidc: OidcParts | null
}

/** Who is signed in. `sessionId` null: AUTH_DEV, where nobody needs a session. */
export type Visitor = Omit<SessionIdentity, 'sessionId'> & { sessionId: string | null }

export interface VisitorCall extends Call {
  visitor: Visitor
}

/** The person behind a request. The directory is asked each time, so that a session that was ended is ended here too. */
export async function findCaller(context: SessionContext, call: Call): Promise<VisitorCall> {
  const visitor = await requireVisitor(context, call)
  noteAccepted(call.request.raw.socket)
  call.request.letIn = letInBySession(visitor)
  call.request.confirmSender = async () => {
    if (hasLostRights(visitor, await requireVisitor(context, call))) throw rightsChanged()
  }
  return { ...call, visitor }
}

async function requireVisitor(context: SessionContext, call: Call): Promise<Visitor> {
  const visitor = await findVisitor(context, call)
  if (visitor) return visitor
  throw new AppError('unauthenticated', 'Not signed in', {
    details: 'Sign in first: the session is missing, ended or expired.',
  })
}

/** The person behind a request; null: nobody. A cookie that no longer stands for anybody is taken back. */
async function findVisitor({ directory, cookies, options }: SessionContext, call: Call): Promise<Visitor | null> {
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
