// /v2/subjects: custom subjects of a workspace: list, create, read (spec B, Subject). Nothing else is done to a subject itself here.
import { Type } from 'typebox'
import { allPages } from '#shared/all-pages.ts'
import type { CustomSubjectSummary, CustomSubjectView } from '#shared/contracts/subject-views.ts'
import { AppError } from '#shared/errors.ts'
import { idLength, randomId } from '#shared/ids.ts'
import { requireEditor, requireMember } from '../../access.ts'
import type { Call } from '../../answer.ts'
import { commandId } from '../../command-id.ts'
import type { GatewayContext } from '../../context.ts'
import { Maybe, Needed, shapeReader } from '../../fields.ts'
import { readObject } from '../../json-body.ts'
import { requireBodyWorkspaceId, requireWorkspaceId } from '../../workspace-id.ts'
import { findCustomSubject } from './find-subject.ts'
import { NameField, readName } from './name.ts'

export const CreateSubjectBody = Type.Object(
  {
    workspace_id: Needed(Type.String({ minLength: 1 })),
    name: NameField,
    subject_kind: Maybe(Type.String({ enum: ['custom'] })),
    /** The server's own word for what it answers; ignored where it is sent back (spec A, Envelope 4). */
    kind: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
)
const readShape = shapeReader(CreateSubjectBody)

/** Never needed: a name without a letter or digit is refused before. */
const slugFallback = 'subject'

export async function listSubjects(context: GatewayContext, { request, traceId }: Call) {
  const workspaceId = requireWorkspaceId(request)
  requireMember(request.identity, workspaceId)
  const subjects = await allPages(after => context.directory.ask('list-custom-subjects', { workspaceId, after }, traceId))
  return subjects.map(subjectObject)
}

export async function createSubject(context: GatewayContext, { request, reply, traceId }: Call) {
  const body = await readObject(request, reply)
  const workspaceId = requireBodyWorkspaceId(body)
  requireEditor(request.identity, workspaceId)
  const sent = readShape(body)
  requireCustom(sent.subject_kind)
  const name = readName(sent.name)
  const subjectId = randomId(idLength.subject)
  const reservation = { workspaceId, name, subjectId, fallback: slugFallback }
  const { slug } = await context.directory.ask('reserve-name', reservation, traceId)
  const command = { kind: 'create-subject', id: commandId(), workspaceId, slug, name } as const
  return customSubjectObject(await context.keeper.send(subjectId, command, traceId))
}

export async function getSubject(context: GatewayContext, call: Call) {
  return customSubjectObject(await findCustomSubject(context, call))
}

function requireCustom(subjectKind: string | null | undefined): void {
  if (subjectKind === null || subjectKind === undefined || subjectKind === 'custom') return
  if (subjectKind === 'website') {
    const details = 'A website subject is made with its monitor: POST /v2/monitoring/websites'
    throw new AppError('invalid_state', 'Website subjects are created elsewhere', { details })
  }
  throw new AppError('validation', 'Validation failed', { details: "Field 'subject_kind' must be custom" })
}

const customSubjectObject = ({ signals, rules, ...subject }: CustomSubjectView) =>
  subjectObject({ ...subject, signalCount: signals.length, ruleCount: rules.length })

const subjectObject = ({ slug, name, workspaceId, signalCount, ruleCount }: CustomSubjectSummary) => ({
  id: slug,
  name,
  subject_kind: 'custom',
  workspace_id: workspaceId,
  signal_count: signalCount,
  rule_count: ruleCount,
  kind: 'subject',
})
