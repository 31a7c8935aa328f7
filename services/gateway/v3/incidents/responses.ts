// GET …/incidents/{id}/responses: what servers answered to the failed checks of an Incident. Reference: docs/reference/v3.md, 5.10.
import { Type } from 'typebox'
import type { IncidentResponse } from '#shared/contracts/ask/ask-incidents.ts'
import type { IncidentRecord } from '#shared/contracts/incidents/incident-views.ts'
import { checkedSignalKey } from '#shared/subjects/resource-signals.ts'
import { Answered, Instant, OrNull, writerOf } from '../../body/result-schema.ts'
import { isRedactedIn } from '../../callers/redacted-readers.ts'
import type { GatewayContext } from '../../context.ts'
import { route, type V3Call } from '../common.ts'

const IncidentResponseObject = Answered('IncidentResponse', {
  signal: Type.String({ description: 'Its key.', examples: ['reachability@aaaa'] }),
  location: Type.String({ description: 'The id of a Location.', examples: ['aaaa'] }),
  at: { ...Instant, description: 'When the check ended.' },
  status_line: OrNull(
    Type.String({ description: 'Null if the answer is not HTTP.', examples: ['HTTP/1.1 503 Service Unavailable'] }),
  ),
  headers: OrNull(
    Type.Array(Type.String(), {
      description: 'As they came. Null for a viewer and a scoped key.',
      examples: [['retry-after: 120']],
    }),
  ),
  body: OrNull(
    Type.String({ description: 'Its beginning. Null for a viewer and a scoped key.', examples: ['database is down'] }),
  ),
  binary: Type.Boolean({ description: 'Whether the body is no text; `body` is empty then.' }),
  truncated: Type.Boolean({ description: 'Whether the body goes on, or may.' }),
  error: Type.String({ examples: ['status 503, expected 200-299'] }),
})
const write = writerOf(IncidentResponseObject)

/** `path`: of the route. `find`: finds the Incident that the path names. */
export const responsesRoute = (path: string, find: (context: GatewayContext, call: V3Call) => Promise<IncidentRecord>) =>
  route('GET', path, {
    summary: 'What servers answered to failed checks: of each Location the first and the newest answer, oldest first.',
    more: 'Reading them is audited.',
    needs: { role: 'viewer', scope: null },
    find,
    result: Type.Array(IncidentResponseObject),
    isAudited: true,
    handler: async ({ directory }, { request, workspaceId, found, traceId }) => {
      const responses = await directory.ask('list-incident-responses', { incidentId: found.id }, traceId)
      const isRedacted = isRedactedIn(workspaceId, request.identity)
      return responses.map(response => responseObject(response, isRedacted))
    },
  })

/** `isRedacted`: the reader sees neither headers nor body, which may contain anything. */
const responseObject = ({ signal, locationId, ...response }: IncidentResponse, isRedacted: boolean) =>
  write({
    ...{ ...response, location: locationId, signal: checkedSignalKey(signal, locationId) },
    ...(isRedacted && { headers: null, body: null }),
  })
