// /session/subjects/{id}: what only the dashboard does to a subject (spec B, What the service does): a website monitor becomes custom
// by its first signal or rule, for good; a custom subject is deleted with its whole history. Editors and owners. Generation 2 shows the
// ids of monitors alone: with `workspace_id` in the query the path holds a slug.
import { Type } from 'typebox'
import type { CustomSubjectView } from '#shared/contracts/subject-views.ts'
import { AppError } from '#shared/errors.ts'
import { isSlug } from '#shared/slug.ts'
import { roleIn } from '../access.ts'
import { commandId } from '../command-id.ts'
import { fieldReader } from '../fields.ts'
import { queryText } from '../query.ts'
import type { QueryParameter, Route } from '../route.ts'
import { SubjectRule } from '../v2/subjects/policy-object.ts'
import { RuleBody, readRule, ruleObject } from '../v2/subjects/rules.ts'
import { CreateSignalBody, readSignal, Signal, signalObject } from '../v2/subjects/signals.ts'
import { noSuch } from './rights.ts'
import type { SessionContext, VisitorCall } from './session-call.ts'
import { pathId } from './session-fields.ts'
import { editor, route } from './session-route.ts'

export const subjectQuery: Record<string, QueryParameter> = {
  workspace_id: {
    schema: Type.String(),
    meaning: 'If it is given, the path holds the slug of a subject, else the id of a monitor.',
  },
}

/** The subject of the path. One that does not exist and one in a workspace of others are the same to the caller. */
export async function findSubject(context: SessionContext, call: VisitorCall): Promise<CustomSubjectView> {
  const subject = await findNamed(context, call)
  if (subject === null || roleIn(call.visitor, subject.workspaceId) === null) throw noSuch('Subject')
  if (call.request.letIn !== null) call.request.letIn.workspaceId = subject.workspaceId
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

const one = '/subjects/:subjectId'

/** Body and answer as in generation 2. */
const createSignal = route({
  method: 'POST',
  path: `${one}/signals`,
  summary: 'Adds a signal; a monitor becomes a custom subject by it, for good.',
  needs: editor,
  find: findSubject,
  query: subjectQuery,
  body: CreateSignalBody,
  reader: fieldReader(CreateSignalBody),
  status: 201,
  result: Signal,
  refusals: ['conflict'],
  examples: [{ name: 'Orders', kind: 'custom_event' }],
  handler: async ({ keeper }, { found: subject, body, json, traceId }) => {
    const command = { kind: 'create-signal', id: commandId(), ...readSignal(body, await json()), convert: true } as const
    return signalObject(subject, await keeper.send(subject.id, command, traceId))
  },
})

/** Body and answer as in generation 2. */
const createRule = route({
  method: 'POST',
  path: `${one}/rules`,
  summary: 'Adds a rule; a monitor becomes a custom subject by it, for good.',
  needs: editor,
  find: findSubject,
  query: subjectQuery,
  body: RuleBody,
  reader: fieldReader(RuleBody),
  status: 201,
  result: SubjectRule,
  refusals: ['conflict'],
  examples: [{ name: 'No orders', document: { inputs: [{ signal: 'orders', mode: 'status' }], decision: { need: 'any' } } }],
  handler: async (context, { found: subject, body, traceId }) => {
    const fields = await readRule(context, traceId, body, subject)
    const command = { kind: 'create-rule', id: commandId(), ...fields, convert: true } as const
    return ruleObject(context, traceId, subject, await context.keeper.send(subject.id, command, traceId))
  },
})

/** Reads find nothing from now on; what hangs on it leaves in slices. */
const deleteSubject = route({
  method: 'DELETE',
  path: one,
  summary: 'Deletes a custom subject with its whole history.',
  needs: editor,
  find: findSubject,
  query: subjectQuery,
  status: 204,
  refusals: ['conflict'],
  handler: async ({ keeper }, { found: subject, traceId }) => {
    if (subject.kind === 'website') {
      throw new AppError('invalid_state', 'Website subjects are deleted elsewhere', {
        details: 'This subject is a website monitor; delete the monitor instead.',
      })
    }
    await keeper.send(subject.id, { kind: 'delete-subject', id: commandId(), subjectKind: 'custom' }, traceId)
  },
})

export const subjectRoutes: readonly Route[] = [createSignal, createRule, deleteSubject]
