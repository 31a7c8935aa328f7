// Observation log of a Resource, newest first. The log does not show which Observations decided a verdict. Reference: docs/reference/v3.md,
// 7.8.
import { Type } from 'typebox'
import { SignalName } from '#shared/contracts/common.ts'
import type { ObservationEntry } from '#shared/contracts/observations/observation-log.ts'
import { redactedMembers } from '#shared/secrecy/redacted-value.ts'
import { timestampOfMicroseconds } from '../../body/instants.ts'
import { Answered, Instant, OrNull, writerOf } from '../../body/result-schema.ts'
import { isRedactedIn } from '../../callers/redacted-readers.ts'
import { route } from '../common.ts'
import { limitOf, pageQuery } from '../paging.ts'
import { findResource } from '../resources/resources.ts'

export const LoggedObservation = Answered('LoggedObservation', {
  id: Type.String({ examples: ['OBSERVATION_ID'] }),
  signal: Type.String({ description: 'Its key.', examples: ['beat'] }),
  location: Type.String({ description: 'The id of a Location, or empty.', examples: [''] }),
  state: Type.Enum(['ok', 'problem', 'no_data']),
  value: OrNull(Type.Number({ description: 'Of a check: what it found, in the unit of its kind.' })),
  labels: Type.Record(Type.String(), Type.String(), { examples: [{}] }),
  body: { ...OrNull(Type.Object({}, { additionalProperties: true })), description: 'Null also for a viewer and a scoped key.' },
  at: Instant,
  received_at: Instant,
  source: Type.Enum(['api', 'address', 'ping', 'worker'], { description: '`worker`: a check of the platform.' }),
  reason: OrNull(Type.String({ examples: ['disk full'] })),
})

const list = route('GET', '/workspaces/:workspace/resources/:resource/observations', {
  summary: 'Newest Observations of the Resource and its checks: context, no record of decisions.',
  more: 'Fewer than `limit` where bodies fill 512 KiB.',
  needs: { role: 'viewer', scope: null },
  find: findResource,
  query: {
    signal: { schema: SignalName, meaning: 'The key of a signal; all unless sent.' },
    limit: pageQuery.limit,
  },
  result: Type.Array(LoggedObservation),
  refusals: ['422 signal', '422 limit'],
  isAudited: true,
  handler: async ({ directory }, call) => {
    const { request, workspaceId, found, query, traceId } = call
    const signal = typeof query['signal'] === 'string' ? query['signal'] : null
    const wanted = { subjectId: found.id, signal, ...unbounded, limit: limitOf(call) }
    const entries = await directory.ask('list-observations', wanted, traceId)
    const isRedacted = isRedactedIn(workspaceId, request.identity)
    return entries.map(entry => loggedObservation(entry, isRedacted))
  },
})

const unbounded = { from: null, to: null, unaccepted: false }

const write = writerOf(LoggedObservation)
/** `isRedacted`: the reader sees labels in display form, and no body: a body may contain anything. */
export const loggedObservation = (entry: ObservationEntry, isRedacted: boolean) =>
  write({
    ...entry,
    location: entry.locationId ?? '',
    labels: isRedacted ? redactedMembers(entry.labels) : entry.labels,
    body: entry.body === null || isRedacted ? null : (JSON.parse(entry.body) as object),
    at: timestampOfMicroseconds(entry.atUs),
    receivedAt: timestampOfMicroseconds(entry.receivedAtUs),
  })

export const observationLogRoutes = [list]
