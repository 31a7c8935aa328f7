// GET /session/monitors/{id}/observations: Observation log of a monitor within a time range, with the reports that were refused.
import { Type } from 'typebox'
import { AppError } from '#shared/errors.ts'
import { Answered, OrNull } from '../../body/result-schema.ts'
import { parseTimestamp } from '../../body/rfc3339.ts'
import { roleIn } from '../../callers/access.ts'
import type { QueryParameter, Route } from '../../http/route.ts'
import { LoggedObservation, loggedObservation } from '../../v3/observations/observation-log.ts'
import { sessionQuery } from '../caller/query.ts'
import { member, route } from '../caller/session-route.ts'
import { findMonitor } from './monitor-page.ts'

const SentInstant = Type.String({ minLength: 1, maxLength: 64 })

const query: Record<string, QueryParameter> = {
  from: { schema: SentInstant, meaning: 'Rows of this instant and later.' },
  to: { schema: SentInstant, meaning: 'Rows before this instant.' },
  unaccepted: { schema: Type.Boolean(), meaning: 'Only reports that are not judged; they are left out else.' },
  limit: { schema: Type.Integer({ minimum: 1, maximum: 200 }), meaning: 'Rows of the page; absent: 50.' },
}

const Rejected = OrNull(Type.Enum(['clock_skew', 'late', 'out_of_order', 'out_of_retention']))

const listObservations = route('GET', '/monitors/:monitorId/observations', {
  summary: 'Newest reports and checks of a monitor: context, no record of decisions.',
  needs: member,
  find: findMonitor,
  query,
  result: Answered('MonitorObservations', {
    observations: Type.Array(
      Answered('MonitorObservation', {
        ...LoggedObservation.properties,
        rejected: { ...Rejected, description: 'Why it is not judged; null: it was accepted.' },
      }),
    ),
  }),
  refusals: ['invalid'],
  handler: async ({ directory }, call) => {
    const { found, visitor, traceId } = call
    const asked = sessionQuery(query, call)
    const { unaccepted = false, limit = 50 } = asked as { unaccepted?: boolean; limit?: number }
    const range = { from: instantOf(asked, 'from'), to: instantOf(asked, 'to') }
    const wanted = { subjectId: found.resource.id, signal: null, ...range, unaccepted, limit }
    const entries = await directory.ask('list-observations', wanted, traceId)
    const isRedacted = roleIn(visitor, found.workspaceId) === 'viewer'
    return { observations: entries.map(entry => ({ ...loggedObservation(entry, isRedacted), rejected: entry.rejected })) }
  },
})

/** Returns the parameter's instant, rounded up to a whole millisecond. Null: the parameter was not sent. */
function instantOf(asked: Readonly<Record<string, unknown>>, name: 'from' | 'to'): number | null {
  const sent = asked[name]
  if (typeof sent !== 'string') return null
  const atUs = parseTimestamp(sent)
  if (atUs !== null && atUs >= 0) return Math.ceil(atUs / 1_000)
  throw new AppError('validation', 'Invalid request', {
    details: `The parameter '${name}' must be an RFC 3339 instant with a zone, from 1970 on.`,
    facts: { field: name },
  })
}

export const observationLogRoutes: readonly Route[] = [listObservations]
