// /v2/subjects/{subject}/maintenance: start, move, cancel and read the running window (spec B, Maintenance window).
import { Type } from 'typebox'
import type { CustomSubjectView, WindowView } from '#shared/contracts/subject-views.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits.ts'
import { requireEditor } from '../../access.ts'
import type { Call } from '../../answer.ts'
import type { GatewayContext } from '../../context.ts'
import { Needed, shapeReader } from '../../fields.ts'
import { timestamp, timestampOrNull } from '../../instants.ts'
import { readObject } from '../../json-body.ts'
import { parseTimestamp } from '../../rfc3339.ts'
import { findCustomSubject } from './find-subject.ts'
import { orderId } from './order-id.ts'

const EndsAt = Type.String({ description: 'RFC 3339 with its own zone offset, in the future.' })
export const WindowBody = Type.Object(
  { ends_at: Needed(EndsAt), kind: Type.Optional(Type.Unknown()) },
  { additionalProperties: false },
)
const readShape = shapeReader(WindowBody)

/** Null where none runs (spec D 1, Maintenance). */
export async function getMaintenance(context: GatewayContext, call: Call) {
  const subject = await findCustomSubject(context, call)
  const now = context.clock.now()
  const { maintenance } = subject
  return maintenance !== null && maintenance.endsAt > now ? windowObject(subject, maintenance, now) : null
}

export async function startMaintenance(context: GatewayContext, call: Call) {
  const { subject, endsAt } = await readEnd(context, call)
  const by = call.request.identity.displayName
  const command = { kind: 'start-maintenance', id: orderId(), endsAt, by } as const
  const window = await context.keeper.send(subject.id, command, call.traceId)
  return windowObject(subject, window, context.clock.now())
}

/** The same window: it keeps its start. */
export async function moveMaintenance(context: GatewayContext, call: Call) {
  const { subject, endsAt } = await readEnd(context, call)
  const command = { kind: 'move-maintenance', id: orderId(), endsAt } as const
  const window = await context.keeper.send(subject.id, command, call.traceId)
  return windowObject(subject, window, context.clock.now())
}

export async function cancelMaintenance(context: GatewayContext, call: Call) {
  const subject = await findCustomSubject(context, call)
  requireEditor(call.request.identity, subject.workspaceId)
  const command = { kind: 'cancel-maintenance', id: orderId() } as const
  const window = await context.keeper.send(subject.id, command, call.traceId)
  return windowObject(subject, window, context.clock.now())
}

async function readEnd(context: GatewayContext, call: Call): Promise<{ subject: CustomSubjectView; endsAt: number }> {
  const subject = await findCustomSubject(context, call)
  requireEditor(call.request.identity, subject.workspaceId)
  const sent = readShape(await readObject(call.request, call.reply))
  return { subject, endsAt: readEndsAt(sent.ends_at, context.clock.now()) }
}

/** In whole milliseconds. Missing, unreadable, passed and too far are one message (spec B, Errors). */
function readEndsAt(text: string | null | undefined, now: number): number {
  if (text === null || text === undefined) throw invalidEnd('ends_at is required')
  const atUs = parseTimestamp(text)
  if (atUs === null) throw invalidEnd('ends_at must be an RFC 3339 timestamp such as 2026-01-02T15:04:05+01:00')
  const endsAt = Math.floor(atUs / 1_000)
  if (endsAt <= now) throw invalidEnd('ends_at must be in the future')
  if (endsAt <= now + limits.maintenance.windowMs) return endsAt
  throw invalidEnd(`ends_at must be within ${limits.maintenance.windowMs / 86_400_000} days from now`)
}

const invalidEnd = (details: string): AppError => new AppError('validation', 'invalid observed_at', { details })

const windowObject = ({ slug }: CustomSubjectView, window: WindowView, now: number) => ({
  subject_id: slug,
  started_at: timestamp(window.startedAt),
  ends_at: timestamp(window.endsAt),
  cancelled_at: timestampOrNull(window.cancelledAt),
  active: window.cancelledAt === null && window.endsAt > now,
  muted: ['problem', 'no_data'],
  kind: 'maintenance_window',
})
