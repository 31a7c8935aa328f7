// /v2/subjects/{subject}/maintenance: start, move, cancel and read the running window (spec B, Maintenance window).
import type { CustomSubjectView } from '#shared/contracts/subject-views.ts'
import { requireEditor } from '../../access.ts'
import type { Call } from '../../answer.ts'
import { commandId } from '../../command-id.ts'
import type { GatewayContext } from '../../context.ts'
import { findCustomSubject } from './find-subject.ts'
import { readEndsAt, windowObject } from './window.ts'

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
  const command = { kind: 'start-maintenance', id: commandId(), endsAt, by } as const
  const window = await context.keeper.send(subject.id, command, call.traceId)
  return windowObject(subject, window, context.clock.now())
}

/** The same window: it keeps its start. */
export async function moveMaintenance(context: GatewayContext, call: Call) {
  const { subject, endsAt } = await readEnd(context, call)
  const command = { kind: 'move-maintenance', id: commandId(), endsAt } as const
  const window = await context.keeper.send(subject.id, command, call.traceId)
  return windowObject(subject, window, context.clock.now())
}

export async function cancelMaintenance(context: GatewayContext, call: Call) {
  const subject = await findCustomSubject(context, call)
  requireEditor(call.request.identity, subject.workspaceId)
  const command = { kind: 'cancel-maintenance', id: commandId() } as const
  const window = await context.keeper.send(subject.id, command, call.traceId)
  return windowObject(subject, window, context.clock.now())
}

async function readEnd(context: GatewayContext, call: Call): Promise<{ subject: CustomSubjectView; endsAt: number }> {
  const subject = await findCustomSubject(context, call)
  requireEditor(call.request.identity, subject.workspaceId)
  return { subject, endsAt: await readEndsAt(call, context.clock.now()) }
}
