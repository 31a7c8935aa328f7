// /v2/subjects: custom subjects of a workspace: list, create, read (reference/custom-subjects 1). No route changes or deletes a subject.
import { Type } from 'typebox'
import { pages } from '#shared/async/pages.ts'
import { isChecked } from '#shared/contracts/subjects/subject-kind.ts'
import type { CustomSubjectSummary, CustomSubjectView } from '#shared/contracts/subjects/subject-views.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { Maybe, marks } from '../../body/field-values.ts'
import { Answered, Kind, writerOf } from '../../body/result-schema.ts'
import { requireMember } from '../../callers/access.ts'
import { requireBodyWorkspaceId, requireWorkspaceId } from '../../callers/workspace-id.ts'
import type { Route } from '../../http/route.ts'
import { listOf } from '../../http/streamed-list.ts'
import { commandId } from '../../subjects/command-id.ts'
import { inWorkspaceExample } from '../../website/example.ts'
import { editor, member, route, workspaceQuery } from '../classic-route.ts'
import { accessDenied, invalid, invalidName, missingWorkspace } from '../refusals.ts'
import { subjectReadRoute } from './find-subject.ts'
import { NameField } from './name.ts'

const ofWebsites = {
  code: 'invalid_state',
  message: 'Website subjects are created elsewhere',
  details: 'A website subject is made with its monitor: POST /v2/monitoring/websites',
} as const

const SubjectKind = Type.String({
  enum: ['custom'],
  ...marks({ faultOf: kind => (isChecked(kind) ? ofWebsites : null), refusal: 'must be custom' }),
})

const CreateSubjectBody = Type.Object(
  {
    workspace_id: Type.String({ minLength: 1 }),
    subject_kind: Maybe(SubjectKind),
    name: NameField,
    /** The server sets `kind`; a sent value is ignored (reference/envelope 2.4). */
    kind: Type.Optional(Type.Unknown()),
  },
  { $id: 'CreateSubject', additionalProperties: false },
)

const Subject = Answered('Subject', {
  id: Type.String({ description: 'The slug; it never changes.' }),
  name: Type.String(),
  subject_kind: Type.Literal('custom'),
  workspace_id: Type.String(),
  signal_count: Type.Integer({ minimum: 0 }),
  rule_count: Type.Integer({ minimum: 0 }),
  kind: Kind('subject'),
})

/** Slug for a name without a letter or digit. It is never used, because such a name is refused earlier. */
const slugFallback = 'subject'

const listSubjects = route('GET', '/subjects', {
  summary: 'The custom subjects of a workspace.',
  needs: member,
  find: async (_context, { request }) => {
    const workspaceId = requireWorkspaceId(request)
    requireMember(request.identity, workspaceId)
    return { workspaceId }
  },
  query: workspaceQuery,
  result: Type.Array(Subject),
  refusals: [missingWorkspace, accessDenied],
  handler: async ({ directory }, { found: { workspaceId }, traceId }) => {
    const read = (after: string | null) => directory.ask('list-custom-subjects', { workspaceId, after }, traceId)
    return await listOf(subjectPages(pages(read)))
  },
})

async function* subjectPages(found: AsyncIterable<CustomSubjectSummary[]>): AsyncGenerator<object[]> {
  for await (const subjects of found) yield subjects.map(subjectObject)
}

const createSubject = route('POST', '/subjects', {
  makes: 'custom_subject',
  summary: 'Makes an empty subject: without signals, without rules.',
  more: 'Names that collide get a numbered slug.',
  needs: editor,
  find: async (_context, call) => ({ workspaceId: requireBodyWorkspaceId((await call.json()).body) }),
  body: CreateSubjectBody,
  result: Subject,
  refusals: [invalid, invalidName, '2001 Name used too often', '2004 Website subjects are created elsewhere', accessDenied],
  examples: [{ name: 'Queue API', ...inWorkspaceExample }],
  handler: async ({ directory, keeper }, { found: { workspaceId }, body: { name }, traceId }) => {
    const subjectId = randomId(idLength.subject)
    const reservation = { workspaceId, name, subjectId, fallback: slugFallback }
    const { slug } = await directory.ask('reserve-name', reservation, traceId)
    const command = { kind: 'create-subject', id: commandId(), workspaceId, slug, name } as const
    return customSubjectObject(await keeper.send(subjectId, command, traceId))
  },
})

const getSubject = subjectReadRoute('GET', '/subjects/:subject', {
  summary: 'A subject.',
  result: Subject,
  handler: async (_context, { found }) => customSubjectObject(found),
})

export const subjectRoutes: readonly Route[] = [listSubjects, createSubject, getSubject]

const customSubjectObject = ({ signals, rules, ...subject }: CustomSubjectView) =>
  subjectObject({ ...subject, signalCount: signals.length, ruleCount: rules.length })

const write = writerOf(Subject)
const subjectObject = (summary: CustomSubjectSummary) => write({ ...summary, id: summary.slug })
