// Custom subjects, their signals and observations, open incidents and maintenance (spec B). Their rules have a file of their own.
import { Type } from 'typebox'
import { ObservationBody } from '../v2/subjects/observations.ts'
import { CreateSignalBody, UpdateSignalBody } from '../v2/subjects/signals.ts'
import { CreateSubjectBody } from '../v2/subjects/subjects.ts'
import { WindowBody } from '../v2/subjects/window.ts'
import { acknowledgement } from './acknowledgement.ts'
import { Answered, type Descriptions, Instant, Kind, OrNull, type Refusal, workspaceQuery } from './description.ts'
import { accessDenied, invalid, invalidName, missingWorkspace, subjectTooLarge } from './refusals.ts'
import { anyWorkspaceQuery, ofSubject } from './subject-address.ts'

const Subject = Answered('Subject', {
  id: Type.String({ description: 'The slug; it never changes.' }),
  name: Type.String(),
  subject_kind: Type.Literal('custom'),
  workspace_id: Type.String(),
  signal_count: Type.Integer({ minimum: 0 }),
  rule_count: Type.Integer({ minimum: 0 }),
  kind: Kind('subject'),
})

export const Signal = Answered('Signal', {
  id: Type.String({ description: 'The slug; what senders report to and inputs cite.' }),
  name: Type.String(),
  signal_kind: Type.Enum(['custom_heartbeat', 'custom_event', 'platform_http']),
  subject_id: Type.String(),
  workspace_id: Type.String(),
  meta: Type.Object({}),
  kind: Kind('signal'),
})

const Observation = Answered('Observation', {
  subject_id: Type.String(),
  signal_id: Type.String(),
  observed_at: Instant,
  received_at: Instant,
  status: Type.Enum(['ok', 'problem']),
  value: OrNull(Type.Number()),
  error: Type.String(),
  labels: Type.Record(Type.String(), Type.String()),
  accepted: Type.Boolean({ description: 'Whether it is judged; says nothing about health.' }),
  reject_reason: Type.Enum(['accepted', 'clock_skew', 'late', 'out_of_order', 'out_of_retention']),
  kind: Kind('observation'),
})

const SubjectIncident = Answered('SubjectIncident', {
  id: Type.String(),
  subject_id: Type.String(),
  rule_id: Type.String(),
  rule_name: Type.String(),
  status: Type.Enum(['problem', 'pending', 'recovering', 'no_data', 'ok']),
  trouble_since: Instant,
  confirmed_at: OrNull(Instant),
  well_since: OrNull(Instant),
  acknowledged: Type.Boolean(),
  acknowledged_at: OrNull(Instant),
  acknowledged_by: Type.String({ description: 'Empty while nobody did.' }),
  kind: Kind('subject_incident'),
})

export const Window = Answered('MaintenanceWindow', {
  subject_id: Type.String(),
  started_at: Instant,
  ends_at: Instant,
  cancelled_at: OrNull(Instant),
  active: Type.Boolean(),
  muted: Type.Array(Type.Enum(['problem', 'no_data'])),
  kind: Kind('maintenance_window'),
})

const query = anyWorkspaceQuery
const ofSignal: readonly Refusal[] = [...ofSubject, '2002 Signal not found']
const builtIn: Refusal = '2003 Signal is managed by Website monitoring'
const badKind: Refusal = '2001 Invalid signal kind'
const badMeta: Refusal = '2001 Invalid meta'
const badEnd: Refusal = '2001 invalid observed_at'
const noWindow: Refusal = '2002 No maintenance window'

