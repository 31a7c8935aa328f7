// POST /v2/subjects/{subject}/signals/{signal}/observations: one report, stored and judged before the response is sent
// (reference/custom-subjects 4).

import { type Static, Type } from 'typebox'
import { Strict } from '#shared/contracts/common.ts'
import type { CommandOf } from '#shared/contracts/subjects/command.ts'
import type { ObservationView } from '#shared/contracts/subjects/subject-views.ts'
import { limits } from '#shared/limits/limits.ts'
import { firstCharacters } from '#shared/text/plain-text.ts'
import { Maybe, marks } from '../../body/field-values.ts'
import { timestampOfMicroseconds } from '../../body/instants.ts'
import { Answered, Instant, Kind, OrNull } from '../../body/result-schema.ts'
import { parseTimestamp } from '../../body/rfc3339.ts'
import { pathPart } from '../../http/answer.ts'
import { commandId } from '../../subjects/command-id.ts'
import { editor, route } from '../classic-route.ts'
import { findWithSignal, subjectQuery } from './find-subject.ts'
import { SentLabels } from './labels.ts'
import { createReportAddresses, type ReportAddress } from './report-addresses.ts'
import { ofSignal } from './signals.ts'

const wrongStatus = { message: 'invalid status', details: 'status must be ok or problem' }
const wrongInstant = {
  message: 'invalid observed_at',
  details: 'observed_at must be an RFC 3339 timestamp such as 2026-01-02T15:04:05Z',
}

const ObservationBody = Strict({
  /** With `anyType`, a value of the wrong JSON type gets the refusal `invalid status`, as every other wrong value does. */
  status: Type.Enum(['ok', 'problem'], marks({ anyType: true, missing: wrongStatus, refusal: wrongStatus })),
  observed_at: Maybe(
    Type.String({
      description: 'RFC 3339; left out: now.',
      ...marks({ faultOf: (text: string) => (parseTimestamp(text) === null ? wrongInstant : null) }),
    }),
  ),
  value: Maybe(Type.Number()),
  error: Maybe(Type.String({ description: `Cut to ${limits.pushed.errorCharacters} characters.` })),
  labels: Maybe(SentLabels),
  kind: Type.Optional(Type.Unknown()),
})
type Body = Static<typeof ObservationBody>

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

const bounds = limits.pushed

/** The subject is cached for a sender's next reports. The keeper checks whether the subject and the signal still exist. */
export const reportObservation = route('POST', '/subjects/:subject/signals/:signal/observations', {
  summary: 'Reports an observation, which is stored and judged before it is answered.',
  more: 'Its signal, `observed_at` and labels say which one it is: sent again, it replaces itself.',
  needs: editor,
  find: async (context, call): Promise<ReportAddress> => {
    const { subject, workspaceId } = await findWithSignal(context, call)
    return { workspaceId, subjectId: subject.id, subjectSlug: subject.slug }
  },
  memory: createReportAddresses,
  query: subjectQuery,
  body: ObservationBody,
  result: Observation,
  refusals: [
    ...(['2001 invalid status', '2001 invalid observed_at', '2001 invalid label'] as const),
    '2003 Signal does not accept posted observations',
    ...ofSignal,
  ],
  examples: [{ status: 'ok', value: 150, labels: { host: 'q1' } }],
  handler: async ({ keeper }, call) => {
    const { found: address, body, traceId } = call
    const signal = pathPart(call, 'signal')
    const command = { kind: 'report-observation', id: commandId(), signal, ...readReport(body) } as const
    return observationObject(address, signal, await keeper.send(address.subjectId, command, traceId))
  },
})

/** Converts the body into a report. If the instant is null, the keeper sets the instant. */
const readReport = (sent: Body): Omit<CommandOf<'report-observation'>, 'kind' | 'id' | 'signal'> => ({
  status: sent.status,
  observedAtUs: typeof sent.observed_at === 'string' ? parseTimestamp(sent.observed_at) : null,
  value: sent.value ?? null,
  error: firstCharacters(sent.error ?? '', bounds.errorCharacters),
  labels: sent.labels ?? {},
})

/** Builds the result field by field. This function runs for every report, so it does not use `writerOf`, which is slower. */
const observationObject = (
  { subjectSlug }: ReportAddress,
  signalSlug: string,
  observation: ObservationView,
): Static<typeof Observation> => ({
  subject_id: subjectSlug,
  signal_id: signalSlug,
  observed_at: timestampOfMicroseconds(observation.observedAtUs),
  received_at: timestampOfMicroseconds(observation.receivedAtUs),
  status: observation.status,
  value: observation.value,
  error: observation.error,
  labels: observation.labels,
  accepted: observation.accepted,
  reject_reason: observation.rejectReason,
  kind: 'observation',
})
