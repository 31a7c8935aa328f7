// An Incident in the form of generation 3. Reference: docs/reference/v3.md, 5 and 4.10.
import { Type } from 'typebox'
import { acknowledgedVias, type NextStep } from '#shared/contracts/incidents/incident.ts'
import type { IncidentOutline, IncidentRecord, RecordedTransition } from '#shared/contracts/incidents/incident-views.ts'
import type { IncidentIds } from '#shared/incidents/incident-ids.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { timestamp } from '../../body/instants.ts'
import { Answered, Instant, OrNull, writerOf } from '../../body/result-schema.ts'
import type { SayCause } from '../../subjects/named-causes.ts'
import { Evidence, evidenceObject } from './evidence-object.ts'

const Condition = Type.Enum(['ok', 'problem', 'no_data'])
const Explanation = Type.String({ examples: ['beat problem'] })

export const ClosedReason = Type.Enum(['recovered', 'rule_removed', 'resource_archived'])

const item = {
  cause: OrNull(
    Type.String({
      description:
        'The failing reason that appeared last, with its location or signal. It stays after the close. Null: none is known.',
      examples: ['status 503, expected 200 (frankfurt)'],
    }),
  ),
  id: Type.String({ examples: ['INCIDENT_ID'] }),
  resource: Answered('IncidentResource', {
    id: Type.String({ examples: ['aB3dE6gH9k'] }),
    key: Type.String({ examples: ['backup-1'] }),
    name: Type.String({ description: 'As it is now.', examples: ['Nightly backup'] }),
  }),
  rule: Type.String({ description: 'Its key when the Incident opened.', examples: ['failing'] }),
  lifecycle: Type.Enum(['open', 'closed']),
  confirmation: Type.Enum(['unconfirmed', 'confirmed']),
  condition: Condition,
  verdict: Condition,
  explanation: Explanation,
  closed_reason: OrNull(ClosedReason),
  opened_at: Instant,
  confirmed_at: OrNull(Instant),
  closed_at: OrNull(Instant),
  effective_at: { ...Instant, description: 'When the latest entry of the history took effect.' },
  acknowledgement: OrNull(
    Answered('Acknowledgement', {
      by: Type.String({ examples: ['Ada'] }),
      at: Instant,
      via: Type.Enum(acknowledgedVias),
    }),
  ),
  action: OrNull(Type.String({ examples: ['Look at the log of the sender.'] })),
}

export const IncidentItem = Answered('IncidentItem', item)
const writeItem = writerOf(IncidentItem)

/** Fields of an entry in the history of an Incident or of a preview. */
export const transition = {
  at: Instant,
  kind: Type.Enum(['opened', 'confirmed', 'verdict_changed', 'closed']),
  condition: Condition,
  verdict: Condition,
  explanation: Explanation,
  evidence: OrNull(Evidence),
}
export const writeTransition = writerOf(Type.Object(transition))

const omitted = (what: string) =>
  Type.Integer({ minimum: 0, description: `${what} between the first 100 and the latest 400.`, examples: [0] })

export const IncidentObject = Answered('Incident', {
  ...item,
  history: Type.Array(Answered('IncidentTransition', transition), { description: 'Oldest first.' }),
  history_omitted: omitted('Entries'),
  next: OrNull(Answered('IncidentNext', { what: Type.Enum(['confirm', 'close', 'remind']), at: Instant })),
  path: Type.Array(
    Answered('IncidentState', {
      state: Type.Enum(['pending', 'problem', 'noData', 'recovering', 'closed']),
      at: Instant,
      event: Type.String({ examples: ['problem.judged'] }),
    }),
    { description: 'The states of its machine, oldest first.' },
  ),
  path_omitted: omitted('States'),
})

/** Means of writing an Incident. `sayCause` knows the locations of the Incident's cause. */
export interface Words {
  incidentIds: IncidentIds
  sayCause: SayCause
}

export function incidentItem(incident: IncidentRecord, { incidentIds, sayCause }: Words) {
  const { id, isOpen, confirmedAt, condition, cause, explanation, action, acknowledgement } = incident
  return writeItem({
    ...incident,
    id: incidentIds.encode(id),
    lifecycle: isOpen ? 'open' : 'closed',
    confirmation: confirmedAt === null ? 'unconfirmed' : 'confirmed',
    verdict: condition,
    cause: sayCause(cause),
    explanation: redactedText(explanation),
    action: action === null ? null : redactedText(action),
    acknowledgement: acknowledgement && { ...acknowledgement, at: timestamp(acknowledgement.at) },
  })
}

export interface IncidentParts {
  incident: IncidentRecord
  next: NextStep | null
  outline: IncidentOutline
  transitions: readonly RecordedTransition[]
}

export function incidentObject({ incident, next, outline, transitions }: IncidentParts, words: Words) {
  const { path, pathOmitted, listedOmitted } = outline
  return {
    ...incidentItem(incident, words),
    history: transitions.map(entry =>
      writeTransition({
        ...entry,
        verdict: entry.condition,
        explanation: redactedText(entry.explanation),
        evidence: entry.evidence && evidenceObject(entry.evidence, incident.isOfLocations),
      }),
    ),
    history_omitted: listedOmitted,
    next: next && { what: next.what, at: timestamp(next.at) },
    path: path.map(({ state, at, event }) => ({ state, at: timestamp(at), event })),
    path_omitted: pathOmitted,
  }
}
