// POST /v2/subjects/{subject}/signals/{signal}/observations: one report, stored and judged before it is answered (spec B, Observation
// and Route rules 1; D 1, Observation intake).
import { type Static, Type } from 'typebox'
import type { CommandOf } from '#shared/contracts/command.ts'
import type { ObservationView } from '#shared/contracts/subject-views.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits.ts'
import { firstCharacters } from '#shared/plain-text.ts'
import { requireEditor } from '../../access.ts'
import { type Call, pathPart } from '../../answer.ts'
import { commandId } from '../../command-id.ts'
import type { GatewayContext } from '../../context.ts'
import { Judged, Maybe, shapeReader } from '../../fields.ts'
import { timestampOfMicroseconds } from '../../instants.ts'
import { readObject } from '../../json-body.ts'
import { parseTimestamp } from '../../rfc3339.ts'
import { findCustomSubject, findSignal } from './find-subject.ts'
import { readLabels } from './labels.ts'
import { createReportAddresses, type ReportAddress } from './report-addresses.ts'

const Label = Type.String({ maxLength: limits.pushed.labelValueCharacters })
const labelKeys = { minLength: 1, maxLength: limits.pushed.labelKeyCharacters }

export const ObservationBody = Type.Object(
  {
    /** Of whatever type: anything but its two words is `invalid status`. */
    status: Judged(Type.Enum(['ok', 'problem']), true),
    observed_at: Maybe(Type.String({ description: 'RFC 3339; left out: now.' })),
    value: Maybe(Type.Number()),
    error: Maybe(Type.String({ description: `Cut to ${limits.pushed.errorCharacters} characters.` })),
    labels: Maybe(Type.Record(Type.String(), Label, { maxProperties: limits.pushed.labels, propertyNames: labelKeys })),
    kind: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
)
type Body = Static<typeof ObservationBody>
const readShape = shapeReader(ObservationBody)

const bounds = limits.pushed

/**
 * A handler with a memory of where reports go. A remembered address saves the look-up; what is refused there is looked up and tried
 * again as if nothing had been remembered, so that every refusal is the one that the spec's order of checks gives.
 */
export function createReporter(context: GatewayContext): (call: Call) => Promise<object> {
  const addresses = createReportAddresses()
  return async call => {
    let reading: Promise<Report> | null = null
    const read = () => (reading ??= readReport(call))
    const known = addresses.known(call)
    if (known !== null) {
      try {
        return await report(context, call, known, read)
      } catch (error) {
        // What may have been carried out is not tried again under another id.
        if (!(error instanceof AppError) || error.retryable || error.code === 'internal') throw error
        if (error.code === 'not_found') addresses.forget(known)
      }
    }
    const subject = await findCustomSubject(context, call)
    findSignal(subject, call)
    const address = { workspaceId: subject.workspaceId, subjectId: subject.id, subjectSlug: subject.slug }
    const answer = await report(context, call, address, read)
    addresses.remember(address)
    return answer
  }
}

type Report = Omit<CommandOf<'report-observation'>, 'kind' | 'id' | 'signal'>

/** A body can be read once: `read` answers the same again. */
async function report(context: GatewayContext, call: Call, address: ReportAddress, read: () => Promise<Report>): Promise<object> {
  requireEditor(call.request.identity, address.workspaceId)
  const signal = pathPart(call, 'signal')
  const command = { kind: 'report-observation', id: commandId(), signal, ...(await read()) } as const
  return observationObject(address, signal, await context.keeper.send(address.subjectId, command, call.traceId))
}

async function readReport({ request, reply }: Call): Promise<Report> {
  const sent = readShape(await readObject(request, reply))
  return {
    status: readStatus(sent.status),
    observedAtUs: readObservedAt(sent.observed_at),
    value: sent.value ?? null,
    error: firstCharacters(sent.error ?? '', bounds.errorCharacters),
    labels: readLabels(sent.labels),
  }
}

function readStatus(status: unknown): 'ok' | 'problem' {
  if (status === 'ok' || status === 'problem') return status
  throw new AppError('validation', 'invalid status', { details: 'status must be ok or problem' })
}

/** Null: the keeper stamps it. */
function readObservedAt(text: Body['observed_at']): number | null {
  if (text === null || text === undefined) return null
  const atUs = parseTimestamp(text)
  if (atUs !== null) return atUs
  const details = 'observed_at must be an RFC 3339 timestamp such as 2026-01-02T15:04:05Z'
  throw new AppError('validation', 'invalid observed_at', { details })
}

const observationObject = ({ subjectSlug }: ReportAddress, signalSlug: string, observation: ObservationView) => ({
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
