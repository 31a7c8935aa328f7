// Users, workspaces and memberships as they are asked for.
import type { AskRequest, AskResults } from '#shared/contracts/ask.ts'
import { limits } from '#shared/limits.ts'
import type { DirectoryContext } from './context.ts'

/** The workspaces that a user is a member of, by name. */
export async function listWorkspaces(
  { store }: DirectoryContext,
  request: AskRequest<'list-workspaces'>,
): Promise<AskResults['list-workspaces']> {
  const memberships = await store.find('memberships', { where: { userId: request.userId }, limit: limits.directory.listed })
  const workspaces = await store.get(
    'workspaces',
    memberships.map(membership => membership.workspaceId),
  )
  return memberships
    .flatMap((membership, i) => {
      const workspace = workspaces[i]
      return workspace ? [{ id: workspace.id, name: workspace.name, role: membership.role }] : []
    })
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1))
}
