// Bodies of the session API for the records of an incident (past and next transitions of its machine), and for the trial of a rule.
// Instants are RFC 3339.
import { type Static, Type } from 'typebox'
import { Component, DateTime, Nullable } from '#shared/contracts/common.ts'
import { Cause } from '#shared/contracts/session/session-monitors.ts'

const State = Type.Enum(['pending', 'problem', 'noData', 'recovering', 'closed'])

export const RecordEvidence = Component('RecordEvidence', {
  inputs: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: 'As in the history of an Incident of generation 3.',
    examples: [[{ signal: 'beat', status: 'problem', at: '2026-01-05T12:02:00.000Z', reason: 'disk full' }]],
  }),
  omitted: Type.Integer({ minimum: 0 }),
  truncated: Type.Boolean(),
})
export type RecordEvidence = Static<typeof RecordEvidence>

export const IncidentRecordObject = Component('IncidentRecord', {
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

export const OutlookStep = Component('OutlookStep', {
  event: Type.String({ examples: ['hold.elapsed'] }),
  at: DateTime,
  to: { ...State, description: "The machine's state after it." },
  announces: Nullable(Type.Enum(['opened', 'problem', 'no_data', 'recovery', 'acknowledged', 'withdrawn'])),
  reminder: Type.Boolean({ description: 'The message reminds of an earlier one.' }),
  held: Type.Boolean({ description: 'Maintenance keeps the message back.' }),
  recipients: Nullable(
    Type.Array(Type.String({ examples: ['Ops'] }), { description: 'Names of the destinations that get the message.' }),
  ),
})
export type OutlookStep = Static<typeof OutlookStep>

export const IncidentRecordsPage = Component('IncidentRecordsPage', {
  at: { ...DateTime, description: "The server's clock." },
  workspace_id: Type.String(),
  monitor_id: Type.String(),
  rule_name: Type.String({ description: 'Name of its rule when it opened.', examples: ['Reachability'] }),
  cause: Nullable(Cause),
  records: Type.Array(IncidentRecordObject, { description: 'Oldest first.' }),
  more: Type.Boolean({ description: 'Ask again with the last sequence as `after`.' }),
  locations: Type.Record(Type.String(), Type.String(), {
    description: 'Names of the locations in the evidence, by id; one that is gone has none.',
    examples: [{ aaaa: 'frankfurt' }],
  }),
  outlook: Nullable(
    Component('IncidentOutlook', {
      by_time: Nullable(OutlookStep),
      by_report: Type.Array(OutlookStep, { description: 'What each next judgement would do, were it made now.' }),
    }),
  ),
})
export type IncidentRecordsPage = Static<typeof IncidentRecordsPage>

/** Response of POST /session/subjects/{id}/rules/trial: the verdict that a rule would have now. */
export const RuleTrialInput = Component('RuleTrialInput', {
  input: Type.String({ description: 'The slug of the signal, or `rule` and the slug of a rule.', examples: ['run'] }),
  state: Type.Enum(['problem', 'ok', 'unknown']),
  waited_for: Type.Boolean({ description: 'It never reported, and its time to do so is not over.' }),
  value: Nullable(Type.Number({ description: 'The number of its newest report.', examples: [97.5] })),
  at: Nullable({ ...DateTime, description: 'When its newest report was observed; null: never, or it reads a rule.' }),
  reason: Nullable(Type.String({ examples: ['disk full'] })),
  changes_at: Nullable({ ...DateTime, description: 'When silence changes what it reads; null: never.' }),
})
export type RuleTrialInput = Static<typeof RuleTrialInput>

export const RuleTrialObject = Component('RuleTrial', {
  at: { ...DateTime, description: 'The instant of the judgement.' },
  verdict: Type.Enum(['problem', 'ok', 'no_data', 'not_judged']),
  explanation: Type.String({ examples: ['1 of 1 input failing (run)'] }),
  inputs: Type.Array(RuleTrialInput, {
    description: 'In the order of the document.',
    examples: [[{ input: 'run', state: 'problem', waited_for: false, value: 97.5, at: null, reason: null, changes_at: null }]],
  }),
  next_at: {
    ...DateTime,
    description: 'When to try again without news: time alone changes something then, or readings make no more news.',
  },
  open_now: Type.Boolean({ description: 'The rule that is replaced has an open incident.' }),
  incident: Nullable(
    Component('RuleTrialIncident', {
      state: Type.Enum(['pending', 'problem', 'noData', 'recovering']),
      by_time: Nullable({ ...OutlookStep, description: 'What its deadline does, if nothing else is reported.' }),
    }),
  ),
})
export type RuleTrialObject = Static<typeof RuleTrialObject>
