// Routes for the version and the caller's own key. Reference: docs/reference/v3.md, 2.4.
import { Type } from 'typebox'
import { accessOf, keyActions } from '#shared/contracts/account.ts'
import { Answered, OrNull } from '../body/result-schema.ts'
import { Named, route } from './common.ts'

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

export const generalRoutes = [version, key]