export const customSubjects: Descriptions = {
  'GET /v2/subjects': {
    summary: 'The custom subjects of a workspace.',
    query: workspaceQuery,
    result: Type.Array(Subject),
    refusals: [missingWorkspace, accessDenied],
  },
  'POST /v2/subjects': {
    summary: 'Makes an empty subject: without signals, without rules.',
    more: 'Names that collide get a numbered slug.',
    body: Type.Object(CreateSubjectBody.properties, { $id: 'CreateSubject', additionalProperties: false }),
    result: Subject,
    refusals: [invalid, invalidName, '2001 Name used too often', '2004 Website subjects are created elsewhere', accessDenied],
  },
  'GET /v2/subjects/{subject}': { summary: 'A subject.', query, result: Subject, refusals: ofSubject },
}

export const signalsOfSubjects: Descriptions = {
  'GET /v2/subjects/{subject}/signals': {
    summary: 'The signals of a subject.',
    query,
    result: Type.Array(Signal),
    refusals: ofSubject,
  },
  'POST /v2/subjects/{subject}/signals': {
    summary: 'Adds a signal.',
    more: 'A heartbeat reports on a schedule, and its silence can become no data; an event reports when something happens.',
    query,
    body: CreateSignalBody,
    result: Signal,
    refusals: [
      invalid,
      invalidName,
      '2001 Signal name taken',
      badKind,
      badMeta,
      '2004 Too many signals',
      subjectTooLarge,
      ...ofSubject,
    ],
  },
  'GET /v2/subjects/{subject}/signals/{signal}': { summary: 'A signal.', query, result: Signal, refusals: ofSignal },
  'POST /v2/subjects/{subject}/signals/{signal}': {
    summary: 'Replaces name and meta; kind and slug never change.',
    query,
    body: UpdateSignalBody,
    result: Signal,
    refusals: [invalid, invalidName, badKind, badMeta, subjectTooLarge, builtIn, ...ofSignal],
  },
  'DELETE /v2/subjects/{subject}/signals/{signal}': {
    summary: 'Removes a signal and its observations.',
    query,
    result: Type.Object(
      { message: Type.String(), signal_id: Type.String(), subject_id: Type.String() },
      { additionalProperties: false },
    ),
    refusals: [builtIn, '2003 Signal is still used by a rule', ...ofSignal],
  },
  'POST /v2/subjects/{subject}/signals/{signal}/observations': {
    summary: 'Reports an observation, which is stored and judged before it is answered.',
    more: 'Its signal, `observed_at` and labels say which one it is: sent again, it replaces itself.',
    query,
    body: ObservationBody,
    result: Observation,
    refusals: [
      ...(['2001 invalid status', '2001 invalid observed_at', '2001 invalid label'] as const),
      '2003 Signal does not accept posted observations',
      ...ofSignal,
    ],
  },
}

export const incidentsOfSubjects: Descriptions = {
  'GET /v2/subjects/{subject}/incidents': {
    summary: 'The open incidents of a subject, the newest trouble first.',
    query,
    result: Type.Array(SubjectIncident),
    refusals: ofSubject,
  },
  'POST /v2/subjects/{subject}/incidents/{incident}/acknowledge': {
    ...acknowledgement('SubjectIncidentAcknowledgement', { subject_id: Type.String(), rule_id: Type.String() }, ofSubject),
    query,
  },
  'GET /v2/subjects/{subject}/maintenance': {
    summary: 'The running maintenance window; null while none runs.',
    query,
    result: OrNull(Window),
    refusals: ofSubject,
  },
  'POST /v2/subjects/{subject}/maintenance': {
    summary: 'Starts maintenance now: problems and no data wait, recoveries are told.',
    query,
    body: WindowBody,
    result: Window,
    refusals: [badEnd, '2004 Already in maintenance', ...ofSubject],
  },
  'POST /v2/subjects/{subject}/maintenance/ends_at': {
    summary: 'Moves the end of the running window.',
    query,
    body: WindowBody,
    result: Window,
    refusals: [badEnd, noWindow, ...ofSubject],
  },
  'DELETE /v2/subjects/{subject}/maintenance': {
    summary: 'Ends the running window early.',
    query,
    result: Window,
    refusals: [noWindow, ...ofSubject],
  },
}
