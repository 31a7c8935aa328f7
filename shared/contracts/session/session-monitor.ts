// Body of GET /session/monitors/{id}. Instants are RFC 3339.
import { type Static, Type } from 'typebox'
import { Component, DateTime, Nullable } from '#shared/contracts/common.ts'
import { acknowledgedVias } from '#shared/contracts/incidents/incident.ts'
import { Cause, MonitorRow, NextStepObject } from '#shared/contracts/session/session-monitors.ts'
import { subjectKinds } from '#shared/contracts/subjects/subject-kind.ts'

const Open = (description: string, example: object) =>
  Type.Record(Type.String(), Type.Unknown(), { description, examples: [example] })

export const MonitorIncident = Component('MonitorIncident', {
  id: Type.String({ examples: ['INCIDENT_ID'] }),
  state: Type.Enum(['pending', 'problem', 'noData', 'recovering'], { description: "The machine's." }),
  cause: Nullable(Cause),
  trouble_since: DateTime,
  confirmed_at: Nullable(DateTime),
  well_since: Nullable(DateTime),
  deadline_at: Nullable({
    ...DateTime,
    description: 'When time alone moves the machine, whether or not its rule can decide then.',
  }),
  next: Nullable(NextStepObject),
  /** Number of records so far. */
  sequence: Type.Integer({ minimum: 1, description: 'Of its latest record.' }),
  acknowledged: Nullable(
    Component('MonitorAcknowledgement', {
      at: DateTime,
      by: Type.String({ examples: ['Ada'] }),
      via: Type.Enum(acknowledgedVias),
    }),
  ),
})
export type MonitorIncident = Static<typeof MonitorIncident>

export const MonitorRulePart = Component('MonitorRule', {
  key: Type.String({ examples: ['availability'] }),
  name: Type.String({ examples: ['Availability'] }),
  verdict: Nullable(Type.Enum(['problem', 'ok', 'no_data', 'not_judged'])),
  since: Nullable(DateTime),
  explanation: Nullable(
    Type.String({ description: 'The sentence of its last judgement.', examples: ['2 of 3 locations failing'] }),
  ),
  evidence: Nullable(Open('As generation 3 writes it.', { inputs: [], omitted: 0, truncated: false })),
  incident: Nullable(MonitorIncident),
})

export const LastIncident = Component('LastIncident', {
  id: Type.String({ examples: ['INCIDENT_ID'] }),
  rule: Type.String({ description: 'Its key when the Incident opened.', examples: ['availability'] }),
  cause: Nullable(Cause),
  opened_at: DateTime,
  confirmed_at: Nullable(DateTime),
  closed_at: Nullable(DateTime),
})

export const MonitorSignal = Component('MonitorSignal', {
  signal: Type.String({ examples: ['reachability@aaaa'] }),
  location_id: Nullable(Type.String({ examples: ['aaaa'] })),
  state: Type.Enum(['ok', 'problem', 'no_data']),
  value: Nullable(Type.Number({ description: 'Of a check: what it found, in the unit of its signal.', examples: [93] })),
  at: DateTime,
  reason: Nullable(Type.String({ examples: ['status 503, expected 200'] })),
  baselines: Type.Record(Type.String(), Nullable(Type.Number()), {
    description: 'Medians by the number of days.',
    examples: [{ 7: 120 }],
  }),
})

export const MonitorDetail = Component('MonitorDetail', {
  at: { ...DateTime, description: "The server's clock." },
  workspace_id: Type.String({ examples: ['WORKSPACE_ID'] }),
  kind: Type.Enum([...subjectKinds]),
  row: Nullable({ ...MonitorRow, description: 'As in the list; null: it is archived.' }),
  resource: Open('As generation 3 shows it, as it was last recorded.', { id: 'aB3dE6gH9k', key: 'shop', name: 'Shop' }),
  rules: Type.Array(MonitorRulePart),
  last_incident: Nullable({ ...LastIncident, description: 'The newest one, if no rule has an open one.' }),
  signals: Type.Array(MonitorSignal, { description: 'The newest report of each signal that has reported.' }),
  expects: Type.Record(Type.String(), Nullable(Type.Integer()), {
    description: 'How often each declared signal reports, s; null: nobody said.',
    examples: [{ beat: 10, note: null }],
  }),
  window: Nullable(
    Open("The running maintenance window: its machine's snapshot with the steps so far, instants in ms.", {
      machine: 'maintenance',
    }),
  ),
  values: Type.Array(
    Component('MonitorValue', {
      signal: Type.String({ examples: ['reachability'] }),
      name: Type.String({ examples: ['Time'] }),
      unit: Type.String({ examples: ['ms'] }),
      ends: Nullable(
        Type.String({
          description: 'Of a value that is the time left: what ends then. Null: the value is none.',
          examples: ['certificate'],
        }),
      ),
    }),
    { description: 'The number that each of its checks finds, in the order of the checks.' },
  ),
  locations: Type.Record(Type.String(), Type.String(), { description: 'Names by id.', examples: [{ aaaa: 'frankfurt' }] }),
})
export type MonitorDetail = Static<typeof MonitorDetail>
