// /session/subjects/{id}/maintenance: a window on any subject, website monitors included: theirs are put into maintenance from the
// dashboard alone (spec B, Route rules 4). Bodies and answers as in generation 2. Editors and owners.
import type { FastifyInstance } from 'fastify'
import type { CustomSubjectView } from '#shared/contracts/subject-views.ts'
import { commandId } from '../command-id.ts'
import { shapeReader } from '../fields.ts'
import { jsonOnce } from '../json-body.ts'
import { readEndsAt, WindowBody, windowObject } from '../v2/subjects/window.ts'
import { type SessionContext, signedIn, type VisitorCall } from './session-call.ts'
import { tellTooLarge } from './session-fields.ts'
import { findForEditor } from './subjects.ts'

export function maintenanceRoutes(fastify: FastifyInstance, context: SessionContext): void {
  const path = '/subjects/:subjectId/maintenance'
  fastify.post(
    path,
    signedIn(context, call => startMaintenance(context, call)),
  )
  fastify.patch(
    path,
    signedIn(context, call => moveMaintenance(context, call)),
  )
  fastify.delete(
    path,
    signedIn(context, call => cancelMaintenance(context, call)),
  )
}

async function startMaintenance(context: SessionContext, call: VisitorCall) {
  const { subject, endsAt } = await readEnd(context, call)
  const command = { kind: 'start-maintenance', id: commandId(), endsAt, by: call.visitor.displayName } as const
  const window = await context.keeper.send(subject.id, command, call.traceId)
  void call.reply.code(201)
  return windowObject(subject, window, context.clock.now())
}

async function moveMaintenance(context: SessionContext, call: VisitorCall) {
  const { subject, endsAt } = await readEnd(context, call)
  const command = { kind: 'move-maintenance', id: commandId(), endsAt } as const
  return windowObject(subject, await context.keeper.send(subject.id, command, call.traceId), context.clock.now())
}

async function cancelMaintenance(context: SessionContext, call: VisitorCall) {
  const subject = await findForEditor(context, call)
  const command = { kind: 'cancel-maintenance', id: commandId() } as const
  return windowObject(subject, await context.keeper.send(subject.id, command, call.traceId), context.clock.now())
}

const readShape = shapeReader(WindowBody)

async function readEnd(context: SessionContext, call: VisitorCall): Promise<{ subject: CustomSubjectView; endsAt: number }> {
  const subject = await findForEditor(context, call)
  return {
    subject,
    endsAt: readEndsAt(readShape((await jsonOnce(call.request, call.reply)().catch(tellTooLarge)).body), context.clock.now()),
  }
}
