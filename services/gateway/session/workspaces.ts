// GET, POST /session/workspaces; PATCH /session/workspaces/{id}; POST …/deletion. The creator of a workspace becomes its owner.
import { Type } from 'typebox'
import type { AskResults } from '#shared/contracts/ask/ask.ts'
import { Strict } from '#shared/contracts/common.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { Answered } from '../body/result-schema.ts'
import { pathPart } from '../http/answer.ts'
import type { Route } from '../http/route.ts'
import { FilledText } from './caller/session-fields.ts'
import { owner, route, signedIn } from './caller/session-route.ts'

const WorkspaceName = Type.Object({ name: FilledText })

/** Unlike the workspace of generation 2, this object has no `kind`. */
export const WorkspaceOfMine = Answered('WorkspaceOfMine', {
  id: Type.String(),
  name: Type.String(),
  role: Type.Enum(['owner', 'editor', 'viewer'], { description: "The caller's." }),
})

/** Counts of what was deleted. */
const DeletedWorkspace = Answered('DeletedWorkspace', {
  id: Type.String(),
  name: Type.String(),
  subjects: Type.Integer({ description: 'Monitors and custom subjects.' }),
  destinations: Type.Integer(),
  transformations: Type.Integer(),
  templates: Type.Integer({ description: 'Template revisions.' }),
  members: Type.Integer(),
})

const listWorkspaces = route('GET', '/workspaces', {
  summary: 'The workspaces that one is a member of.',
  needs: signedIn,
  result: Strict({ workspaces: Type.Array(WorkspaceOfMine) }),
  handler: async ({ directory }, { visitor, traceId }) => {
    const workspaces = await directory.ask('list-workspaces', { userId: visitor.userId }, traceId)
    return { workspaces: workspaces.map(workspaceObject) }
  },
})

const createWorkspace = route('POST', '/workspaces', {
  summary: 'Makes a workspace; whoever makes it owns it.',
  needs: signedIn,
  body: WorkspaceName,
  status: 201,
  makes: 'workspace',
  result: WorkspaceOfMine,
  refusals: ['conflict'],
  examples: [{ name: 'Payments' }],
  handler: async ({ directory }, { visitor, body: { name }, traceId }) => {
    const id = randomId(idLength.workspace)
    return workspaceObject(await directory.ask('create-workspace', { id, name, userId: visitor.userId }, traceId))
  },
})

const renameWorkspace = route('PATCH', '/workspaces/:workspaceId', {
  summary: 'Renames a workspace.',
  needs: owner,
  body: WorkspaceName,
  result: WorkspaceOfMine,
  examples: [{ name: 'Payments and refunds' }],
  handler: async ({ directory }, call) => {
    const asked = { workspaceId: pathPart(call, 'workspaceId'), name: call.body.name }
    return workspaceObject({ ...(await directory.ask('rename-workspace', asked, call.traceId)), role: 'owner' })
  },
})

const deleteWorkspace = route('POST', '/workspaces/:workspaceId/deletion', {
  summary: 'Deletes a workspace with all that is in it, for good.',
  more: 'The body has the name of the workspace, as the person typed it. Nobody can use the workspace from then on.',
  needs: owner,
  body: WorkspaceName,
  result: DeletedWorkspace,
  examples: [{ name: 'Payments and refunds' }],
  handler: async ({ directory }, call) => {
    const { request, visitor, traceId } = call
    const by = { userId: visitor.userId, name: call.body.name }
    const asked = { id: randomId(idLength.key), workspaceId: pathPart(call, 'workspaceId'), force: true, by }
    const deleted = await directory.ask('delete-workspace', asked, traceId)
    // Nobody can read the audit of the deleted workspace any more, so the row goes to the audit of the installation.
    if (request.letIn !== null) request.letIn.person = { ...visitor, memberships: [] }
    const { id, name, subjects, destinations, transformations, templates, members } = deleted
    return { id, name, subjects, destinations, transformations, templates, members }
  },
})

export const workspaceRoutes: readonly Route[] = [listWorkspaces, createWorkspace, renameWorkspace, deleteWorkspace]

/** Returns a workspace as its members see it. `role`: role of the caller. */
export const workspaceObject = ({ id, name, role }: AskResults['list-workspaces'][number]) => ({ id, name, role })
