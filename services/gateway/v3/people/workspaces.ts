// Workspaces of the caller: list, create, rename, delete. Reference: docs/reference/v3.md, 2.7, 2.8 and section 14.
import { Type } from 'typebox'
import { AnyRole } from '#shared/contracts/ask/ask-people.ts'
import { Strict } from '#shared/contracts/common.ts'
import { AppError, refusal } from '#shared/errors.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { Answered } from '../../body/result-schema.ts'
import { NameText, route, SentText } from '../common.ts'

export const Workspace = Answered('Workspace', {
  id: Type.String(),
  name: Type.String(),
  role: { ...AnyRole, description: "The caller's." },
})

const WorkspaceName = Strict({ name: NameText(60) })

/** Counts of what was deleted. */
const DeletedWorkspace = Answered('DeletedWorkspace', {
  id: Type.String(),
  name: Type.String(),
  subjects: Type.Integer({ description: 'Resources and custom subjects.' }),
  destinations: Type.Integer(),
  transformations: Type.Integer(),
  templates: Type.Integer({ description: 'Template revisions.' }),
  members: Type.Integer(),
})

const listWorkspaces = route('GET', '/workspaces', {
  summary: 'Workspaces that the key reaches, by name.',
  needs: { role: 'anybody', scope: null },
  isAudited: false,
  result: Type.Array(Workspace),
  handler: async ({ directory }, { request: { identity }, traceId }) => {
    const { userId, scope } = identity
    const found = await directory.ask('list-workspaces', { userId }, traceId)
    return scope === null ? found : found.filter(({ id }) => id === scope.workspaceId)
  },
})

const createWorkspace = route('POST', '/workspaces', {
  summary: 'Creates a workspace, which its creator owns.',
  needs: { role: 'anybody', scope: 'full' },
  body: WorkspaceName,
  status: 201,
  makes: 'workspace',
  result: Workspace,
  refusals: ['422 name'],
  examples: [{ name: 'Production' }],
  handler: async ({ directory }, { request: { identity }, body, traceId }) => {
    const made = { id: randomId(idLength.workspace), name: body.name.trim(), userId: identity.userId }
    return directory.ask('create-workspace', made, traceId).catch(asFaultOfName)
  },
})

const renameWorkspace = route('PATCH', '/workspaces/:workspace', {
  summary: 'Renames the workspace.',
  needs: { role: 'owner', scope: 'full' },
  body: WorkspaceName,
  result: Workspace,
  refusals: ['422 name'],
  examples: [{ name: 'Payments and refunds' }],
  handler: async ({ directory }, { workspaceId, body: { name }, traceId }) => {
    const renamed = await directory.ask('rename-workspace', { workspaceId, name: name.trim() }, traceId).catch(asFaultOfName)
    return { ...renamed, role: 'owner' }
  },
})

const deleteWorkspace = route('POST', '/workspaces/:workspace/deletion', {
  summary: 'Deletes the workspace with all that is in it, for good.',
  more: 'The body has the name of the workspace, as the person typed it. Nobody can use the workspace from then on.',
  needs: { role: 'owner', scope: 'full' },
  body: Strict({ name: SentText }),
  result: DeletedWorkspace,
  refusals: ['422 name'],
  examples: [{ name: 'Former shop' }],
  handler: async ({ directory }, { request, workspaceId, body: { name }, traceId }) => {
    const { identity, letIn } = request
    const by = { userId: identity.userId, name }
    const deleted = await directory.ask('delete-workspace', { id: randomId(idLength.key), workspaceId, force: true, by }, traceId)
    // Nobody can read the audit of the deleted workspace any more, so the row goes to the audit of the installation.
    if (letIn !== null) letIn.person = { ...identity, memberships: [] }
    return deleted
  },
})

/**
 * Throws the error. An error about too many workspaces (v3 2.8), or about invisible characters in the name, is thrown as a fault of the
 * field `name`.
 */
function asFaultOfName(error: unknown): never {
  if (!(error instanceof AppError) || (error.code !== 'invalid_state' && error.code !== 'validation')) throw error
  throw refusal('validation', error.message, error.details, 'name')
}

export const workspaceRoutes = [listWorkspaces, createWorkspace, renameWorkspace, deleteWorkspace]
