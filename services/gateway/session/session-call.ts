// How a route of the session API answers: who calls is found first, its handler returns the answer or throws; the time limit is put
// around it here.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SessionIdentity } from '#shared/contracts/ask-people.ts'
import { AppError } from '#shared/errors.ts'
import { ownerUsername } from '#shared/owner-username.ts'
import { hasLostRights, rightsChanged } from '../access.ts'
import { type Call, callOf } from '../answer.ts'
import { letInBySession } from '../audit/let-in.ts'
import type { GatewayContext } from '../context.ts'
import { noteAccepted } from '../strangers.ts'
import { withinBudget } from '../time-budget.ts'
import { sessionDialect } from './dialect.ts'
import type { SessionOptions } from './options.ts'
import type { CookieJar } from './session-cookie.ts'
import { hashSessionToken } from './session-token.ts'

export interface SessionContext extends GatewayContext {
  options: SessionOptions
  cookies: CookieJar
}

/** Who is signed in. `sessionId` null: AUTH_DEV, where nobody needs a session. */
export type Visitor = Omit<SessionIdentity, 'sessionId'> & { sessionId: string | null }

export interface VisitorCall extends Call {
  visitor: Visitor
}

type RouteHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** A route for everybody. */
export const open =
  ({ clock }: SessionContext, handler: (call: Call) => Promise<unknown>): RouteHandler =>
  (request, reply) =>
    withinBudget(clock, request.arrivedAt, sessionDialect.budgetMs, handler(callOf(request, reply))).then(result =>
      answer(reply, result),
    )

/** A route for whoever is signed in; asks the directory each time, so that a session that was ended is ended here too. */
export const signedIn = (context: SessionContext, handler: (call: VisitorCall) => Promise<unknown>): RouteHandler =>
  open(context, async call => {
    const visitor = await demandVisitor(context, call)
    noteAccepted(call.request.raw.socket)
    call.request.letIn = letInBySession(visitor)
    call.request.confirmSender = async () => {
      if (hasLostRights(visitor, await demandVisitor(context, call))) throw rightsChanged()
    }
    return handler({ ...call, visitor })
  })

async function demandVisitor(context: SessionContext, call: Call): Promise<Visitor> {
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

/** A handler that has nothing to say answers 204. */
function answer(reply: FastifyReply, result: unknown): unknown {
  if (result !== undefined) return result
  return reply.sent ? reply : reply.code(204).send()
}
