// /session/subjects/{id}: changes that generation 2 does not offer (reference/custom-subjects 1.3 and 1.5). The first signal or
// rule that a person adds to a website monitor makes the monitor a custom subject for good. A custom subject is deleted with its whole
// history. Only editors and owners may use these routes. The path may contain the slug instead of the id, because generation 2 shows no ids
// of custom subjects. The query then needs `workspace_id`.
import { Type } from 'typebox'
import { isChecked } from '#shared/contracts/subjects/subject-kind.ts'
import type { CustomSubjectView } from '#shared/contracts/subjects/subject-views.ts'
import { AppError } from '#shared/errors.ts'
import { isSlug } from '#shared/text/slug.ts'
import { fieldReader } from '../../body/fields.ts'
import { queryText } from '../../body/query.ts'
import { roleIn } from '../../callers/access.ts'
import { pathId } from '../../http/answer.ts'
import type { QueryParameter, Route } from '../../http/route.ts'
import { commandId } from '../../subjects/command-id.ts'
import { SubjectRule } from '../../v2/subjects/policy-object.ts'
import { RuleBody, readRule, ruleObject } from '../../v2/subjects/rules.ts'
import { CreateSignalBody, readSignal, Signal, signalObject } from '../../v2/subjects/signals.ts'
import { noSuch } from '../caller/rights.ts'
import type { SessionContext, VisitorCall } from '../caller/session-call.ts'
import { editor, route } from '../caller/session-route.ts'

export const subjectQuery: Record<string, QueryParameter> = {
  workspace_id: {
    schema: Type.String(),
    meaning: 'If it is given, the path holds the slug of a subject, else the id of a monitor.',
  },
}

/**
 * Returns the subject of the path. A missing subject gets the same refusal as a subject in a workspace of which the caller is not a member.
 */
export async function findSubject(context: SessionContext, call: VisitorCall): Promise<CustomSubjectView> {
  const subject = await findNamed(context, call)
  if (subject === null || roleIn(call.visitor, subject.workspaceId) === null) throw noSuch('Subject')
  if (call.request.letIn !== null) call.request.letIn.workspaceId = subject.workspaceId
  return subject
}

async function findNamed({ directory }: SessionContext, call: VisitorCall) {
  const { visitor, request, traceId } = call
  const workspaceId = queryText(request, 'workspace_id')
  const { subjectId = '' } = request.params as { subjectId?: string }
  const named =
    workspaceId === null
      ? await directory.ask('get-subject', { subjectId: pathId(call, 'subjectId') }, traceId)
      : { id: null, slug: subjectId, workspaceId }
  if (named === null || roleIn(visitor, named.workspaceId) === null || !isSlug(named.slug)) return null
  const { subject } = await directory.ask('find-subjects', { slug: named.slug, workspaceIds: [named.workspaceId] }, traceId)
  // Null: the subject was deleted after the lookup, or it is a Resource of a published Template.
  return named.id === null || subject?.id === named.id ? subject : null
}

const one = '/subjects/:subjectId'

/** Body and result have the same form as in generation 2. */
const createSignal = route('POST', `${one}/signals`, {
  summary: 'Adds a signal; a monitor becomes a custom subject by it, for good.',
  needs: editor,
  find: findSubject,
  query: subjectQuery,
  body: CreateSignalBody,
  reader: fieldReader(CreateSignalBody),
  status: 201,
  makes: 'signal',
  result: Signal,
  refusals: ['conflict'],
  examples: [{ name: 'Orders', kind: 'custom_event' }],
  handler: async ({ keeper }, { found: subject, body, json, traceId }) => {
    const command = { kind: 'create-signal', id: commandId(), ...readSignal(body, await json()), convert: true } as const
    return signalObject(subject, await keeper.send(subject.id, command, traceId))
  },
})

/** Body and result have the same form as in generation 2. */
const createRule = route('POST', `${one}/rules`, {
  summary: 'Adds a rule; a monitor becomes a custom subject by it, for good.',
  needs: editor,
  find: findSubject,
  query: subjectQuery,
  body: RuleBody,
  reader: fieldReader(RuleBody),
  status: 201,
  makes: 'rule',
  result: SubjectRule,
  refusals: ['conflict'],
  examples: [{ name: 'No orders', document: { inputs: [{ signal: 'orders', mode: 'status' }], decision: { need: 'any' } } }],
  handler: async (context, { found: subject, body, traceId }) => {
    const fields = await readRule(context, traceId, body, subject)
    const command = { kind: 'create-rule', id: commandId(), ...fields, convert: true } as const
    return ruleObject(context, traceId, subject, await context.keeper.send(subject.id, command, traceId))
  },
})

/** When the response is sent, reads no longer find the subject. The subject's data is deleted later, in slices. */
const deleteSubject = route('DELETE', one, {
  summary: 'Deletes a custom subject with its whole history.',
  needs: editor,
  find: findSubject,
  query: subjectQuery,
  status: 204,
  refusals: ['conflict'],
  handler: async ({ keeper }, { found: subject, traceId }) => {
    if (isChecked(subject.kind)) {
      throw new AppError('invalid_state', 'Website subjects are deleted elsewhere', {
        details: 'This subject is a website monitor; delete the monitor instead.',
      })
    }
    await keeper.send(subject.id, { kind: 'delete-subject', id: commandId(), subjectKind: 'custom' }, traceId)
  },
})

export const subjectRoutes: readonly Route[] = [createSignal, createRule, deleteSubject]
