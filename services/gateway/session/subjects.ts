// /session/subjects/{id}: what only the dashboard does to a subject (spec B, What the service does): a website monitor becomes custom
// by its first signal or rule, for good; a custom subject is deleted with its whole history. Editors and owners. Generation 2 shows the
// ids of monitors alone: with `workspace_id` in the query the path holds a slug.
import type { FastifyInstance } from 'fastify'
import type { CustomSubjectView } from '#shared/contracts/subject-views.ts'
import { AppError } from '#shared/errors.ts'
import { isSlug } from '#shared/slug.ts'
import { roleIn } from '../access.ts'
import { commandId } from '../command-id.ts'
import { shapeReader } from '../fields.ts'
import { jsonOnce } from '../json-body.ts'
import { queryText } from '../query.ts'
import { RuleBody, readRule, ruleObject } from '../v2/subjects/rules.ts'
import { CreateSignalBody, readSignal, signalObject } from '../v2/subjects/signals.ts'
import { demandRole, noSuch } from './rights.ts'
import { type SessionContext, signedIn, type VisitorCall } from './session-call.ts'
import { pathId, tellTooLarge } from './session-fields.ts'

export function subjectRoutes(fastify: FastifyInstance, context: SessionContext): void {
  const one = '/subjects/:subjectId'
  fastify.post(
    `${one}/signals`,
    signedIn(context, call => createSignal(context, call)),
  )
  fastify.post(
    `${one}/rules`,
    signedIn(context, call => createRule(context, call)),
  )
  fastify.delete(
    one,
    signedIn(context, call => deleteSubject(context, call)),
  )
}

const readSignalShape = shapeReader(CreateSignalBody)
const readRuleShape = shapeReader(RuleBody)

/** Body and answer as in generation 2. */
async function createSignal(context: SessionContext, call: VisitorCall) {
  const subject = await findForEditor(context, call)
  const sent = await jsonOnce(call.request, call.reply)().catch(tellTooLarge)
  const fields = readSignal(readSignalShape(sent.body), sent)
  const command = { kind: 'create-signal', id: commandId(), ...fields, convert: true } as const
  const signal = await context.keeper.send(subject.id, command, call.traceId)
  void call.reply.code(201)
  return signalObject(subject, signal)
}

/** Body and answer as in generation 2. */
async function createRule(context: SessionContext, call: VisitorCall) {
  const subject = await findForEditor(context, call)
  const { body } = await jsonOnce(call.request, call.reply)().catch(tellTooLarge)
  const fields = await readRule(context, call.traceId, readRuleShape(body), subject)
  const command = { kind: 'create-rule', id: commandId(), ...fields, convert: true } as const
  const rule = await context.keeper.send(subject.id, command, call.traceId)
  void call.reply.code(201)
  return ruleObject(context, call.traceId, subject, rule)
}

/** Reads find nothing from now on; what hangs on it leaves in slices. */
async function deleteSubject(context: SessionContext, call: VisitorCall): Promise<void> {
  const subject = await findForEditor(context, call)
  if (subject.kind === 'website') {
    throw new AppError('invalid_state', 'Website subjects are deleted elsewhere', {
      details: 'This subject is a website monitor; delete the monitor instead.',
    })
  }
  await context.keeper.send(subject.id, { kind: 'delete-subject', id: commandId(), subjectKind: 'custom' }, call.traceId)
}

/** The subject of the path. One that does not exist and one in a workspace of others are the same to the caller. */
export async function findForEditor(context: SessionContext, call: VisitorCall): Promise<CustomSubjectView> {
  const subject = await findNamed(context, call)
  const role = subject && roleIn(call.visitor, subject.workspaceId)
  if (subject === null || role === null) throw noSuch('Subject')
  if (call.request.letIn !== null) call.request.letIn.workspaceId = subject.workspaceId
  demandRole(role, 'editor')
  return subject
}

async function findNamed({ directory }: SessionContext, { visitor, request, traceId }: VisitorCall) {
  const workspaceId = queryText(request, 'workspace_id')
  const { subjectId = '' } = request.params as { subjectId?: string }
  const named =
    workspaceId === null
      ? await directory.ask('get-subject', { subjectId: pathId(request, 'subjectId') }, traceId)
      : { id: null, slug: subjectId, workspaceId }
  if (named === null || roleIn(visitor, named.workspaceId) === null || !isSlug(named.slug)) return null
  const { subject } = await directory.ask('find-subjects', { slug: named.slug, workspaceIds: [named.workspaceId] }, traceId)
  // Deleted in between, or of a template that has its own API.
  return named.id === null || subject?.id === named.id ? subject : null
}
