// The acknowledgement of an incident, the same of websites and of custom subjects but for the ids that it names (spec A, B).
import { type TProperties, Type } from 'typebox'
import { Answered, Instant, Kind, OrNull, type Refusal, type RouteDescription } from './description.ts'
import { accessDenied } from './refusals.ts'

export const acknowledgement = (name: string, ids: TProperties, refusals: readonly Refusal[]): RouteDescription => ({
  summary: 'Says that somebody looks after an incident: its reminders stop, its status does not change.',
  more: 'Takes no body. A repeat answers who was first, with `recorded` false.',
  result: Answered(name, {
    incident_id: Type.String(),
    ...ids,
    status: Type.Enum(['problem', 'pending', 'recovering', 'no_data', 'ok']),
    acknowledged: Type.Literal(true),
    acknowledged_at: Instant,
    acknowledged_by: Type.String(),
    recorded: Type.Boolean({ description: 'Whether this call wrote the acknowledgement.' }),
    trouble_since: Instant,
    confirmed_at: OrNull(Instant),
    well_since: OrNull(Instant),
    closed_at: OrNull(Instant),
    kind: Kind('incident_acknowledgement'),
  }),
  refusals: ['2001 This request takes no body', '2002 Incident not found', '2004 Incident is closed', accessDenied, ...refusals],
})
