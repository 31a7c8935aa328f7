// Lookup of the custom subject that a path names (reference/custom-subjects 1.4). The slug is looked up in the workspace that the query
// names, or else in all workspaces of the caller. Signals and rules are found by their slugs. Here only the workspace and the object are
// checked; the caller's role is checked afterwards.
import { Type } from 'typebox'
import { isChecked } from '#shared/contracts/subjects/subject-kind.ts'
import type { CustomSubjectView, RuleView, SignalView } from '#shared/contracts/subjects/subject-views.ts'
import { type AppError, refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { isSlug } from '#shared/text/slug.ts'
import { queryText } from '../../body/query.ts'
import { requireMember } from '../../callers/access.ts'
import type { GatewayContext } from '../../context.ts'
import { type Call, pathPart } from '../../http/answer.ts'
import type { QueryParameter } from '../../http/route.ts'
import { type ClassicRefusal, editor, member, routesWith } from '../classic-route.ts'
import { accessDenied } from '../refusals.ts'

/**
 * Query parameters of the routes to parts of a custom subject. The workspace is needed only if the slug occurs in several workspaces of the
 * caller.
 */
export const subjectQuery: Record<string, QueryParameter> = {
  workspace_id: { schema: Type.String(), meaning: 'Needed only where two of your workspaces have a subject of this slug.' },
}

export const ofSubject: readonly ClassicRefusal[] = [
  '2002 Subject not found',
  '2004 Website subjects are managed elsewhere',
  '2004 Ambiguous subject',
  accessDenied,
]

const onSubject = { query: subjectQuery, refusals: ofSubject }

/** Functions that create records of routes whose path names a subject. Every member may read; writes require an editor. */
export const subjectReadRoute = routesWith(member, { ...onSubject, find: findCustomSubject })
export const subjectWriteRoute = routesWith(editor, { ...onSubject, find: findCustomSubject })

interface Below {
  workspaceId: string
  subject: CustomSubjectView
}

export async function findWithSignal(context: GatewayContext, call: Call): Promise<Below & { signal: SignalView }> {
  const subject = await findCustomSubject(context, call)
  return { workspaceId: subject.workspaceId, subject, signal: findSignal(subject, call) }
}

export async function findWithRule(context: GatewayContext, call: Call): Promise<Below & { rule: RuleView }> {
  const subject = await findCustomSubject(context, call)
  return { workspaceId: subject.workspaceId, subject, rule: findRule(subject, call) }
}

/**
 * Returns the subject named by `:subject`. Throws access_denied if the caller is not a member of the workspace, and not_found if there is
 * no such subject. Throws invalid_state if the slug is ambiguous or belongs to a website monitor. Does not check the role.
 */
export async function findCustomSubject({ directory }: GatewayContext, call: Call): Promise<CustomSubjectView> {
  const { request, traceId } = call
  const named = queryText(request, 'workspace_id')
  if (named !== null) requireMember(request.identity, named)
  const slug = pathPart(call, 'subject')
  const reach = named === null ? request.identity.memberships.map(({ workspaceId }) => workspaceId) : [named]
  if (!isSlug(slug)) throw subjectNotFound()
  const { subject, workspaceIds } = await directory.ask('find-subjects', { slug, workspaceIds: reach }, traceId)
  if (workspaceIds.length > 1) throw ambiguous(workspaceIds)
  if (subject === null) throw subjectNotFound()
  if (isChecked(subject.kind)) throw managedElsewhere()
  return subject
}

/** Throws not_found. */
function findSignal(subject: CustomSubjectView, call: Call): SignalView {
  const slug = pathPart(call, 'signal')
  const signal = subject.signals.find(candidate => candidate.slug === slug)
  if (signal) return signal
  throw refusal('not_found', 'Signal not found', 'Signal does not exist or access denied')
}

/** Throws not_found. */
function findRule(subject: CustomSubjectView, call: Call): RuleView {
  const slug = pathPart(call, 'rule')
  const rule = subject.rules.find(candidate => candidate.slug === slug)
  if (rule) return rule
  throw refusal('not_found', 'Rule not found', 'Rule does not exist or access denied')
}

const subjectNotFound = () => refusal('not_found', 'Subject not found', 'Subject does not exist or access denied')

const managedElsewhere = () =>
  refusal(
    'invalid_state',
    'Website subjects are managed elsewhere',
    'This subject is a website monitor; use /v1/rules or /v2/monitoring/websites',
  )

function ambiguous(workspaceIds: readonly string[]): AppError {
  const shown = workspaceIds.slice(0, limits.subject.ambiguous)
  const more = workspaceIds.length > shown.length ? ' and others' : ''
  const details = `Several of your workspaces have a subject of this slug; name one with workspace_id: ${shown.join(', ')}${more}`
  return refusal('invalid_state', 'Ambiguous subject', details)
}
