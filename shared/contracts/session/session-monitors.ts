// Rows of the list of monitors. Instants are RFC 3339.
import { type Static, Type } from 'typebox'
import { Component, DateTime, Nullable } from '#shared/contracts/common.ts'
import { rosterStatuses } from '#shared/contracts/subjects/roster.ts'
import { subjectKinds } from '#shared/contracts/subjects/subject-kind.ts'

const Count = Type.Integer({ minimum: 0 })

/** Text of an incident's cause, as generation 3 writes it. */
export const Cause = Type.String({
  description: 'As `cause` of an Incident of generation 3.',
  examples: ['status 503, expected 200 (frankfurt)'],
})

export const NextStepObject = Component('NextStep', {
  what: Type.Enum(['confirm', 'close', 'remind']),
  at: DateTime,
})
export type NextStepObject = Static<typeof NextStepObject>

export const MonitorRow = Component('MonitorRow', {
  id: Type.String({ examples: ['aB3dE6gH9k'] }),
  key: Type.String({ examples: ['shop'] }),
  name: Type.String({ examples: ['Shop'] }),
  kind: Type.Enum([...subjectKinds]),
  template: Nullable(Type.String({ description: '`key@version`.', examples: ['heartbeat@1'] })),
  host: Nullable(Type.String({ examples: ['shop.example'] })),
  watched: Nullable(
    Type.String({
      description: 'What is watched, of a website; without credentials.',
      examples: ['GET https://shop.example/health every 30s from frankfurt, oslo and 2 more'],
    }),
  ),
  status: Type.Enum([...rosterStatuses], {
    description:
      'By the worst open incident. `partly_known`: a rule has no data, another is ok. `unknown`: no rule can say anything yet.',
  }),
  why: Nullable(
    Type.String({
      description: 'Why it is not up, if no incident is open; else null.',
      examples: ['silent since 2026-01-05T12:02:00.000Z (beat)'],
    }),
  ),
  since: Nullable(DateTime),
  incident: Nullable(
    Component('MonitorRowIncident', {
      id: Type.String({ examples: ['INCIDENT_ID'] }),
      rule: Type.String({ examples: ['reachability'] }),
      cause: Nullable(Cause),
      explanation: Type.String({ description: 'At most 200 characters.', examples: ['2 of 3 locations failing'] }),
      acknowledged: Nullable(Component('MonitorRowAcknowledgement', { at: DateTime, by: Type.String({ examples: ['Ada'] }) })),
      next: Nullable(NextStepObject),
    }),
  ),
  incidents: Type.Integer({ minimum: 0, description: 'Open ones.' }),
  maintenance_until: Nullable(DateTime),
})
export type MonitorRow = Static<typeof MonitorRow>

export const MonitorCounts = Component('MonitorCounts', {
  down: Count,
  no_data: Count,
  pending: Count,
  recovering: Count,
  partly_known: Count,
  unknown: Count,
  up: Count,
  maintenance: Type.Integer({ minimum: 0, description: 'These are among the others too.' }),
})
export type MonitorCounts = Static<typeof MonitorCounts>

export const MonitorPage = Component('MonitorPage', {
  at: { ...DateTime, description: "The server's clock." },
  total: Type.Integer({ minimum: 0, description: 'Rows that fit the filters.' }),
  counts: { ...MonitorCounts, description: 'Of the whole workspace.' },
  from: Count,
  rows: Type.Array(MonitorRow),
})
export type MonitorPage = Static<typeof MonitorPage>
