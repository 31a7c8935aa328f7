// GET /session/health, for administrators: conditions that need attention.
import { Type } from 'typebox'
import { timestamp } from '../../body/instants.ts'
import { Answered, Instant } from '../../body/result-schema.ts'
import type { Route } from '../../http/route.ts'
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

export const installationRoutes: readonly Route[] = [showHealth]
