// Bodies of the session API for the records of an incident: the past transitions of its machine, and the next possible ones. Instants are
// RFC 3339.
import { type Static, Type } from 'typebox'
import { Closed, DateTime, Nullable } from '#shared/contracts/common.ts'

const State = Type.Enum(['pending', 'problem', 'noData', 'recovering', 'closed'])

export const RecordEvidence = Closed('RecordEvidence', {
  inputs: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: 'As in the history of an Incident of generation 3.',
    examples: [[{ signal: 'beat', status: 'problem', at: '2026-01-05T12:02:00.000Z', reason: 'disk full' }]],
  }),
  omitted: Type.Integer({ minimum: 0 }),
  truncated: Type.Boolean(),
})
export type RecordEvidence = Static<typeof RecordEvidence>

export const IncidentRecordObject = Closed('IncidentRecord', {
  sequence: Type.Integer({ minimum: 1 }),
  at: { ...DateTime, description: 'When the record took effect. A closing that was recovered is dated back.' },
  event: Type.String({ examples: ['problem.judged'] }),
  event_at: { ...DateTime, description: 'When the machine took the event; the order of the records.' },
  kind: Type.String({ examples: ['pending'] }),
  state: { ...State, description: "The machine's state after the event." },
  deadline_at: Nullable(DateTime),
  condition: Type.Enum(['ok', 'problem', 'no_data']),
  explanation: Type.String({ examples: ['2 of 3 locations failing'] }),
  evidence: Nullable(RecordEvidence),
})
export type IncidentRecordObject = Static<typeof IncidentRecordObject>

export const OutlookStep = Closed('OutlookStep', {
  event: Type.String({ examples: ['hold.elapsed'] }),
  at: DateTime,
  to: { ...State, description: "The machine's state after it." },
  announces: Nullable(Type.Enum(['opened', 'problem', 'no_data', 'recovery', 'acknowledged'])),
  reminder: Type.Boolean({ description: 'The message reminds of an earlier one.' }),
  held: Type.Boolean({ description: 'Maintenance keeps the message back.' }),
  recipients: Nullable(
    Type.Array(Type.String({ examples: ['Ops'] }), { description: 'Names of the destinations that get the message.' }),
  ),
})
export type OutlookStep = Static<typeof OutlookStep>

export const IncidentRecordsPage = Closed('IncidentRecordsPage', {
  at: { ...DateTime, description: "The server's clock." },
  workspace_id: Type.String(),
  monitor_id: Type.String(),
  records: Type.Array(IncidentRecordObject, { description: 'Oldest first.' }),
  more: Type.Boolean({ description: 'Ask again with the last sequence as `after`.' }),
  locations: Type.Record(Type.String(), Type.String(), {
    description: 'Names of the locations in the evidence, by id; one that is gone has none.',
    examples: [{ aaaa: 'frankfurt' }],
  }),
  outlook: Nullable(
    Closed('IncidentOutlook', {
      by_time: Nullable(OutlookStep),
      by_report: Type.Array(OutlookStep, { description: 'What each next judgement would do, were it made now.' }),
    }),
  ),
})
export type IncidentRecordsPage = Static<typeof IncidentRecordsPage>
