// Installation data for administrators. GET /session/health: conditions that need attention. GET /session/audit: changes outside all
// workspaces.
import { Type } from 'typebox'
import { timestamp } from '../../body/instants.ts'
import { Answered, Instant, OrNull } from '../../body/result-schema.ts'
import type { QueryParameter, Route } from '../../http/route.ts'
import { AuditObject, auditObject } from '../../v3/audit.ts'
import { sessionQuery } from '../caller/query.ts'
import { admin, route } from '../caller/session-route.ts'

const showHealth = route('GET', '/health', {
  summary: 'What the operator should look at, the oldest first.',
  needs: admin,
  result: Answered('Health', {
    at: Instant,
    version: Type.String({ examples: ['2.0.0'] }),
    conditions: Type.Array(
      Answered('HealthCondition', {
        kind: Type.Enum([
          'location_lost',
          'key_expiring',
          'storage_full',
          'destination_failing',
          'dead_letters',
          'proxy_untrusted',
          'clock_set',
        ]),
        name: Type.String({ description: 'Of the location, key or destination; else empty.', examples: ['frankfurt'] }),
        since: Instant,
        summary: Type.String({ examples: ['No prober of frankfurt has lived for 5 minutes.'] }),
      }),
      { description: 'At most 200.' },
    ),
  }),
  handler: async ({ clock, directory, version }, { traceId }) => {
    const conditions = await directory.ask('list-conditions', {}, traceId)
    return {
      at: timestamp(clock.now()),
      version,
      conditions: conditions.map(({ kind, name, since, summary }) => ({ kind, name, since: timestamp(since), summary })),
    }
  },
})

const auditQuery: Record<string, QueryParameter> = {
  limit: { schema: Type.Integer({ minimum: 1, maximum: 200 }), meaning: 'Rows of the page; absent: 50.' },
  after: { schema: Type.String({ pattern: '^[0-9A-Za-z]{1,64}$' }), meaning: 'The `next` of the page before.' },
}

const showAudit = route('GET', '/audit', {
  summary: 'Who changed what outside of workspaces, newest first; a workspace has its own audit.',
  needs: admin,
  query: auditQuery,
  result: Answered('InstallationAudit', { rows: Type.Array(AuditObject), next: OrNull(Type.String({ examples: ['0abc'] })) }),
  refusals: ['invalid'],
  handler: async ({ directory }, call) => {
    const { limit = 50, after = null } = sessionQuery(auditQuery, call) as { limit?: number; after?: string }
    const everything = { workspaceId: null, personId: null, path: null, since: null, until: null }
    const { items, next } = await directory.ask('list-audit', { ...everything, limit, after }, call.traceId)
    return { rows: items.map(auditObject), next }
  },
})

export const installationRoutes: readonly Route[] = [showHealth, showAudit]
