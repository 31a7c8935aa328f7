// Routes for the version, the caller's own key, workspaces with their members, and locations. Reference: docs/reference/v3.md, 2.4, 2.7 and
// 2.8.
import { Type } from 'typebox'
import { accessOf, keyActions } from '#shared/contracts/account.ts'
import { Strict } from '#shared/contracts/common.ts'
import { AppError, refusal } from '#shared/errors.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { Answered, OrNull, writerOf } from '../body/result-schema.ts'
import { Named, NameText, route } from './common.ts'

export const Workspace = Answered('Workspace', {
  id: Type.String(),
  name: Type.String(),
  role: Type.Enum(['viewer', 'editor', 'owner'], { description: "The caller's." }),
})

const version = route('GET', '/version', {
  summary: 'Version of the installation.',
  needs: { role: 'nobody', scope: null },
  isAudited: false,
  result: Answered('Version', { version: Type.String({ examples: ['2.0.0'] }), api: Type.Literal('v3') }),
  handler: async ({ version }) => ({ version, api: 'v3' }),
})

const key = route('GET', '/key', {
  summary: 'Whose key it is and what it may do.',
  needs: { role: 'anybody', scope: null },
  isAudited: false,
  result: Answered('Key', {
    user: Named,
    access: Type.Array(Type.Enum(['full', 'read', ...keyActions])),
    workspace: OrNull(Named),
  }),
  handler: async ({ directory }, { request: { identity }, traceId }) => {
    const { userId, displayName, scope } = identity
    const user = { id: userId, name: displayName }
    const access = accessOf(scope)
    if (scope === null) return { user, access, workspace: null }
    const workspaces = await directory.ask('list-workspaces', { userId }, traceId)
    const { id, name } = workspaces.find(workspace => workspace.id === scope.workspaceId) ?? { id: scope.workspaceId, name: '' }
    return { user, access, workspace: { id, name } }
  },
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
  body: Strict({ name: NameText(60) }),
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

/**
 * Throws the error. An error about too many workspaces (v3 2.8), or about invisible characters in the name, is thrown as a fault of the
 * field `name`.
 */
function asFaultOfName(error: unknown): never {
  if (!(error instanceof AppError) || (error.code !== 'invalid_state' && error.code !== 'validation')) throw error
  throw refusal('validation', error.message, error.details, 'name')
}

const listLocations = route('GET', '/locations', {
  summary: 'Locations of the installation.',
  needs: { role: 'anybody', scope: null },
  isAudited: false,
  result: Type.Array(Named),
  handler: async ({ directory }, { traceId }) =>
    (await directory.ask('list-locations', {}, traceId)).map(({ id, name }) => ({ id, name })),
})

export const MemberObject = Answered('Member', {
  id: Type.String(),
  name: Type.String(),
  username: Type.String(),
  role: Type.Enum(['viewer', 'editor', 'owner']),
})

const writeMember = writerOf(MemberObject)

const listMembers = route('GET', '/workspaces/:workspace/members', {
  summary: 'People of the workspace, by username.',
  needs: { role: 'owner', scope: 'full' },
  isAudited: false,
  result: Type.Array(MemberObject),
  handler: async ({ directory }, { workspaceId, traceId }) =>
    (await directory.ask('list-members', { workspaceId }, traceId)).map(member =>
      writeMember({ ...member, id: member.userId, name: member.displayName || member.username }),
    ),
})

export const generalRoutes = [version, key, listWorkspaces, createWorkspace, listLocations, listMembers]
