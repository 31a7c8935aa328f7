// GET /workspaces/{ws}/events: server-sent events of a workspace. Reference: docs/reference/v3.md, section 13.
import { Type } from 'typebox'
import { Answered, OrNull } from '../body/result-schema.ts'
import { roleIn } from '../callers/access.ts'
import type { Watcher } from '../events/stream.ts'
import { isBySession } from '../session/caller/session-call.ts'
import { route, type V3Call } from './common.ts'

const watch = route('GET', '/workspaces/:workspace/events', {
  summary: 'What happens in a workspace, as a stream of server-sent events (`Accept: text/event-stream`).',
  more: 'Without this header, the position in the stream: a stream that begins after it misses nothing from now on.',
  needs: { role: 'viewer', scope: null },
  isAudited: false,
  streams: true,
  query: {
    after: {
      schema: Type.String({ minLength: 1, maxLength: 40 }),
      meaning: 'The id of an event, or a position, to continue from; `Last-Event-ID` comes before it.',
    },
  },
  budgetMs: null,
  result: Answered('EventPosition', {
    position: OrNull(Type.String({ description: 'Null: no events can be received now.', examples: ['aB3dE6gH.17'] })),
  }),
  refusals: ['422 after'],
  handler: async ({ events }, call) => {
    const { workspaceId, query, request, reply } = call
    const isWanted = (request.headers.accept ?? '').includes('text/event-stream')
    // A HEAD request reaches this handler too, but gets no stream.
    if (!isWanted || request.method !== 'GET') return { position: await events.position(workspaceId) }
    const lastEventId = request.headers['last-event-id']
    const sent = typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : query['after']
    return await events.open(workspaceId, reply, watcherOf(call), typeof sent === 'string' ? sent : null)
  },
})

function watcherOf({ request, workspaceId }: V3Call): Watcher {
  const { identity, holder, findCallerAgain } = request
  const role = roleIn(identity, workspaceId)
  const over = isBySession(request) ? 'session' : 'key'
  return {
    userId: identity.userId,
    holder: holder ?? '',
    over,
    whyNot: async () => {
      const now = (await findCallerAgain?.()) ?? null
      if (now === null) return over
      return roleIn(now, workspaceId) === role ? null : 'rights'
    },
  }
}

export const eventRoutes = [watch]
