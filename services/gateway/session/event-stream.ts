// GET /session/workspaces/{id}/events: server-sent events of a workspace.
import { Type } from 'typebox'
import { roleIn } from '../callers/access.ts'
import type { QueryParameter, Route } from '../http/route.ts'
import { sessionQuery } from './caller/query.ts'
import { workspaceOf } from './caller/rights.ts'
import { type SessionContext, stillVisiting, type VisitorCall } from './caller/session-call.ts'
import { member, route } from './caller/session-route.ts'
import type { Watcher } from './events/stream.ts'

const query: Record<string, QueryParameter> = {
  after: {
    schema: Type.String({ minLength: 1, maxLength: 40 }),
    meaning: 'An id to continue from, for the first stream of a page; `Last-Event-ID` comes before it.',
  },
}

const watchEvents = route('GET', '/workspaces/:workspaceId/events', {
  summary: 'The events of a workspace as a stream (text/event-stream), until the session ends.',
  more: 'See docs/session-api.md, The stream of events.',
  needs: member,
  query,
  budgetMs: null,
  refusals: ['rate_limited', 'invalid'],
  handler: async (context, call) => {
    // A HEAD request reaches this handler too, but gets no stream.
    if (call.request.method !== 'GET') return undefined
    const workspaceId = workspaceOf(call)
    const { after } = sessionQuery(query, call)
    const lastEventId = call.request.headers['last-event-id']
    const sent = typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : after
    const known = typeof sent === 'string' ? sent : null
    return await context.events.open(workspaceId, call.reply, watcherOf(context, call, workspaceId), known)
  },
})

function watcherOf(context: SessionContext, call: VisitorCall, workspaceId: string): Watcher {
  const { visitor } = call
  const role = roleIn(visitor, workspaceId)
  return {
    userId: visitor.userId,
    sessionId: visitor.sessionId,
    whyNot: async () => {
      const now = await stillVisiting(context, call)
      if (now === null) return 'session'
      return roleIn(now, workspaceId) === role ? null : 'rights'
    },
  }
}

export const eventRoutes: readonly Route[] = [watchEvents]
